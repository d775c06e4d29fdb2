import type { FindBytes } from '../../src/search/bytes/find-bytes.js'
import { findBytesWith } from '../../src/search/bytes/kernels/find-with-kernels.js'
import type { Kernels } from '../../src/search/bytes/kernels/kernels.js'

/** Node's own search, which looks at many bytes at once. */
export const findBytesIn: FindBytes = (haystack, needle, from) => {
  const bytes = Buffer.isBuffer(haystack)
    ? haystack
    : Buffer.from(haystack.buffer, haystack.byteOffset, haystack.byteLength)
  return bytes.indexOf(needle, from)
}

/** The kernels where they can, Node's own search elsewhere. Node also decodes a part of a buffer it knows at once, without a view of it. */
export function findBytesBy(kernels: Kernels): FindBytes {
  const memory = kernels.buffer.buffer
  const known = Buffer.from(memory)
  const decode: FindBytes['decode'] = (bytes, start, end) => {
    const all = bytes.buffer === memory ? known : Buffer.from(bytes.buffer)
    return all.toString('utf8', bytes.byteOffset + start, bytes.byteOffset + end)
  }
  return Object.assign(findBytesWith(kernels, findBytesIn), { decode })
}
