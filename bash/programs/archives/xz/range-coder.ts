/** Writes bits by their probabilities: the coder that `lzmaDecoder` reads. */
import type { Bytes } from '../../../../src/fs/types.js'

export interface RangeCoder {
  bit(model: Uint16Array, index: number, bit: number): void
  tree(model: Uint16Array, base: number, bits: number, value: number): void
  reverseTree(model: Uint16Array, base: number, bits: number, value: number): void
  /** Bits of equal odds. */
  direct(value: number, bits: number): void
  /** How many bytes there are if it ends now. */
  size(): number
  /** Ends, returns all, and begins anew. */
  finish(): Bytes
}

const top = 2 ** 24
const carry = 2 ** 32
const lastBytes = 5

export function rangeCoder(capacity: number): RangeCoder {
  const bytes = new Uint8Array(capacity)
  let written = 0
  /** In an array, as numbers of 32 bits are slow in variables that functions share: the lower end, and the range. */
  const coder = new Float64Array(2)
  let cache = 0
  let cached = 1
  begin()

  function begin(): void {
    coder[0] = 0
    coder[1] = 2 ** 32 - 1
    cache = 0
    cached = 1
    written = 0
  }

  /** A byte is kept back as long as a carry can still change it. */
  function shift(): void {
    const low = coder[0] as number
    if (low < 0xff000000 || low >= carry) {
      const over = low >= carry ? 1 : 0
      let byte = cache
      for (; cached > 0; cached -= 1) {
        bytes[written] = byte + over
        written += 1
        byte = 0xff
      }
      cache = Math.floor(low / top) & 255
    }
    cached += 1
    coder[0] = (low % top) * 256
  }

  function bit(model: Uint16Array, index: number, value: number): void {
    const odds = model[index] as number
    const range = coder[1] as number
    const bound = (range >>> 11) * odds
    if (value === 0) {
      coder[1] = bound
      model[index] = odds + ((2048 - odds) >> 5)
    } else {
      coder[0] = (coder[0] as number) + bound
      coder[1] = range - bound
      model[index] = odds - (odds >> 5)
    }
    if ((coder[1] as number) < top) {
      coder[1] = (coder[1] as number) * 256
      shift()
    }
  }

  return {
    bit,
    tree(model, base, bits, value) {
      let symbol = 1
      for (let place = bits - 1; place >= 0; place -= 1) {
        const one = (value >> place) & 1
        bit(model, base + symbol, one)
        symbol = (symbol << 1) | one
      }
    },
    reverseTree(model, base, bits, value) {
      let symbol = 1
      for (let place = 0; place < bits; place += 1) {
        const one = (value >> place) & 1
        bit(model, base + symbol, one)
        symbol = (symbol << 1) | one
      }
    },
    direct(value, bits) {
      for (let place = bits - 1; place >= 0; place -= 1) {
        const half = (coder[1] as number) >>> 1
        if (((value >>> place) & 1) === 1) coder[0] = (coder[0] as number) + half
        coder[1] = half
        if (half < top) {
          coder[1] = half * 256
          shift()
        }
      }
    },
    size: () => written + cached + lastBytes - 1,
    finish() {
      for (let times = 0; times < lastBytes; times += 1) shift()
      const all = bytes.slice(0, written)
      begin()
      return all
    },
  }
}
