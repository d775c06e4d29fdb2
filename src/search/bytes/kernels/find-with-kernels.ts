/** The kernels as a way to find bytes. */
import type { Bytes } from '../../../fs/types.js'
import { countBreaks } from '../../../text/lines/count-line-breaks.js'
import type { Matcher } from '../../patterns/matcher.js'
import type { SearchRequest } from '../../run/records.js'
import { findSequences } from '../byte-sequences.js'
import { type FindBytes, findBytes, findFolded } from '../find-bytes.js'
import { createKernels, type Kernels, maxNeedleBytes } from './kernels.js'
import { type Glance, glanceWith } from './prefilter.js'

/** The quickest there is, for what lies in the kernels' memory. */
export function findBytesWith(kernels: Kernels, otherwise: FindBytes = findBytes): FindBytes {
  const fits = (haystack: Bytes, needle: Bytes) =>
    needle.length > 0 && needle.length <= maxNeedleBytes && kernels.holds(haystack)
  const find: FindBytes = (haystack, needle, from) =>
    fits(haystack, needle) ? kernels.find(haystack, needle, from, false) : otherwise(haystack, needle, from)
  const folded: FindBytes['folded'] = (haystack, needle, from) =>
    fits(haystack, needle) ? kernels.find(haystack, needle, from, true) : findFolded(haystack, needle)(from)
  const lineFeeds: FindBytes['lineFeeds'] = (bytes, from, until) => {
    const part = bytes.subarray(from, until)
    return (kernels.holds(bytes) ? kernels : { countBreaks }).countBreaks(part).lineFeeds
  }
  const sequences: FindBytes['sequences'] = (haystack, wanted, from) =>
    kernels.holds(haystack) ? kernels.sequences(haystack, wanted, from) : findSequences(haystack, wanted, from)
  const place: FindBytes['place'] = (haystack, byte, until) =>
    kernels.holds(haystack) ? kernels.place(haystack, byte, until) : haystack.subarray(0, until).indexOf(byte)
  const feedAfter: FindBytes['feedAfter'] = (haystack, at) =>
    kernels.holds(haystack) ? kernels.placeAfter(haystack, 0x0a, at) : haystack.indexOf(0x0a, at)
  const feedBefore: FindBytes['feedBefore'] = (haystack, at) => {
    if (at === 0) return -1
    return kernels.holds(haystack) ? kernels.placeBefore(haystack, 0x0a, at) : haystack.lastIndexOf(0x0a, at - 1)
  }
  const isAscii: FindBytes['isAscii'] = (bytes, from, until) =>
    kernels.holds(bytes) && kernels.isAscii(bytes, from, until)
  const lines: FindBytes['lines'] = (haystack, needle, from, options) =>
    fits(haystack, needle) ? kernels.lines(haystack, needle, from, options) : undefined
  const { holds } = kernels
  return Object.assign(find, { holds, folded, lineFeeds, sequences, place, feedAfter, feedBefore, isAscii, lines })
}

/** For bytes that lie elsewhere: copying them takes less time than searching them otherwise. */
export interface HeldSearch {
  findBytes: FindBytes | undefined
  /** The same bytes where they are found soonest, until the next are held or looked at. */
  hold(bytes: Bytes): Bytes
  /** For one search: see `Glance`. Undefined where nothing is told at a glance. */
  glanceFor(request: SearchRequest, matcher: Matcher): ((bytes: Bytes) => ReturnType<Glance>) | undefined
  /** Lets another search have the memory. */
  release(): void
}

/** Larger ones stay where they are. */
const maxHeldBytes = 1 << 20

/** For one search, which may pause in the middle of a file. */
export function heldSearch(): HeldSearch {
  const mine = idle ?? newSearch()
  idle = undefined
  return mine
}

/** Kept by the search that ended last: making the memory takes as long as searching hundreds of files. */
let idle: HeldSearch | undefined

function newSearch(): HeldSearch {
  const kernels = createKernels(maxHeldBytes)
  if (kernels === undefined) {
    return { findBytes: undefined, hold: (bytes) => bytes, glanceFor: () => undefined, release() {} }
  }
  const mine: HeldSearch = {
    findBytes: findBytesWith(kernels),
    hold(bytes) {
      if (bytes.length > maxHeldBytes) return bytes
      kernels.buffer.set(bytes)
      return kernels.view(bytes.length)
    },
    glanceFor(request, matcher) {
      const glance = glanceWith(kernels, request, matcher)
      if (glance === undefined) return undefined
      return (bytes) => {
        if (bytes.length > maxHeldBytes) return 'unclear'
        kernels.buffer.set(bytes)
        return glance(bytes.length)
      }
    },
    release() {
      idle = mine
    },
  }
  return mine
}
