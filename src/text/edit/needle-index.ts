/**
 * Which pieces of a text may contain which needles. Of each needle some grams are looked for, all at once: sequences of so many units, by a
 * hash of them. Different grams may have one hash, and a piece stays listed after its gram is gone: both only make more pieces possible.
 *
 * In a long text only every `stride`-th gram is looked up. So of a needle as many grams in a row are known: one of them is looked up.
 */
export const gramUnits = 8

/** A text that is scanned with a stride begins at a multiple of this. The loop of `scanLong` is written out for it. */
export const longestStride = 4

/** Each unit is shifted out of the 32 bits by the 8 units after it. */
const shiftPerUnit = 4
const hashes = 1 << 16

/** Grams in so many places of a needle are looked for, and the place in the fewest pieces is used: the beginnings of needles are often the same. */
const placesPerNeedle = 4
const mostGrams = 0xffff

export interface NeedleIndex {
  /** No needle is long enough. */
  readonly isEmpty: boolean
  /** Notes the grams of `text` that end from `from` on, as grams of this piece. */
  scan(text: string, from: number, piece: number): void
  /** The same for a piece of a long text, of which one in `stride` grams is enough. `text` and `from` begin at multiples of `longestStride` in that text. */
  scanLong(text: string, from: number, piece: number): void
  /** Undefined if it is no needle. */
  piecesOf(find: string): NeedlePieces | undefined
}

export interface NeedlePieces {
  /** In order. A gram of the needle ends in each of them. */
  pieces: readonly number[]
  /** How far before that the needle begins, at least and at most. */
  shifts: readonly [least: number, most: number]
}

export function needleIndex(given: readonly string[]): NeedleIndex {
  const needles = [...new Set(given)].filter(({ length }) => length >= gramUnits)
  const stride = needles.every(({ length }) => length >= gramUnits + longestStride - 1) ? longestStride : 1
  /** By hash: the number of the gram, from 1. */
  const numbers = new Uint16Array(hashes)
  const found: Set<number>[] = []
  const placesOf = new Map<string, { at: number; grams: readonly number[] }[]>()

  for (const needle of needles) {
    if (found.length > mostGrams - placesPerNeedle * stride) break
    const last = needle.length - gramUnits - (stride - 1)
    const places = new Set(
      Array.from({ length: placesPerNeedle }, (_, place) => Math.floor((last * place) / (placesPerNeedle - 1))),
    )
    const gramsAt = (at: number) => Array.from({ length: stride }, (_, next) => numberOf(hashAt(needle, at + next)))
    placesOf.set(
      needle,
      [...places].map((at) => ({ at, grams: gramsAt(at) })),
    )
  }

  /** By number of the gram: the piece that it was last found in. Most are found many times in a row. */
  const latest = new Int32Array(found.length + 1).fill(-1)

  function numberOf(hash: number): number {
    if (numbers[hash] === 0) numbers[hash] = found.push(new Set())
    return numbers[hash]! - 1
  }

  function note(number: number, piece: number): void {
    if (latest[number] === piece) return
    latest[number] = piece
    found[number - 1]!.add(piece)
  }

  function scan(text: string, from: number, piece: number): void {
    const units = unitsOf(text)
    let last = 0
    for (let at = Math.max(0, from - (gramUnits - 1)); at < from; at += 1) last = following(last, units[at]!)
    for (let at = from; at < text.length; at += 1) {
      last = following(last, units[at]!)
      const number = numbers[hashOf(last)]!
      if (number !== 0) note(number, piece)
    }
  }

  function scanLong(text: string, from: number, piece: number): void {
    const units = unitsOf(text)
    let last = 0
    for (let at = Math.max(0, from - longestStride); at < from; at += 1) last = following(last, units[at]!)
    for (let at = from + longestStride - 1; at < text.length; at += longestStride) {
      last = following(following(last, units[at - 3]!), units[at - 2]!)
      last = following(following(last, units[at - 1]!), units[at]!)
      const number = numbers[hashOf(last)]!
      if (number !== 0) note(number, piece)
    }
  }

  return {
    isEmpty: found.length === 0,
    scan,
    scanLong: stride === longestStride ? scanLong : scan,
    piecesOf(find) {
      const places = placesOf.get(find)
      if (places === undefined) return undefined
      const listed = ({ grams }: (typeof places)[0]) => grams.reduce((sum, gram) => sum + found[gram]!.size, 0)
      const { at, grams } = places.reduce((best, place) => (listed(place) < listed(best) ? place : best))
      const pieces = new Set(grams.flatMap((gram) => [...found[gram]!]))
      const least = at + gramUnits - 1
      return { pieces: [...pieces].sort((a, b) => a - b), shifts: [least, least + stride - 1] }
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
