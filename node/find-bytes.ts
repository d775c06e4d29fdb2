import { findSequences } from '../src/search/byte-sequences.js'
import { type FindBytes, findFolded } from '../src/search/find-bytes.js'
import { type Kernels, maxNeedleBytes } from '../src/search/kernels/kernels.js'
import { countBreaks } from '../src/text/count-breaks.js'

const portable = { countBreaks }

/** Node's own search, which looks at many bytes at once. */
export const findBytesIn: FindBytes = (haystack, needle, from) => {
  const bytes = Buffer.isBuffer(haystack)
    ? haystack
    : Buffer.from(haystack.buffer, haystack.byteOffset, haystack.byteLength)
  return bytes.indexOf(needle, from)
}

/** The quickest there is, for what lies in the kernels' memory. */
export function findBytesWith(kernels: Kernels): FindBytes {
  const fits = (haystack: Uint8Array, needle: Uint8Array) =>
    needle.length > 0 && needle.length <= maxNeedleBytes && kernels.holds(haystack)
  const find: FindBytes = (haystack, needle, from) =>
    fits(haystack, needle) ? kernels.find(haystack, needle, from, false) : findBytesIn(haystack, needle, from)
  const folded: FindBytes = (haystack, needle, from) =>
    fits(haystack, needle) ? kernels.find(haystack, needle, from, true) : findFolded(haystack, needle)(from)
  const lineFeeds: FindBytes['lineFeeds'] = (bytes, from, until) => {
    const part = bytes.subarray(from, until)
    return (kernels.holds(bytes) ? kernels : portable).countBreaks(part).lineFeeds
  }
  const sequences: FindBytes['sequences'] = (haystack, wanted, from) =>
    kernels.holds(haystack) ? kernels.sequences(haystack, wanted, from) : findSequences(haystack, wanted, from)
  const place: FindBytes['place'] = (haystack, byte, until) =>
    kernels.holds(haystack) ? kernels.place(haystack, byte, until) : haystack.subarray(0, until).indexOf(byte)
  const lines: FindBytes['lines'] = (haystack, needle, from, options) =>
    fits(haystack, needle) ? kernels.lines(haystack, needle, from, options) : undefined
  return Object.assign(find, { folded, lineFeeds, sequences, place, lines, decode: decodeIn(kernels.buffer.buffer) })
}

/** Node decodes a part of a buffer it knows at once, without a view of that part. */
function decodeIn(memory: ArrayBuffer): FindBytes['decode'] & {} {
  const known = Buffer.from(memory)
  return (bytes, start, end) => {
    const all = bytes.buffer === memory ? known : Buffer.from(bytes.buffer)
    return all.toString('utf8', bytes.byteOffset + start, bytes.byteOffset + end)
  }
}
