/** Synchronous SHA-256 for small content: Web Crypto is faster, but returns a promise. */
import type { RunningHash } from './transactional-types.js'
import type { Bytes } from './types.js'

/** The digest in hexadecimal. */
export function sha256(bytes: Bytes): string {
  const hash = sha256InPieces()
  hash.add(bytes)
  return hash.end()
}

/** The same for content in pieces, which Web Crypto does not support. */
export function sha256InPieces(): RunningHash {
  const state = Int32Array.from(initial)
  /** Bytes that do not fill a block yet, with room for the padding. */
  const tail = new Uint8Array(128)
  const tailView = new DataView(tail.buffer)
  let [waiting, length] = [0, 0]

  return {
    add(bytes) {
      length += bytes.length
      const first = waiting === 0 ? 0 : Math.min(64 - waiting, bytes.length)
      tail.set(bytes.subarray(0, first), waiting)
      waiting += first
      if (waiting < 64 && waiting > 0) return
      if (waiting === 64) compress(state, tailView, 0)
      const end = bytes.length - ((bytes.length - first) % 64)
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (let at = first; at < end; at += 64) compress(state, view, at)
      tail.set(bytes.subarray(end))
      waiting = bytes.length - end
    },

    // Pads the last block with a 1 bit, zeros, and the length in bits.
    end() {
      const size = waiting < 56 ? 64 : 128
      tail.fill(0, waiting)
      tail[waiting] = 0x80
      tailView.setUint32(size - 8, Math.floor(length / 2 ** 29))
      tailView.setUint32(size - 4, length << 3)
      for (let at = 0; at < size; at += 64) compress(state, tailView, at)
      return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
    },
  }
}

const words = new Int32Array(64)

function compress(state: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(at + 4 * i)
  for (let i = 16; i < 64; i += 1) {
    const early = words[i - 15]!
    const late = words[i - 2]!
    const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    words[i] = (((words[i - 16]! + low) | 0) + ((words[i - 7]! + high) | 0)) | 0
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let i = 0; i < 64; i += 1) {
    const mixed = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25))) | 0
    const first = (((mixed + ((e & f) ^ (~e & g))) | 0) + ((constants[i]! + words[i]!) | 0)) | 0
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  state[0] = state[0]! + a
  state[1] = state[1]! + b
  state[2] = state[2]! + c
  state[3] = state[3]! + d
  state[4] = state[4]! + e
  state[5] = state[5]! + f
  state[6] = state[6]! + g
  state[7] = state[7]! + h
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** As the standard defines them: the first 32 bits of the fractional parts of square and cube roots of the first primes. */
const primes = firstPrimes(64)
const initial = primes.slice(0, 8).map((prime) => fraction(prime ** (1 / 2)))
const constants = Int32Array.from(primes.map((prime) => fraction(Math.cbrt(prime))))

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
