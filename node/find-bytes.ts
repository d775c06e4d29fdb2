import { type FindBytes, findFolded } from '../src/search/find-bytes.js'
import { countBreaks } from '../src/text/count-breaks.js'
import { type Kernels, maxNeedleBytes } from './kernels.js'

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
  return Object.assign(find, { folded, lineFeeds })
}
