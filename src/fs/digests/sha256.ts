/** Synchronous SHA-256: Node's where there is one, and our own elsewhere. Web Crypto is faster than ours, but returns a promise. */
import { toHex } from '../../text/hex.js'
import type { RunningHash } from '../transactional-types.js'
import type { Bytes } from '../types.js'
import { blockwise, type Hash, wordsToBytes } from './block-hash.js'

/** The digest in hexadecimal, of a text in UTF-8. */
export function sha256(content: Bytes | string): string {
  if (hashOfNode !== undefined) return hashOfNode('sha256', content)
  return portableSha256(typeof content === 'string' ? encoder.encode(content) : content)
}

/** The same, undefined for content that Web Crypto would hash faster. */
export function sha256Soon(content: Bytes | string): string | undefined {
  return content.length <= soonBytes ? sha256(content) : undefined
}

const encoder = new TextEncoder()

/** The `hash` of `node:crypto`, which is some ten times as fast as ours. Not imported: browsers load this module too. */
const hashOfNode = globalThis.process?.getBuiltinModule?.('node:crypto')?.hash

/** Node's is as fast as Web Crypto, and blocks for some milliseconds at the greater size. Web Crypto copies its input, so up to the smaller one ours is faster. */
const soonBytes = hashOfNode === undefined ? 16_384 : 16 * 1024 * 1024

/** As `sha256`, never by Node. */
export function portableSha256(bytes: Bytes): string {
  const hash = createSha256()
  hash.update(bytes)
  return toHex(hash.digest())
}

/** The same for content in pieces, which Web Crypto does not support. */
export function sha256InPieces(): RunningHash {
  const { update, digest } = createSha256()
  return { add: update, end: () => toHex(digest()) }
}

/** Incremental SHA-256, never by Node. */
export function createSha256(): Hash {
  return sha2(initial, 8)
}

/** Incremental SHA-224: SHA-256 from another beginning, and a word less of it. */
export function createSha224(): Hash {
  return sha2(initialOf224, 7)
}

function sha2(from: Int32Array, words: number): Hash {
  const state = Int32Array.from(from)
  const { update, pad } = blockwise(64, (bytes, start, end) => compress(state, bytes, start, end))
  return {
    update,
    digest() {
      pad(8, false)
      return wordsToBytes(state, words, false)
    },
  }
}

/** Hashes whole blocks. Unrolled rounds would be slower: their rotations are then not inlined. */
function compress(into: Int32Array, bytes: Uint8Array, from: number, to: number): void {
  const w = schedule
  const k = constants
  let a = into[0]!
  let b = into[1]!
  let c = into[2]!
  let d = into[3]!
  let e = into[4]!
  let f = into[5]!
  let g = into[6]!
  let h = into[7]!
  for (let at = from; at < to; at += 64) {
    for (let i = 0, j = at; i < 16; i += 1, j += 4) {
      w[i] = (bytes[j]! << 24) | (bytes[j + 1]! << 16) | (bytes[j + 2]! << 8) | bytes[j + 3]!
    }
    for (let i = 16; i < 64; i += 1) {
      const early = w[i - 15]!
      const late = w[i - 2]!
      const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
      const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
      w[i] = (((w[i - 16]! + low) | 0) + ((w[i - 7]! + high) | 0)) | 0
    }
    const a0 = a
    const b0 = b
    const c0 = c
    const d0 = d
    const e0 = e
    const f0 = f
    const g0 = g
    const h0 = h
    for (let i = 0; i < 64; i += 1) {
      const mixed = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25))) | 0
      const first = (((mixed + (g ^ (e & (f ^ g)))) | 0) + ((k[i]! + w[i]!) | 0)) | 0
      const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (c & (a ^ b)))) | 0
      h = g
      g = f
      f = e
      e = (d + first) | 0
      d = c
      c = b
      b = a
      a = (first + second) | 0
    }
    a = (a + a0) | 0
    b = (b + b0) | 0
    c = (c + c0) | 0
    d = (d + d0) | 0
    e = (e + e0) | 0
    f = (f + f0) | 0
    g = (g + g0) | 0
    h = (h + h0) | 0
  }
  into[0] = a
  into[1] = b
  into[2] = c
  into[3] = d
  into[4] = e
  into[5] = f
  into[6] = g
  into[7] = h
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** As the standard defines them: the first 32 bits of the fractional parts of square and cube roots of the first primes. */
const primes = firstPrimes(64)
const initial = Int32Array.from(primes.slice(0, 8).map((prime) => fraction(prime ** (1 / 2))))
const constants = Int32Array.from(primes.map((prime) => fraction(Math.cbrt(prime))))

/** As the standard lists them: the second 32 bits for the ninth to the sixteenth prime, which a number of 64 bits can't hold. */
const initialOf224 = Int32Array.of(
  0xc1059ed8,
  0x367cd507,
  0x3070dd17,
  0xf70e5939,
  0xffc00b31,
  0x68581511,
  0x64f98fa7,
  0xbefa4fa4,
)

/** Nothing is awaited while a block is hashed, so all can use the same memory. */
const schedule = new Int32Array(64)

function fraction(value: number): number {
  return ((value % 1) * 2 ** 32) | 0
}

export function firstPrimes(count: number): number[] {
  const found: number[] = []
  for (let number = 2; found.length < count; number += 1) {
    if (found.every((prime) => number % prime !== 0)) found.push(number)
  }
  return found
}
