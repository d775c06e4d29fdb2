/** `FindBytes` on the kernels. */
import type { Bytes } from '../../../fs/types.js'
import { countLineFeeds } from '../../../text/lines/count-line-breaks.js'
import type { Matcher } from '../../patterns/matcher.js'
import type { SearchRequest } from '../../run/records.js'
import { findSequences } from '../byte-sequences.js'
import { type FindBytes, findBytes, findFolded } from '../find-bytes.js'
import { createKernels, type Kernels, maxNeedleBytes } from './kernels.js'
import { createPrefilter, type Prefilter } from './prefilter.js'

/** Uses the kernels for bytes in their memory, and `otherwise` for others. */
export function findBytesWith(kernels: Kernels, otherwise: FindBytes = findBytes): FindBytes {
  const fits = (haystack: Bytes, needle: Bytes) =>
    needle.length > 0 && needle.length <= maxNeedleBytes && kernels.holds(haystack)
  const find: FindBytes = (haystack, needle, from) =>
    fits(haystack, needle) ? kernels.find(haystack, needle, from, false) : otherwise(haystack, needle, from)
  const folded: FindBytes['folded'] = (haystack, needle, from) =>
    fits(haystack, needle) ? kernels.find(haystack, needle, from, true) : findFolded(haystack, needle)(from)
  const lineFeeds: FindBytes['lineFeeds'] = (bytes, from, until) => {
    if (!kernels.holds(bytes)) return countLineFeeds(bytes, from, until)
    return kernels.countBreaks(bytes.subarray(from, until)).lineFeeds
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

/** Copies bytes into the kernels' memory and searches them there, which is faster than searching them in place. */
export interface KernelSearch {
  findBytes: FindBytes | undefined
  /** The same bytes in the kernels' memory, valid until the next call of `load` or of a prefilter. */
  load(bytes: Bytes): Bytes
  /** A prefilter for one search; undefined where it could decide nothing. */
  prefilterFor(request: SearchRequest, matcher: Matcher): ((bytes: Bytes) => ReturnType<Prefilter>) | undefined
  /** Gives the memory back for the next search. */
  release(): void
}

/** Larger files are searched where they are. */
const maxLoadedBytes = 1 << 20

/** Memory for one search alone, which may pause in the middle of a file. */
export function acquireKernelSearch(): KernelSearch {
  const mine = idle ?? newSearch()
  idle = undefined
  return mine
}

/** Memory that the last search gave back: allocating takes as long as searching hundreds of files. */
let idle: KernelSearch | undefined

function newSearch(): KernelSearch {
  const kernels = createKernels(maxLoadedBytes)
  if (kernels === undefined) {
    return { findBytes: undefined, load: (bytes) => bytes, prefilterFor: () => undefined, release() {} }
  }
  const mine: KernelSearch = {
    findBytes: findBytesWith(kernels),
    load(bytes) {
      if (bytes.length > maxLoadedBytes) return bytes
      kernels.buffer.set(bytes)
      return kernels.view(bytes.length)
    },
    prefilterFor(request, matcher) {
      const prefilter = createPrefilter(kernels, request, matcher)
      if (prefilter === undefined) return undefined
      return (bytes) => {
        if (bytes.length > maxLoadedBytes) return 'undecided'
        kernels.buffer.set(bytes)
        return prefilter(bytes.length)
      }
    },
    release() {
      idle = mine
    },
  }
  return mine
}
