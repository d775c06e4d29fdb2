/** Searches bytes with the processor's vector instructions, where WebAssembly has them. The source is `kernels.simd`. */
import type { Bytes } from '../../../fs/types.js'
import { rareBytes } from '../byte-frequency.js'
import { type ByteSequences, bytesAllowed } from '../byte-sequences.js'
import type { NeedleLines } from '../find-bytes.js'
import { code } from './code.js'

/** Works on its own memory only: bytes have to be copied into `buffer` to be searched. */
export interface Kernels {
  /** As large as requested. */
  readonly buffer: Uint8Array<ArrayBuffer>
  /** The first bytes of `buffer`. */
  view(length: number): Uint8Array<ArrayBuffer>
  holds(bytes: Bytes): boolean
  /** `haystack` must lie in `buffer`, here and below. With `folded`, the case of ASCII letters is ignored; the needle is in lower case. */
  find(haystack: Bytes, needle: Bytes, from: number, folded: boolean): number
  /**
   * The next lines that contain the needle: how many, and four numbers for each, see `lines` in the source. Offsets count from the start of
   * the haystack. Valid until the next call.
   */
  lines(haystack: Bytes, needle: Bytes, from: number, options: { folded: boolean; max: number }): NeedleLines
  /** How many lines contain the needle, with `isWord` as a whole word; -1 when bytes beside it are not ASCII. */
  countLines(haystack: Bytes, needle: Bytes, options: { folded: boolean; isWord: boolean }): number
  /** Where `collectLines` copies lines to. */
  readonly gathered: Uint8Array<ArrayBuffer>
  /**
   * Copies lines that contain the needle to `gathered`, while there is room, each without its line end and up to `units`. Continues at
   * `progress`, which it updates. Returns how many, or -1 when a line is not ASCII. With `isWord`, the needle begins and ends with characters of
   * words, and is found as a whole word.
   */
  collectLines(
    haystack: Bytes,
    needle: Bytes,
    progress: LineProgress,
    options: { folded: boolean; units: number; isWord: boolean },
  ): number
  /** Three numbers for each of those lines; see `collect` in the source. Valid until the next call. */
  readonly lineNumbers: Int32Array
  sequences(haystack: Bytes, sequences: ByteSequences, from: number): number
  /** The first offset of a byte before `until`; -1 for none. */
  place(haystack: Bytes, byte: number, until: number): number
  /** The first offset of a byte at or after `from`, and the last before `at`; -1 for none. */
  placeAfter(haystack: Bytes, byte: number, from: number): number
  placeBefore(haystack: Bytes, byte: number, at: number): number
  /** The first quote at or after `from`, inside a JSON string, that no backslash escapes; -1 for none. */
  closingQuote(json: Bytes, from: number): number
  isAscii(bytes: Bytes, from: number, until: number): boolean
  countBreaks(bytes: Bytes): { lineFeeds: number; hasReturns: boolean }
  /** These search the first bytes of `buffer` without a view of them. */
  hasNeedle(needle: Bytes, folded: boolean, length: number): boolean
  hasSequence(sequences: ByteSequences, length: number): boolean
  hasByte(byte: number, from: number, until: number): boolean
}

/** How far the lines of a haystack have been collected. */
export interface LineProgress {
  /** Where to continue, and the number of the line there. */
  from: number
  line: number
  /** The offset in `gathered` for the next copy. */
  at: number
  /** Bytes of text so far, as searches count them. */
  textBytes: number
}

/** The longest needle. */
export const maxNeedleBytes = 256
/** The most places that sequences may have. */
export const maxPlaces = 48

const needleSlots = 16
const needleSlotBytes = 2 * maxNeedleBytes
const sequenceSlots = 4
const tableBytes = 96
const sequenceSlotBytes = 12_544
const linesPerCall = 512

const sequencesAt = needleSlots * needleSlotBytes
const linesAt = sequencesAt + sequenceSlots * sequenceSlotBytes
const stateAt = linesAt + 16 * linesPerCall
/** Aligned to the processor's cache lines. The bytes before it are 0. */
const dataAt = stateAt + 64
/** May be read past the end; ignored. */
const padding = 64

interface Exports {
  breaks(from: number, end: number): number
  place(from: number, end: number, byte: number): number
  has(from: number, end: number, byte: number): number
  placeBefore(start: number, at: number, byte: number): number
  closingQuote(from: number, end: number): number
  ascii(from: number, end: number): number
  find(from: number, end: number, needle: number, mask: number, length: number, first: number, second: number): number
  lines(
    from: number,
    end: number,
    needle: number,
    mask: number,
    length: number,
    first: number,
    second: number,
    out: number,
    max: number,
  ): number
  countLines(
    from: number,
    end: number,
    needle: number,
    mask: number,
    length: number,
    first: number,
    second: number,
    word: number,
  ): number
  collect(
    state: number,
    end: number,
    needle: number,
    mask: number,
    length: number,
    first: number,
    second: number,
    units: number,
    numbers: number,
    max: number,
    roomEnd: number,
    word: number,
  ): number
  sequences(
    from: number,
    end: number,
    start: number,
    tables: number,
    places: number,
    before: number,
    count: number,
  ): number
}

/** Allows or forbids compiling vector code; allowed by default. A page's policy without `wasm-unsafe-eval` reports even the attempt. */
export function allowVectorCode(allowed: boolean): void {
  compiled = allowed ? undefined : 'impossible'
}

/** Undefined where WebAssembly or its vectors are missing, or a page's policy forbids it. */
export function createKernels(bytes: number, gatheredBytes = 0): Kernels | undefined {
  compiled ??= compile()
  if (compiled === 'impossible') return undefined
  const gatheredAt = dataAt + bytes + padding
  const memory = new WebAssembly.Memory({ initial: Math.ceil((gatheredAt + gatheredBytes) / 65_536) })
  // The module's exports are those of its source.
  const run = new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Exports
  const all = new Uint8Array(memory.buffer)
  const numbers = new Int32Array(memory.buffer, linesAt, 4 * linesPerCall)
  const state = new Int32Array(memory.buffer, stateAt, 4)
  const needles = new Map<Bytes, NeedleSlot>()
  /** Usually the same for every file. */
  let last: NeedleSlot | undefined
  const sequenceSlotsUsed = new Map<ByteSequences, number>()

  /** Copies a needle into the memory once, not for every file. */
  function slotOf(needle: Bytes, folded: boolean): NeedleSlot {
    if (last?.needle === needle && last.folded === folded) return last
    const known = needles.get(needle)
    if (known?.folded === folded) {
      last = known
      return known
    }
    if (needles.size >= needleSlots) needles.clear()
    const at = needles.size * needleSlotBytes
    const [first, second] = rareBytes(needle)
    all.set(needle, at)
    needle.forEach((byte, i) => {
      all[at + maxNeedleBytes + i] = folded && byte >= 0x61 && byte <= 0x7a ? 0x20 : 0
    })
    last = { needle, at, first, second, folded }
    needles.set(needle, last)
    return last
  }

  function sequenceSlotOf(sequences: ByteSequences): number {
    const known = sequenceSlotsUsed.get(sequences)
    if (known !== undefined) return known
    if (sequenceSlotsUsed.size >= sequenceSlots) sequenceSlotsUsed.clear()
    const at = sequencesAt + sequenceSlotsUsed.size * sequenceSlotBytes
    layOut(sequences, all.subarray(at, at + sequenceSlotBytes))
    sequenceSlotsUsed.set(sequences, at)
    return at
  }

  return {
    buffer: all.subarray(dataAt, dataAt + bytes),
    gathered: all.subarray(gatheredAt, gatheredAt + gatheredBytes),
    lineNumbers: numbers,
    collectLines({ byteOffset, byteLength }, needle, progress, { folded, units, isWord }) {
      const { at, first, second } = slotOf(needle, folded)
      const end = byteOffset + byteLength
      state[0] = byteOffset + progress.from
      state[1] = progress.line
      state[2] = gatheredAt + progress.at
      state[3] = progress.textBytes
      const mask = at + maxNeedleBytes
      // No line is longer than the buffer, and the kernel takes an integer.
      const most = Math.min(units, bytes)
      const roomEnd = gatheredAt + gatheredBytes
      const { length } = needle
      const lines = [linesAt, linesPerCall, roomEnd] as const
      const word = isWord ? wordStep(needle) : 0
      const count = run.collect(stateAt, end, at, mask, length, first, second, most, ...lines, word)
      if (count < 0) return -1
      progress.from = state[0]! - byteOffset
      progress.line = state[1]!
      progress.at = state[2]! - gatheredAt
      progress.textBytes = state[3]!
      return count
    },
    view: (length) => new Uint8Array(memory.buffer, dataAt, length),
    holds: (candidate) => candidate.buffer === memory.buffer,
    find(haystack, needle, from, folded) {
      const { at, first, second } = slotOf(needle, folded)
      const start = haystack.byteOffset
      const end = start + haystack.byteLength
      const found = run.find(start + from, end, at, at + maxNeedleBytes, needle.length, first, second)
      return found < 0 ? -1 : found - start
    },
    lines(haystack, needle, from, { folded, max }) {
      const { at, first, second } = slotOf(needle, folded)
      const start = haystack.byteOffset
      const mask = at + maxNeedleBytes
      const end = start + haystack.byteLength
      const { length } = needle
      const most = Math.min(max, linesPerCall)
      const count = run.lines(start + from, end, at, mask, length, first, second, linesAt, most)
      for (let i = 0; i < 4 * count; i += 4) {
        numbers[i + 1] = numbers[i + 1]! - start
        numbers[i + 2] = numbers[i + 2]! - start
        numbers[i + 3] = numbers[i + 3]! - start
      }
      return { count, numbers }
    },
    countLines({ byteOffset, byteLength }, needle, { folded, isWord }) {
      const { at, first, second } = slotOf(needle, folded)
      const end = byteOffset + byteLength
      const word = isWord ? wordStep(needle) : 0
      return run.countLines(byteOffset, end, at, at + maxNeedleBytes, needle.length, first, second, word)
    },
    sequences(haystack, sequences, from) {
      const at = sequenceSlotOf(sequences)
      const { before, places } = sequences
      const start = haystack.byteOffset
      const end = start + haystack.byteLength
      const found = run.sequences(start + from, end, start, at, at + tableBytes, before, places.length)
      return found < 0 ? -1 : found - start
    },
    place({ byteOffset, byteLength }, byte, until) {
      const found = run.place(byteOffset, byteOffset + Math.min(until, byteLength), byte)
      return found < 0 ? -1 : found - byteOffset
    },
    placeAfter({ byteOffset, byteLength }, byte, from) {
      const found = run.place(byteOffset + from, byteOffset + byteLength, byte)
      return found < 0 ? -1 : found - byteOffset
    },
    placeBefore({ byteOffset }, byte, at) {
      const found = run.placeBefore(byteOffset, byteOffset + at, byte)
      return found < 0 ? -1 : found - byteOffset
    },
    closingQuote({ byteOffset, byteLength }, from) {
      const found = run.closingQuote(byteOffset + from, byteOffset + byteLength)
      return found < 0 ? -1 : found - byteOffset
    },
    isAscii: ({ byteOffset }, from, until) => run.ascii(byteOffset + from, byteOffset + until) === 1,
    countBreaks({ byteOffset, byteLength }) {
      const counted = run.breaks(byteOffset, byteOffset + byteLength)
      return { lineFeeds: counted >>> 1, hasReturns: (counted & 1) === 1 }
    },
    hasNeedle(needle, folded, length) {
      const { at, first, second } = slotOf(needle, folded)
      return run.find(dataAt, dataAt + length, at, at + maxNeedleBytes, needle.length, first, second) >= 0
    },
    hasSequence(sequences, length) {
      const at = sequenceSlotOf(sequences)
      const { before, places } = sequences
      return run.sequences(dataAt, dataAt + length, dataAt, at, at + tableBytes, before, places.length) >= 0
    },
    hasByte: (byte, from, until) => run.has(dataAt + from, dataAt + until, byte) !== 0,
  }
}

/** No word begins within a needle that is all of one. */
function wordStep(needle: Bytes): number {
  return /^\w+$/.test(String.fromCharCode(...needle)) ? needle.length : 1
}

interface NeedleSlot {
  needle: Bytes
  at: number
  /** Offsets of the two rarest bytes. */
  first: number
  second: number
  folded: boolean
}

/** Six tables for the halves of the first three bytes to compare; then for each place the sequences that end before it, and those that allow each byte. */
function layOut({ before, places, all }: ByteSequences, slot: Uint8Array): void {
  slot.fill(0)
  for (let i = 0; i < 3; i += 1) {
    const place = places[before + i]
    for (let byte = 0; byte < 256; byte += 1) {
      const allowed = place === undefined ? all : bytesAllowed(place, byte)
      slot[32 * i + (byte & 15)]! |= allowed
      slot[32 * i + 16 + (byte >> 4)]! |= allowed
    }
  }
  places.forEach((place, i) => {
    const at = tableBytes + 257 * i
    slot[at] = place.beyond
    for (let byte = 0; byte < 256; byte += 1) slot[at + 1 + byte] = bytesAllowed(place, byte)
  })
}

/** One module for all instances: the engine optimises it with use. */
let compiled: WebAssembly.Module | 'impossible' | undefined

function compile(): WebAssembly.Module | 'impossible' {
  try {
    return new WebAssembly.Module(Uint8Array.from(atob(code), (character) => character.charCodeAt(0)))
  } catch (error) {
    if (!(error instanceof WebAssembly.CompileError || error instanceof ReferenceError)) throw error
    return 'impossible'
  }
}
