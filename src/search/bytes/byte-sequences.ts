/** Finds one of several sequences of byte sets: the prefilter of patterns without literals. */
import type { Bytes } from '../../fs/types.js'
import { likelihood } from './byte-frequency.js'

/** One number for each of the 256 bytes, not 0 for those in the set. */
export type ByteSet = Uint8Array

/** Up to eight sequences, aligned so that their rarest parts begin at the same place. Each sequence is one bit. */
export interface ByteSequences {
  readonly places: readonly Place[]
  /** Places before the one where the rarest part begins. */
  readonly before: number
  /** The bits of all sequences. */
  readonly all: number
}

interface Place {
  /** By byte: the sequences that allow it here. */
  readonly allowed: Uint8Array
  /** The sequences that do not extend to this place. */
  readonly beyond: number
}

/** The most sequences that one search can find. */
export const maxSequences = 8
const window = 3
const maxReach = 24

/** The sequences that remain possible with a byte at a place. */
export function bytesAllowed({ allowed, beyond }: Place, byte: number): number {
  return allowed[byte]! | beyond
}

/** At most `maxSequences`, none of them empty. */
export function byteSequences(sequences: readonly (readonly ByteSet[])[]): ByteSequences {
  const starts = sequences.map(rarestWindow)
  const before = Math.min(maxReach, Math.max(...starts))
  const after = Math.min(maxReach, Math.max(...sequences.map((sequence, i) => sequence.length - starts[i]!)))
  const all = (1 << sequences.length) - 1
  const places = Array.from({ length: before + after }, (_, i): Place => {
    const allowed = new Uint8Array(256)
    let beyond = 0
    sequences.forEach((sequence, bit) => {
      const set = sequence[starts[bit]! + i - before]
      if (set === undefined) beyond |= 1 << bit
      else for (let byte = 0; byte < 256; byte += 1) if (set[byte] !== 0) allowed[byte]! |= 1 << bit
    })
    return { allowed, beyond }
  })
  return { places, before, all }
}

/** The probability of a sequence at any place of a source text. */
export function chanceOf(sequence: readonly ByteSet[]): number {
  return sequence.reduce((chance, set) => chance * chanceOfByte(set), 1)
}

/** The offset of the rarest part of the first sequence found at or after `from`; -1 for none. */
export function findSequences(haystack: Bytes, { places, before, all }: ByteSequences, from: number): number {
  const first = places[before]!.allowed
  const beyondFirst = places[before]!.beyond
  next: for (let at = from; at < haystack.length; at += 1) {
    let possible = (first[haystack[at]!]! | beyondFirst) & all
    if (possible === 0) continue
    const start = at - before
    for (let i = 0; i < places.length; i += 1) {
      const { allowed, beyond } = places[i]!
      const byte = haystack[start + i]
      possible &= byte === undefined ? beyond : allowed[byte]! | beyond
      if (possible === 0) continue next
    }
    return at
  }
  return -1
}

function rarestWindow(sequence: readonly ByteSet[]): number {
  const chances = sequence.map(chanceOfByte)
  const chanceAt = (at: number, length: number) => chances.slice(at, at + length).reduce((all, one) => all * one, 1)
  let best = 0
  let least = Infinity
  for (let at = 0; at + Math.min(window, sequence.length) <= sequence.length; at += 1) {
    // Two bytes are compared first, the third only if they match, and all others after that.
    const cost = chanceAt(at, window - 1) + 5 * chanceAt(at, window)
    if (cost < least) [best, least] = [at, cost]
  }
  return best
}

function chanceOfByte(set: ByteSet): number {
  let chance = 0
  for (let byte = 0; byte < 256; byte += 1) if (set[byte] !== 0) chance += likelihood(byte)
  return Math.min(1, chance)
}
