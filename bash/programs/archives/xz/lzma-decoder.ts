/** Decodes LZMA: a range coder with adaptive bits, literals, matches and repeated distances. */
import type { Bytes } from '../../../../src/fs/types.js'
import { BadData } from '../codec.js'
import {
  afterLiteral,
  afterMatch,
  afterRep,
  afterShortRep,
  at,
  firstNonLiteral,
  lengthAt,
  literalAt,
  probabilities,
  resetProbabilities,
  shortestMatch,
} from './lzma-model.js'
import type { OutputWindow } from './output-window.js'

export interface LzmaDecoder {
  /** Literal context bits, literal position bits and position bits, as the format packs them. */
  setProperties(packed: number): void
  resetState(): void
  /** Decodes all of `coded`, which makes exactly `size` bytes. */
  decode(coded: Bytes, size: number): void
}

const top = 2 ** 24

export function lzmaDecoder(window: OutputWindow): LzmaDecoder {
  let model = probabilities(4)
  let [contextBits, literalMask, positionMask] = [3, 0, 3]
  let state = 0
  const reps = new Uint32Array(4)
  /** The range and the code: in an array, as numbers of 32 bits are slow in variables that functions share. */
  const coder = new Uint32Array(2)
  let input: Bytes = new Uint8Array()
  let next = 0

  function normalize(range: number, code: number): void {
    if (range >= top) {
      coder[0] = range
      coder[1] = code
      return
    }
    coder[0] = range << 8
    coder[1] = (code << 8) | (input[next] ?? 0)
    next += 1
  }

  function bit(index: number): number {
    const odds = model[index] as number
    const range = coder[0] as number
    const code = coder[1] as number
    const bound = (range >>> 11) * odds
    if (code < bound) {
      model[index] = odds + ((2048 - odds) >> 5)
      normalize(bound, code)
      return 0
    }
    model[index] = odds - (odds >> 5)
    normalize(range - bound, code - bound)
    return 1
  }

  function tree(base: number, bits: number): number {
    let symbol = 1
    for (let left = bits; left > 0; left -= 1) symbol = (symbol << 1) | bit(base + symbol)
    return symbol - (1 << bits)
  }

  function reverseTree(base: number, bits: number): number {
    let symbol = 1
    let value = 0
    for (let place = 0; place < bits; place += 1) {
      const one = bit(base + symbol)
      symbol = (symbol << 1) | one
      value |= one << place
    }
    return value
  }

  function direct(bits: number): number {
    let value = 0
    for (let left = bits; left > 0; left -= 1) {
      const half = (coder[0] as number) >>> 1
      const code = coder[1] as number
      const one = code >= half ? 1 : 0
      value = value * 2 + one
      normalize(half, one === 1 ? code - half : code)
    }
    return value
  }

  function length(base: number, position: number): number {
    if (bit(base + lengthAt.choice) === 0) return shortestMatch + tree(base + lengthAt.low + position * 8, 3)
    if (bit(base + lengthAt.choice2) === 0) return shortestMatch + 8 + tree(base + lengthAt.middle + position * 8, 3)
    return shortestMatch + 16 + tree(base + lengthAt.high, 8)
  }

  function distance(matchLength: number): number {
    const slot = tree(at.slot + Math.min(matchLength - shortestMatch, 3) * 64, 6)
    if (slot < 4) return slot
    const extra = (slot >> 1) - 1
    const base = (2 | (slot & 1)) * 2 ** extra
    if (slot < 14) return base + reverseTree(at.special + base - slot, extra)
    return base + direct(extra - 4) * 16 + reverseTree(at.align, 4)
  }

  function literal(): void {
    const position = window.position & literalMask
    const context = (position << contextBits) + (window.byteBack(0) >> (8 - contextBits))
    const base = literalAt(context)
    let symbol = 1
    if (state >= firstNonLiteral) {
      let matched = window.byteBack(reps[0] as number)
      while (symbol < 0x100) {
        const expected = (matched >> 7) & 1
        matched <<= 1
        const one = bit(base + ((1 + expected) << 8) + symbol)
        symbol = (symbol << 1) | one
        if (one !== expected) break
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | bit(base + symbol)
    window.put(symbol & 255)
    state = afterLiteral[state] as number
  }

  /** Reads a match; its distance becomes the first of the repeated ones. Returns its length. */
  function match(position: number): number {
    if (bit(at.isRep + state) === 0) {
      reps.copyWithin(1, 0, 3)
      const found = length(at.length, position)
      state = afterMatch(state)
      reps[0] = distance(found)
      return found
    }
    if (bit(at.isRep0 + state) === 0) {
      if (bit(at.isRep0Long + state * 16 + position) === 0) {
        state = afterShortRep(state)
        return 1
      }
    } else moveRep(bit(at.isRep1 + state) === 0 ? 1 : bit(at.isRep2 + state) === 0 ? 2 : 3)
    const found = length(at.repLength, position)
    state = afterRep(state)
    return found
  }

  function moveRep(index: number): void {
    const moved = reps[index] as number
    reps.copyWithin(1, 0, index)
    reps[0] = moved
  }

  return {
    setProperties(packed) {
      const [lc, lp, pb] = [packed % 9, Math.floor(packed / 9) % 5, Math.floor(packed / 45)]
      if (pb > 4 || lc + lp > 4) throw new BadData('damaged')
      contextBits = lc
      literalMask = 2 ** lp - 1
      positionMask = 2 ** pb - 1
      model = probabilities(lc + lp)
    },
    resetState() {
      resetProbabilities(model)
      reps.fill(0)
      state = 0
    },
    decode(coded, size) {
      if (coded.length < 5) throw new BadData('damaged')
      input = coded
      next = 5
      coder[0] = 0xffffffff
      coder[1] =
        ((coded[1] as number) << 24) | ((coded[2] as number) << 16) | ((coded[3] as number) << 8) | (coded[4] as number)
      for (let left = size; left > 0; ) {
        const position = window.position & positionMask
        if (bit(at.isMatch + state * 16 + position) === 0) {
          literal()
          left -= 1
          continue
        }
        const copied = match(position)
        if (copied > left || !window.copy(reps[0] as number, copied)) throw new BadData('damaged')
        left -= copied
        if (next > input.length) throw new BadData('damaged')
      }
      if (next !== input.length || coder[1] !== 0) throw new BadData('damaged')
    },
  }
}
