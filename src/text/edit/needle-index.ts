/**
 * Which pieces of a text may contain which needles. Of each needle some grams are looked for, all at once: sequences of so many units, by a
 * hash of them. Different grams may have one hash, and a piece stays listed after its gram is gone: both only make more pieces possible.
 */
export const gramUnits = 8

/** Each unit is shifted out of the 32 bits by the 8 units after it. */
const shiftPerUnit = 4
const hashes = 1 << 16

/** Of a needle, grams in so many places are looked for, and the one in the fewest pieces is used: the beginnings of needles are often the same. */
const gramsPerNeedle = 4
const mostGrams = 0xffff

export interface NeedleIndex {
  /** No needle is long enough. */
  readonly isEmpty: boolean
  /** Notes the grams of `text` that end from `from` on, as grams of this piece. */
  scan(text: string, from: number, piece: number): void
  /** The pieces in which the end of a gram of `find` is, in order, and how far before that `find` begins; undefined if it is no needle. */
  piecesOf(find: string): { pieces: readonly number[]; shift: number } | undefined
}

export function needleIndex(needles: readonly string[]): NeedleIndex {
  /** By hash: the number of the gram, from 1. */
  const numbers = new Uint16Array(hashes)
  const found: Set<number>[] = []
  const gramsOf = new Map<string, { gram: number; shift: number }[]>()

  for (const needle of new Set(needles)) {
    if (needle.length < gramUnits || found.length > mostGrams - gramsPerNeedle) continue
    const last = needle.length - gramUnits
    const places = new Set(
      Array.from({ length: gramsPerNeedle }, (_, at) => Math.floor((last * at) / (gramsPerNeedle - 1))),
    )
    gramsOf.set(
      needle,
      [...places].map((at) => ({ gram: numberOf(hashAt(needle, at)), shift: at + gramUnits - 1 })),
    )
  }

  /** By number of the gram: the piece that it was last found in. Most are found many times in a row. */
  const latest = new Int32Array(found.length + 1).fill(-1)

  function numberOf(hash: number): number {
    if (numbers[hash] === 0) numbers[hash] = found.push(new Set())
    return numbers[hash]! - 1
  }

  return {
    isEmpty: found.length === 0,
    scan(text, from, piece) {
      const units = unitsOf(text)
      let last = 0
      for (let at = Math.max(0, from - (gramUnits - 1)); at < from; at += 1) last = following(last, units[at]!)
      for (let at = from; at < text.length; at += 1) {
        last = following(last, units[at]!)
        const number = numbers[hashOf(last)]!
        if (number === 0 || latest[number] === piece) continue
        latest[number] = piece
        found[number - 1]!.add(piece)
      }
    },
    piecesOf(find) {
      const grams = gramsOf.get(find)
      if (grams === undefined) return undefined
      const { gram, shift } = grams.reduce((best, one) => (found[one.gram]!.size < found[best.gram]!.size ? one : best))
      return { pieces: [...found[gram]!].sort((a, b) => a - b), shift }
    },
  }
}

/** The last units, with one more. */
function following(last: number, unit: number): number {
  return (last << shiftPerUnit) ^ unit
}

function hashOf(last: number): number {
  return Math.imul(last, 0x9e3779b1) >>> 16
}

function hashAt(text: string, from: number): number {
  let last = 0
  for (let at = from; at < from + gramUnits; at += 1) last = following(last, text.charCodeAt(at))
  return hashOf(last)
}

const encoder = new TextEncoder()
let encoded = new Uint8Array(1 << 14)

/** The units of a text, valid until the next call. The bytes of ASCII are, and a loop over them is three times as fast as one over a string. */
function unitsOf(text: string): Uint8Array | Uint16Array {
  if (encoded.length < text.length) encoded = new Uint8Array(2 * text.length)
  const { read, written } = encoder.encodeInto(text, encoded)
  if (read === text.length && written === read) return encoded
  const units = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at)
  return units
}
