/** Decodes a Huffman code: short codes by a table, long ones by comparing with the largest code of each length. */
import { BadData } from '../codec.js'
import type { BitReader } from './bit-reader.js'

const tableBits = 10
const longestCode = 20

export type SymbolReader = (bits: BitReader) => number

export function symbolReader(lengths: Uint8Array): SymbolReader {
  const counts = new Int32Array(longestCode + 2)
  for (const length of lengths) counts[length] = (counts[length] as number) + 1
  const sorted = Uint16Array.from(lengths.keys()).sort(
    (left, right) => (lengths[left] as number) - (lengths[right] as number) || left - right,
  )
  /** For each length: the code after its last, and what to add to a code for its place in `sorted`. */
  const ends = new Int32Array(longestCode + 1)
  const offsets = new Int32Array(longestCode + 1)
  const table = new Int32Array(1 << tableBits)
  let code = 0
  let place = 0
  for (let length = 1; length <= longestCode; length += 1) {
    offsets[length] = place - code
    for (let times = counts[length] as number; times > 0; times -= 1) {
      if (code >= 2 ** length) throw new BadData('damaged')
      if (length <= tableBits) {
        const entry = (length << 16) | (sorted[place] as number)
        const shift = tableBits - length
        table.fill(entry, code << shift, (code + 1) << shift)
      }
      code += 1
      place += 1
    }
    ends[length] = code
    code *= 2
  }
  return (bits) => {
    const entry = table[bits.peek(tableBits)] as number
    if (entry !== 0) {
      bits.skip(entry >> 16)
      return entry & 0xffff
    }
    for (let length = tableBits + 1; length <= longestCode; length += 1) {
      const value = bits.peek(length)
      if (value >= (ends[length] as number)) continue
      bits.skip(length)
      return sorted[value + (offsets[length] as number)] as number
    }
    throw new BadData('damaged')
  }
}
