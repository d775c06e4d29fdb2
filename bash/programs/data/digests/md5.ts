/** Incremental MD5. */
import { blockwise, type Hash, wordsToBytes } from '../../../../src/fs/digests/block-hash.js'
import type { Bytes } from '../../../../src/fs/types.js'

const sines = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0)
const shiftsOfRounds = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const

export function md5(): Hash {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  const words = new Int32Array(16)
  const shifts = Int32Array.from({ length: 64 }, (_, i) => shiftsOfRounds[i >> 4]?.[i & 3] ?? 0)

  function compress(bytes: Bytes, at: number): void {
    for (let i = 0, from = at; i < 16; i += 1, from += 4) {
      words[i] =
        (bytes[from] as number) |
        ((bytes[from + 1] as number) << 8) |
        ((bytes[from + 2] as number) << 16) |
        ((bytes[from + 3] as number) << 24)
    }
    let a = state[0] as number
    let b = state[1] as number
    let c = state[2] as number
    let d = state[3] as number
    for (let i = 0; i < 64; i += 1) {
      let mixed: number
      let index: number
      if (i < 16) {
        mixed = d ^ (b & (c ^ d))
        index = i
      } else if (i < 32) {
        mixed = c ^ (d & (b ^ c))
        index = (5 * i + 1) & 15
      } else if (i < 48) {
        mixed = b ^ c ^ d
        index = (3 * i + 5) & 15
      } else {
        mixed = c ^ (b | ~d)
        index = (7 * i) & 15
      }
      const sum = (a + mixed + (sines[i] as number) + (words[index] as number)) | 0
      const shift = shifts[i] as number
      a = d
      d = c
      c = b
      b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0
    }
    state[0] = ((state[0] as number) + a) | 0
    state[1] = ((state[1] as number) + b) | 0
    state[2] = ((state[2] as number) + c) | 0
    state[3] = ((state[3] as number) + d) | 0
  }

  const { update, pad } = blockwise(64, (bytes, start, end) => {
    for (let at = start; at < end; at += 64) compress(bytes, at)
  })
  return {
    update,
    digest() {
      pad(8, true)
      return wordsToBytes(state, 4, true)
    },
  }
}
