/** Incremental, synchronous SHA-1: the platform's needs the whole input and is asynchronous. */
import { blockwise, type Hash, wordsToBytes } from '../fs/block-hash.js'
import type { Bytes } from '../fs/types.js'

export function createSha1(): Hash {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
  const words = new Int32Array(80)
  const { update, pad } = blockwise(64, (bytes, at) => digestBlock(state, words, bytes, at))
  return {
    update,
    digest() {
      pad(8, false)
      return wordsToBytes(state, 5, false)
    },
  }
}

/** One block, according to FIPS 180-4. */
function digestBlock(state: Int32Array, words: Int32Array, bytes: Bytes, start: number): void {
  for (let i = 0, at = start; i < 16; i += 1, at += 4) {
    words[i] =
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)
  }
  for (let i = 16; i < 80; i += 1) {
    const word =
      (words[i - 3] as number) ^ (words[i - 8] as number) ^ (words[i - 14] as number) ^ (words[i - 16] as number)
    words[i] = (word << 1) | (word >>> 31)
  }
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  for (let i = 0; i < 80; i += 1) {
    const mixed =
      i < 20
        ? (d ^ (b & (c ^ d))) + 0x5a827999
        : i < 40
          ? (b ^ c ^ d) + 0x6ed9eba1
          : i < 60
            ? ((b & c) | (d & (b | c))) + 0x8f1bbcdc
            : (b ^ c ^ d) + 0xca62c1d6
    const next = (((a << 5) | (a >>> 27)) + mixed + e + (words[i] as number)) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  state[0] = ((state[0] as number) + a) | 0
  state[1] = ((state[1] as number) + b) | 0
  state[2] = ((state[2] as number) + c) | 0
  state[3] = ((state[3] as number) + d) | 0
  state[4] = ((state[4] as number) + e) | 0
}
