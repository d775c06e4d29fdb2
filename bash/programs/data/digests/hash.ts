/** Incremental digests: MD5, SHA-224 and SHA-256. */
import { blockwise, type Hash, wordsToBytes } from '../../../../src/fs/block-hash.js'
import type { Bytes } from '../../../../src/fs/types.js'

/** The first bits of the fractional parts of the square or cube roots of primes are the constants of SHA-2. */
function* primes(): Generator<number> {
  for (let candidate = 2; ; candidate += 1) {
    let isPrime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) if (candidate % divisor === 0) isPrime = false
    if (isPrime) yield candidate
  }
}

export function firstPrimes(count: number): number[] {
  const found: number[] = []
  for (const prime of primes()) {
    found.push(prime)
    if (found.length === count) break
  }
  return found
}

/** 64 bits of the fractional part of the root of a prime, exactly. */
export function rootFraction(prime: number, degree: 2 | 3): bigint {
  const scaled = BigInt(prime) << BigInt(64 * degree)
  let low = 0n
  let high = 1n << 72n
  while (high - low > 1n) {
    const middle = (low + high) >> 1n
    if (middle ** BigInt(degree) <= scaled) low = middle
    else high = middle
  }
  return low & 0xffff_ffff_ffff_ffffn
}

const md5Sines = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0)
const md5Shifts = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const

export function md5(): Hash {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  const words = new Int32Array(16)
  const shifts = Int32Array.from({ length: 64 }, (_, i) => md5Shifts[i >> 4]?.[i & 3] ?? 0)

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
      const sum = (a + mixed + (md5Sines[i] as number) + (words[index] as number)) | 0
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

  const { update, pad } = blockwise(64, compress)
  return {
    update,
    digest() {
      pad(8, true)
      return wordsToBytes(state, 4, true)
    },
  }
}

function readBigEndian(words: Int32Array, bytes: Bytes, at: number): void {
  for (let i = 0, from = at; i < 16; i += 1, from += 4) {
    words[i] =
      ((bytes[from] as number) << 24) |
      ((bytes[from + 1] as number) << 16) |
      ((bytes[from + 2] as number) << 8) |
      (bytes[from + 3] as number)
  }
}

let sha2Words: Int32Array | undefined

/** 80 constants of 64 bits each, as pairs of words; SHA-256 uses the high words of the first 64. */
export function sha2Constants(): Int32Array {
  if (sha2Words !== undefined) return sha2Words
  sha2Words = new Int32Array(160)
  for (const [i, prime] of firstPrimes(80).entries()) {
    const fraction = rootFraction(prime, 3)
    sha2Words[2 * i] = Number(fraction >> 32n) | 0
    sha2Words[2 * i + 1] = Number(fraction & 0xffff_ffffn) | 0
  }
  return sha2Words
}

export function sha256(): Hash {
  return sha2Short(
    firstPrimes(8).map((prime) => Number(rootFraction(prime, 2) >> 32n)),
    8,
  )
}

export function sha224(): Hash {
  // The second 32 bits of the fractions for the ninth to the sixteenth prime.
  return sha2Short(
    firstPrimes(16)
      .slice(8)
      .map((prime) => Number(rootFraction(prime, 2) & 0xffff_ffffn)),
    7,
  )
}

function sha2Short(initial: readonly number[], outputWords: number): Hash {
  const state = Int32Array.from(initial, (word) => word | 0)
  const words = new Int32Array(64)
  const constants = Int32Array.from({ length: 64 }, (_, i) => sha2Constants()[2 * i] as number)

  function compress(bytes: Bytes, at: number): void {
    readBigEndian(words, bytes, at)
    for (let i = 16; i < 64; i += 1) {
      const x = words[i - 15] as number
      const y = words[i - 2] as number
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
      words[i] = ((words[i - 16] as number) + s0 + (words[i - 7] as number) + s1) | 0
    }
    let a = state[0] as number
    let b = state[1] as number
    let c = state[2] as number
    let d = state[3] as number
    let e = state[4] as number
    let f = state[5] as number
    let g = state[6] as number
    let h = state[7] as number
    for (let i = 0; i < 64; i += 1) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (constants[i] as number) + (words[i] as number)) | 0
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    const next = [a, b, c, d, e, f, g, h]
    for (let i = 0; i < 8; i += 1) state[i] = ((state[i] as number) + (next[i] as number)) | 0
  }

  const { update, pad } = blockwise(64, compress)
  return {
    update,
    digest() {
      pad(8, false)
      return wordsToBytes(state, outputWords, false)
    },
  }
}
