/** Encodes LZMA in one pass: takes the longest match, unless one that is better begins at the next byte. */
import type { Bytes } from '../../../../src/fs/types.js'
import {
  afterLiteral,
  afterMatch,
  afterRep,
  at,
  firstNonLiteral,
  lengthAt,
  literalAt,
  longestMatch,
  probabilities,
  resetProbabilities,
  shortestMatch,
} from './lzma-model.js'
import type { MatchFinder } from './match-finder.js'
import { rangeCoder } from './range-coder.js'

export interface LzmaEncoder {
  resetState(): void
  /**
   * Encodes bytes from `start` until there are `mostCoded` bytes or `end` is reached. Returns the coded bytes and where
   * it stopped. `origin` is where the dictionary begins.
   */
  encode(data: Uint8Array, start: number, end: number, origin: number): { coded: Bytes; end: number }
}

const contextBits = 3
const positionMask = 3
/** No symbol needs more. */
const spareBytes = 64

/** The properties as the format packs them: 3 literal context bits, no literal position bits, 2 position bits. */
export const packedProperties = 93

export function lzmaEncoder(finder: MatchFinder, mostCoded: number): LzmaEncoder {
  const model = probabilities(contextBits)
  const coder = rangeCoder(mostCoded + spareBytes)
  const reps = new Uint32Array(4)
  let state = 0

  function literal(data: Uint8Array, position: number, first: number): void {
    const byte = data[position] as number
    const before = position > first ? (data[position - 1] as number) : 0
    const base = literalAt(before >> (8 - contextBits))
    let symbol = 1
    let place = 7
    if (state >= firstNonLiteral) {
      const matched = data[position - (reps[0] as number) - 1] as number
      for (; place >= 0; ) {
        const expected = (matched >> place) & 1
        const one = (byte >> place) & 1
        coder.bit(model, base + ((1 + expected) << 8) + symbol, one)
        symbol = (symbol << 1) | one
        place -= 1
        if (one !== expected) break
      }
    }
    for (; place >= 0; place -= 1) {
      const one = (byte >> place) & 1
      coder.bit(model, base + symbol, one)
      symbol = (symbol << 1) | one
    }
    state = afterLiteral[state] as number
  }

  function length(base: number, position: number, value: number): void {
    const rest = value - shortestMatch
    coder.bit(model, base + lengthAt.choice, rest < 8 ? 0 : 1)
    if (rest < 8) {
      coder.tree(model, base + lengthAt.low + position * 8, 3, rest)
      return
    }
    coder.bit(model, base + lengthAt.choice2, rest < 16 ? 0 : 1)
    if (rest < 16) coder.tree(model, base + lengthAt.middle + position * 8, 3, rest - 8)
    else coder.tree(model, base + lengthAt.high, 8, rest - 16)
  }

  function match(position: number, distance: number, size: number): void {
    coder.bit(model, at.isRep + state, 0)
    length(at.length, position, size)
    state = afterMatch(state)
    reps.copyWithin(1, 0, 3)
    reps[0] = distance
    const slot = slotOf(distance)
    coder.tree(model, at.slot + Math.min(size - shortestMatch, 3) * 64, 6, slot)
    if (slot < 4) return
    const extra = (slot >> 1) - 1
    const base = (2 | (slot & 1)) << extra
    const rest = distance - base
    if (slot < 14) {
      coder.reverseTree(model, at.special + base - slot, extra, rest)
      return
    }
    coder.direct(rest >>> 4, extra - 4)
    coder.reverseTree(model, at.align, 4, rest & 15)
  }

  function repeated(position: number, index: number, size: number): void {
    coder.bit(model, at.isRep + state, 1)
    coder.bit(model, at.isRep0 + state, index === 0 ? 0 : 1)
    if (index === 0) coder.bit(model, at.isRep0Long + state * 16 + position, 1)
    else {
      coder.bit(model, at.isRep1 + state, index === 1 ? 0 : 1)
      if (index > 1) coder.bit(model, at.isRep2 + state, index - 2)
      const moved = reps[index] as number
      reps.copyWithin(1, 0, index)
      reps[0] = moved
    }
    length(at.repLength, position, size)
    state = afterRep(state)
  }

  /** The longest of the repeated matches, and which one it is. */
  function longestRep(data: Uint8Array, position: number, limit: number, first: number): [size: number, index: number] {
    let [best, which] = [0, 0]
    for (let index = 0; index < 4; index += 1) {
      const from = position - (reps[index] as number) - 1
      if (from < first) continue
      let size = 0
      while (size < limit && data[from + size] === data[position + size]) size += 1
      if (size > best) [best, which] = [size, index]
    }
    return [best, which]
  }

  return {
    resetState() {
      resetProbabilities(model)
      reps.fill(0)
      state = 0
    },
    encode(data, start, end, origin) {
      const first = Math.max(0, origin)
      let position = start
      /** What was found at this position when the one before was encoded. */
      let known: { size: number; distance: number } | undefined
      while (position < end && coder.size() < mostCoded - spareBytes) {
        const limit = Math.min(longestMatch, end - position)
        const aligned = (position - origin) & positionMask
        const [repSize, rep] = longestRep(data, position, limit, first)
        const found = known ?? findAt(position, limit)
        known = undefined
        const isRep = repSize >= 2 && isRepBetter(repSize, found)
        let takes = isRep ? repSize : isWorthwhile(found) ? found.size : 0
        if (!isRep && takes > 0 && takes < goodLength && limit > takes) {
          finder.enter(position + 1)
          const later = findAt(position + 1, Math.min(longestMatch, end - position - 1))
          if (isLaterBetter(found, later)) {
            known = later
            takes = 0
          }
        }
        coder.bit(model, at.isMatch + state * 16 + aligned, takes > 0 ? 1 : 0)
        if (takes === 0) {
          literal(data, position, first)
          takes = 1
        } else if (isRep) repeated(aligned, rep, repSize)
        else match(aligned, found.distance, found.size)
        position += takes
        finder.enter(position)
      }
      return { coded: coder.finish(), end: position }
    },
  }

  function findAt(position: number, limit: number): { size: number; distance: number } {
    const size = finder.find(position, limit)
    return { size, distance: finder.distance }
  }
}

/** Nothing better is looked for after a match of this length. */
const goodLength = 64

interface Found {
  size: number
  distance: number
}

/** A repeated distance costs little, a far one much. */
function isRepBetter(repSize: number, { size, distance }: Found): boolean {
  if (repSize + 1 >= size) return true
  return (repSize + 2 >= size && distance >= 512) || (repSize + 3 >= size && distance >= 32768)
}

function isWorthwhile({ size, distance }: Found): boolean {
  return size > 3 || (size === 3 && distance < 4096)
}

function isLaterBetter(now: Found, later: Found): boolean {
  if (later.size < shortestMatch) return false
  const isNearer = now.distance / 128 > later.distance
  if (later.size >= now.size && later.distance < now.distance) return true
  if (later.size === now.size + 1) return !(later.distance / 128 > now.distance)
  return later.size > now.size + 1 || (later.size + 1 >= now.size && now.size >= 3 && isNearer)
}

function slotOf(distance: number): number {
  if (distance < 4) return distance
  const high = 31 - Math.clz32(distance)
  return high * 2 + ((distance >>> (high - 1)) & 1)
}
