import { isUtf8 } from 'node:buffer'
import type { Bytes } from '../../src/fs/types.js'
import type { FindBytes } from '../../src/search/bytes/find-bytes.js'
import { findBytesWith } from '../../src/search/bytes/kernels/find-with-kernels.js'
import type { Kernels } from '../../src/search/bytes/kernels/kernels.js'

/** Node's own search, which uses vector instructions. */
export const findBytesIn: FindBytes = Object.assign(
  (haystack: Bytes, needle: Bytes, from: number) => {
    const bytes = Buffer.isBuffer(haystack)
      ? haystack
      : Buffer.from(haystack.buffer, haystack.byteOffset, haystack.byteLength)
    return bytes.indexOf(needle, from)
  },
  { isUtf8 },
)

/** The kernels for bytes in their memory, Node's own search for others. Decodes without creating a view, which would take longer than decoding a line. */
export function findBytesBy(kernels: Kernels): FindBytes {
  const memory = kernels.buffer.buffer
  const wholeMemory = Buffer.from(memory)
  const decode: FindBytes['decode'] = (bytes, start, end) => {
    const all = bytes.buffer === memory ? wholeMemory : Buffer.from(bytes.buffer)
    return all.toString('utf8', bytes.byteOffset + start, bytes.byteOffset + end)
  }
  return Object.assign(findBytesWith(kernels, findBytesIn), { decode, isUtf8 })
}
