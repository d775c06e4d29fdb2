/** Incremental, synchronous SHA-1: Node's where there is one, and our own elsewhere. Web Crypto needs the whole input, and returns a promise. */
import { joinBytes } from '../../text/join-bytes.js'
import type { Bytes } from '../types.js'
import { yieldWhenDue } from '../yield-when-due.js'
import { blockwise, type Hash, wordsToBytes } from './block-hash.js'

export function createSha1(): Hash {
  if (createHashOfNode === undefined) return portableSha1()
  const hash = createHashOfNode('sha1')
  return { update: (bytes) => hash.update(bytes), digest: () => hash.digest() }
}

/** Several times as fast as ours. Not imported: browsers load this module too. */
const createHashOfNode = globalThis.process?.getBuiltinModule?.('node:crypto')?.createHash

/** Up to this size, what is hashed at once takes less time than Web Crypto does to begin. */
const soonBytes = createHashOfNode === undefined ? 16_384 : 1024 * 1024

/** Thousands of small files are hashed in a row. */
const othersFirst = yieldWhenDue()

/** The digest of all pieces together. */
export async function sha1(...pieces: readonly Bytes[]): Promise<Bytes> {
  const pause = othersFirst()
  if (pause !== undefined) await pause
  if (pieces.reduce((sum, { length }) => sum + length, 0) <= soonBytes) {
    const hash = createSha1()
    for (const piece of pieces) hash.update(piece)
    return hash.digest()
  }
  const whole = pieces.length === 1 ? (pieces[0] as Bytes) : joinBytes(pieces)
  // The memory is never shared between threads.
  return new Uint8Array(await crypto.subtle.digest('SHA-1', whole as Uint8Array<ArrayBuffer>))
}

/** As `createSha1`, never by Node. */
export function portableSha1(): Hash {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
  const words = new Int32Array(80)
  const { update, pad } = blockwise(64, (bytes, start, end) => {
    for (let at = start; at < end; at += 64) digestBlock(state, words, bytes, at)
  })
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
