/** SHA-384, SHA-512 and BLAKE2b: digests of 64-bit words, each kept as two words of 32 bits. */
import { blockwise, type Hash, wordsToBytes } from '../../../../src/fs/digests/block-hash.js'
import { firstPrimes } from '../../../../src/fs/digests/sha256.js'
import type { Bytes } from '../../../../src/fs/types.js'

export function sha512(): Hash {
  start512 ??= startOf(firstPrimes(8))
  return sha2Long(start512, 16)
}

export function sha384(): Hash {
  start384 ??= startOf(firstPrimes(16).slice(8))
  return sha2Long(start384, 12)
}

/** 64 bits of the fractional part of the root of a prime, exactly: the constants of SHA-2. */
function rootFraction(prime: number, degree: 2 | 3): bigint {
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

let madeConstants: Int32Array | undefined

/** 80 constants of 64 bits each, as pairs of words. */
function roundConstants(): Int32Array {
  if (madeConstants !== undefined) return madeConstants
  madeConstants = new Int32Array(160)
  for (const [i, prime] of firstPrimes(80).entries()) {
    const fraction = rootFraction(prime, 3)
    madeConstants[2 * i] = Number(fraction >> 32n) | 0
    madeConstants[2 * i + 1] = Number(fraction & 0xffff_ffffn) | 0
  }
  return madeConstants
}

/** Made once, with the first digest. */
let start512: Int32Array | undefined
let start384: Int32Array | undefined

function startOf(primes: readonly number[]): Int32Array {
  const start = new Int32Array(16)
  for (const [i, prime] of primes.entries()) {
    const fraction = rootFraction(prime, 2)
    start[2 * i] = Number(fraction >> 32n) | 0
    start[2 * i + 1] = Number(fraction & 0xffff_ffffn) | 0
  }
  return start
}

function sha2Long(start: Int32Array, outputWords: number): Hash {
  const state = Int32Array.from(start)
  const words = new Int32Array(160)
  const constants = roundConstants()

  function compress(bytes: Bytes, at: number): void {
    for (let i = 0, from = at; i < 32; i += 1, from += 4) {
      words[i] =
        ((bytes[from] as number) << 24) |
        ((bytes[from + 1] as number) << 16) |
        ((bytes[from + 2] as number) << 8) |
        (bytes[from + 3] as number)
    }
    for (let i = 32; i < 160; i += 2) {
      const xh = words[i - 30] as number
      const xl = words[i - 29] as number
      const yh = words[i - 4] as number
      const yl = words[i - 3] as number
      const s0h = ((xh >>> 1) | (xl << 31)) ^ ((xh >>> 8) | (xl << 24)) ^ (xh >>> 7)
      const s0l = ((xl >>> 1) | (xh << 31)) ^ ((xl >>> 8) | (xh << 24)) ^ ((xl >>> 7) | (xh << 25))
      const s1h = ((yh >>> 19) | (yl << 13)) ^ ((yl >>> 29) | (yh << 3)) ^ (yh >>> 6)
      const s1l = ((yl >>> 19) | (yh << 13)) ^ ((yh >>> 29) | (yl << 3)) ^ ((yl >>> 6) | (yh << 26))
      const low = ((words[i - 31] as number) >>> 0) + (s0l >>> 0) + ((words[i - 13] as number) >>> 0) + (s1l >>> 0)
      words[i + 1] = low | 0
      words[i] = ((words[i - 32] as number) + s0h + (words[i - 14] as number) + s1h + ((low / 2 ** 32) | 0)) | 0
    }
    let ah = state[0] as number
    let al = state[1] as number
    let bh = state[2] as number
    let bl = state[3] as number
    let ch = state[4] as number
    let cl = state[5] as number
    let dh = state[6] as number
    let dl = state[7] as number
    let eh = state[8] as number
    let el = state[9] as number
    let fh = state[10] as number
    let fl = state[11] as number
    let gh = state[12] as number
    let gl = state[13] as number
    let hh = state[14] as number
    let hl = state[15] as number
    for (let i = 0; i < 160; i += 2) {
      const s1h = ((eh >>> 14) | (el << 18)) ^ ((eh >>> 18) | (el << 14)) ^ ((el >>> 9) | (eh << 23))
      const s1l = ((el >>> 14) | (eh << 18)) ^ ((el >>> 18) | (eh << 14)) ^ ((eh >>> 9) | (el << 23))
      const chooseH = (eh & fh) ^ (~eh & gh)
      const chooseL = (el & fl) ^ (~el & gl)
      const t1l =
        (hl >>> 0) +
        (s1l >>> 0) +
        (chooseL >>> 0) +
        ((constants[i + 1] as number) >>> 0) +
        ((words[i + 1] as number) >>> 0)
      const t1h = (hh + s1h + chooseH + (constants[i] as number) + (words[i] as number) + ((t1l / 2 ** 32) | 0)) | 0
      const s0h = ((ah >>> 28) | (al << 4)) ^ ((al >>> 2) | (ah << 30)) ^ ((al >>> 7) | (ah << 25))
      const s0l = ((al >>> 28) | (ah << 4)) ^ ((ah >>> 2) | (al << 30)) ^ ((ah >>> 7) | (al << 25))
      const majorityH = (ah & bh) ^ (ah & ch) ^ (bh & ch)
      const majorityL = (al & bl) ^ (al & cl) ^ (bl & cl)
      const t2l = (s0l >>> 0) + (majorityL >>> 0)
      const t2h = (s0h + majorityH + ((t2l / 2 ** 32) | 0)) | 0
      hh = gh
      hl = gl
      gh = fh
      gl = fl
      fh = eh
      fl = el
      const nextE = (dl >>> 0) + ((t1l | 0) >>> 0)
      eh = (dh + t1h + ((nextE / 2 ** 32) | 0)) | 0
      el = nextE | 0
      dh = ch
      dl = cl
      ch = bh
      cl = bl
      bh = ah
      bl = al
      const nextA = ((t1l | 0) >>> 0) + ((t2l | 0) >>> 0)
      ah = (t1h + t2h + ((nextA / 2 ** 32) | 0)) | 0
      al = nextA | 0
    }
    const next = [ah, al, bh, bl, ch, cl, dh, dl, eh, el, fh, fl, gh, gl, hh, hl]
    for (let i = 0; i < 16; i += 2) {
      const low = ((state[i + 1] as number) >>> 0) + ((next[i + 1] as number) >>> 0)
      state[i] = ((state[i] as number) + (next[i] as number) + ((low / 2 ** 32) | 0)) | 0
      state[i + 1] = low | 0
    }
  }

  const { update, pad } = blockwise(128, (bytes, start, end) => {
    for (let at = start; at < end; at += 128) compress(bytes, at)
  })
  return {
    update,
    digest() {
      pad(16, false)
      return wordsToBytes(state, outputWords, false)
    },
  }
}

const blakeOrder = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
] as const
/** Positions of the low words. */
const blakeLanes = [
  [0, 8, 16, 24],
  [2, 10, 18, 26],
  [4, 12, 20, 28],
  [6, 14, 22, 30],
  [0, 10, 20, 30],
  [2, 12, 22, 24],
  [4, 14, 16, 26],
  [6, 8, 18, 28],
] as const

/** BLAKE2b of RFC 7693 without a key. The last block is compressed differently, so a full block waits for more. */
export function blake2b(outputBytes: number): Hash {
  const initial = new Int32Array(16)
  for (const [i, prime] of firstPrimes(8).entries()) {
    const fraction = rootFraction(prime, 2)
    initial[2 * i] = Number(fraction & 0xffff_ffffn) | 0
    initial[2 * i + 1] = Number(fraction >> 32n) | 0
  }
  const state = initial.slice()
  state[0] = (state[0] as number) ^ 0x01010000 ^ outputBytes
  const block = new Uint8Array(128)
  const view = new DataView(block.buffer)
  const v = new Int32Array(32)
  const m = new Int32Array(32)
  let filled = 0
  let total = 0

  function add(to: number, low: number, high: number): void {
    const sum = ((v[to] as number) >>> 0) + (low >>> 0)
    v[to + 1] = ((v[to + 1] as number) + high + (sum >= 2 ** 32 ? 1 : 0)) | 0
    v[to] = sum | 0
  }

  /** `v[to] = (v[to] ^ v[from]) >>> bits`, turned right. */
  function mix(to: number, from: number, bits: number): void {
    const low = (v[to] as number) ^ (v[from] as number)
    const high = (v[to + 1] as number) ^ (v[from + 1] as number)
    if (bits === 32) {
      v[to] = high
      v[to + 1] = low
    } else if (bits === 63) {
      v[to] = (low << 1) | (high >>> 31)
      v[to + 1] = (high << 1) | (low >>> 31)
    } else {
      v[to] = (low >>> bits) | (high << (32 - bits))
      v[to + 1] = (high >>> bits) | (low << (32 - bits))
    }
  }

  function compress(isLast: boolean): void {
    for (let i = 0; i < 32; i += 1) m[i] = view.getInt32(i * 4, true)
    v.set(state)
    v.set(initial, 16)
    v[24] = (v[24] as number) ^ (total >>> 0)
    v[25] = (v[25] as number) ^ Math.floor(total / 2 ** 32)
    if (isLast) {
      v[28] = ~(v[28] as number)
      v[29] = ~(v[29] as number)
    }
    for (let round = 0; round < 12; round += 1) {
      const order = blakeOrder[round % 10] as readonly number[]
      for (let lane = 0; lane < 8; lane += 1) {
        const lanes = blakeLanes[lane] as readonly [number, number, number, number]
        const a = lanes[0]
        const b = lanes[1]
        const c = lanes[2]
        const d = lanes[3]
        const x = (order[2 * lane] as number) * 2
        const y = (order[2 * lane + 1] as number) * 2
        add(a, v[b] as number, v[b + 1] as number)
        add(a, m[x] as number, m[x + 1] as number)
        mix(d, a, 32)
        add(c, v[d] as number, v[d + 1] as number)
        mix(b, c, 24)
        add(a, v[b] as number, v[b + 1] as number)
        add(a, m[y] as number, m[y + 1] as number)
        mix(d, a, 16)
        add(c, v[d] as number, v[d + 1] as number)
        mix(b, c, 63)
      }
    }
    for (let i = 0; i < 16; i += 1) state[i] = (state[i] as number) ^ (v[i] as number) ^ (v[i + 16] as number)
  }

  return {
    update(bytes) {
      let at = 0
      while (at < bytes.length) {
        if (filled === 128) {
          compress(false)
          filled = 0
        }
        const count = Math.min(128 - filled, bytes.length - at)
        block.set(bytes.subarray(at, at + count), filled)
        filled += count
        total += count
        at += count
      }
    },
    digest() {
      block.fill(0, filled)
      compress(true)
      return wordsToBytes(state, 16, true).slice(0, outputBytes)
    },
  }
}
