/** Synchronous SHA-256: Node's where there is one, and our own elsewhere. Web Crypto is faster than ours, but returns a promise. */
import type { RunningHash } from './transactional-types.js'
import type { Bytes } from './types.js'

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
  state.set(initial)
  const end = bytes.length - (bytes.length % 64)
  compress(state, bytes, 0, end)
  lastBlocks.set(end === 0 ? bytes : bytes.subarray(end))
  return finish(state, lastBlocks, bytes.length - end, bytes.length)
}

/** The same for content in pieces, which Web Crypto does not support. */
export function sha256InPieces(): RunningHash {
  const own = Int32Array.from(initial)
  /** Bytes that do not fill a block yet, with room for the padding. */
  const tail = new Uint8Array(128)
  let [waiting, length] = [0, 0]

  return {
    add(bytes) {
      length += bytes.length
      const first = waiting === 0 ? 0 : Math.min(64 - waiting, bytes.length)
      tail.set(bytes.subarray(0, first), waiting)
      waiting += first
      if (waiting < 64 && waiting > 0) return
      if (waiting === 64) compress(own, tail, 0, 64)
      const end = bytes.length - ((bytes.length - first) % 64)
      compress(own, bytes, first, end)
      tail.set(bytes.subarray(end))
      waiting = bytes.length - end
    },

    end: () => finish(own, tail, waiting, length),
  }
}

/** Pads the last block with a 1 bit, zeros, and the length in bits. */
function finish(words: Int32Array, tail: Uint8Array, waiting: number, length: number): string {
  const size = waiting < 56 ? 64 : 128
  tail.fill(0, waiting, size)
  tail[waiting] = 0x80
  const [high, low] = [Math.floor(length / 2 ** 29), length << 3]
  for (let i = 0; i < 4; i += 1) {
    tail[size - 8 + i] = high >>> (24 - 8 * i)
    tail[size - 4 + i] = low >>> (24 - 8 * i)
  }
  compress(words, tail, 0, size)
  let digest = ''
  for (const word of words) {
    digest += hex[word >>> 24]! + hex[(word >>> 16) & 255]! + hex[(word >>> 8) & 255]! + hex[word & 255]!
  }
  return digest
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

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

/** Nothing is awaited while a digest is made, so all can use the same memory. */
const state = new Int32Array(8)
const schedule = new Int32Array(64)
const lastBlocks = new Uint8Array(128)

function fraction(value: number): number {
  return ((value % 1) * 2 ** 32) | 0
}

function firstPrimes(count: number): number[] {
  const found: number[] = []
  for (let number = 2; found.length < count; number += 1) {
    if (found.every((prime) => number % prime !== 0)) found.push(number)
  }
  return found
}
