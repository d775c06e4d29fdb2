/**
 * Which pieces of a text may contain which needles. Of each needle some grams are looked for, all at once: sequences of so many units, folded
 * to 32 bits. Different ones may fold to the same bits, and a piece stays listed after its gram is gone: both only make more pieces possible.
 *
 * In a long text only every `stride`-th gram is looked up. So of a needle as many grams in a row are known: one of them is looked up.
 */
export const gramUnits = 8

/** A text that is scanned with a stride begins at a multiple of this: four units are read at once. */
export const longestStride = 4

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
  /** Undefined if it is not a needle. */
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
  const areLong = needles.every(({ length }) => length >= gramUnits + longestStride - 1)
  const stride = areLong && lowestFirst ? longestStride : 1
  /** By hash: the number of a gram, from 1. */
  const numbers = new Uint16Array(hashes)
  /** By number: the gram, the number of another one with the same hash, or 0, and the pieces that have it. */
  const grams = [0]
  const others = [0]
  const found: number[][] = [none]
  const placesOf = new Map<string, { at: number; grams: readonly number[] }[]>()

  for (const needle of needles) {
    if (found.length > mostGrams - placesPerNeedle * stride) break
    const last = needle.length - gramUnits - (stride - 1)
    const places = new Set(
      Array.from({ length: placesPerNeedle }, (_, place) => Math.floor((last * place) / (placesPerNeedle - 1))),
    )
    const { bytes } = shortUnits(needle)
    const gramsAt = (at: number) => Array.from({ length: stride }, (_, next) => numberOf(gramAt(bytes, at + next)))
    placesOf.set(
      needle,
      Array.from(places, (at) => ({ at, grams: gramsAt(at) })),
    )
  }

  /** By number: the piece that the gram was last found in. Most are found many times in a row. */
  const latest = new Int32Array(found.length).fill(-1)

  function numberOf(gram: number): number {
    const hash = hashOf(gram)
    const first = numbers[hash]!
    for (let number = first; number !== 0; number = others[number]!) if (grams[number] === gram) return number
    others.push(first)
    found.push(none)
    numbers[hash] = grams.push(gram) - 1
    return numbers[hash]!
  }

  /** Notes a gram of the text, if it is one with the number `first` or with the same hash. */
  function note(gram: number, first: number, piece: number): void {
    let number = first
    while (grams[number] !== gram) {
      number = others[number]!
      if (number === 0) return
    }
    if (latest[number] === piece) return
    latest[number] = piece
    const pieces = found[number]!
    if (pieces === none) found[number] = [piece]
    else pieces.push(piece)
  }

  function scan(text: string, from: number, piece: number): void {
    const { bytes } = shortUnits(text)
    let [before, last] = [0, 0]
    for (let at = Math.max(0, from - (gramUnits - 1)); at < text.length; at += 1) {
      before = (before >>> 8) | (last << 24)
      last = (last >>> 8) | (bytes[at]! << 24)
      if (at < from) continue
      const gram = gramOf(before, last)
      const number = numbers[hashOf(gram)]!
      if (number !== 0) note(gram, number, piece)
    }
  }

  function scanLong(text: string, from: number, piece: number): void {
    const { words } = shortUnits(text)
    const until = Math.floor(text.length / longestStride)
    const first = from / longestStride
    let before = first === 0 ? 0 : words[first - 1]!
    for (let at = first; at < until; at += 1) {
      const last = words[at]!
      const gram = gramOf(before, last)
      before = last
      const number = numbers[hashOf(gram)]!
      if (number !== 0) note(gram, number, piece)
    }
  }

  return {
    isEmpty: placesOf.size === 0,
    scan,
    scanLong: stride === longestStride ? scanLong : scan,
    piecesOf(find) {
      const places = placesOf.get(find)
      if (places === undefined) return undefined
      let best = places[0]!
      let fewest = Infinity
      for (const place of places) {
        let listed = 0
        for (const gram of place.grams) listed += found[gram]!.length
        if (listed < fewest) [best, fewest] = [place, listed]
      }
      const noted: number[] = []
      for (const gram of best.grams) noted.push(...found[gram]!)
      const pieces = noted.length < 2 ? noted : [...new Set(noted)].sort((a, b) => a - b)
      const least = best.at + gramUnits - 1
      return { pieces, shifts: [least, least + stride - 1] }
    },
  }
}

/** Most grams are found nowhere. */
const none: number[] = []

/** Eight units, from two words of four. */
function gramOf(before: number, last: number): number {
  return Math.imul(before, 0x85ebca6b) ^ last
}

function hashOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> 16
}

function gramAt(bytes: Uint8Array, from: number): number {
  return gramOf(wordAt(bytes, from), wordAt(bytes, from + 4))
}

function wordAt(bytes: Uint8Array, from: number): number {
  return bytes[from]! | (bytes[from + 1]! << 8) | (bytes[from + 2]! << 16) | (bytes[from + 3]! << 24)
}

/** Units in one byte each, which for ASCII are its bytes: a loop over them is three times as fast as one over a string. */
interface ShortUnits {
  bytes: Uint8Array
  /** Four at a time, the first one lowest. */
  words: Int32Array
}

/** As on all processors but a few. */
const lowestFirst = new Uint8Array(new Int32Array([1]).buffer)[0] === 1

const encoder = new TextEncoder()
let encoded = unitsFor(1 << 14)

function unitsFor(length: number): ShortUnits {
  const { buffer } = new Uint8Array(length)
  return { bytes: new Uint8Array(buffer), words: new Int32Array(buffer) }
}

/** Valid until the next call. */
function shortUnits(text: string): ShortUnits {
  if (encoded.bytes.length < text.length) encoded = unitsFor(8 * Math.ceil(text.length / 4))
  const { bytes } = encoded
  const { read, written } = encoder.encodeInto(text, bytes)
  if (read < text.length || written > read) {
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      bytes[at] = unit ^ (unit >> 8)
    }
  }
  return encoded
}
