/**
 * Text as tools show it and take it back. Every file that is not binary has such a text; it has no placeholder characters, and encoding it
 * again returns the same bytes.
 */
import { matchSequences } from '../diff/match-sequences.js'
import { replaceSpans, type Span } from '../spans.js'
import { type Encoding, looksBinary, sniffEncoding } from './decode.js'
import { binaryWindow, formatOfInvalid, type TextEncoding, type TextFormat, unmarkedUtf16 } from './detect.js'
import { encodeReplaced, encodeText, openAs, openText, openValidUtf8, type TextDocument } from './document.js'
import { decodeWindows1252, encodeWindows1252, windows1252Unit } from './windows-1252.js'

export interface ShownText {
  /** Without the byte-order mark. */
  text: string
  format: TextFormat
  /** Absent in Windows-1252. With stray bytes its text differs, but has the same length, and offsets are the same. */
  document?: TextDocument
}

/** Opens the bytes of a file; undefined if it is binary. See `detectFormat`. */
export function openShown(bytes: Uint8Array): ShownText | undefined {
  const marked = sniffEncoding(bytes)
  if (marked.encoding === 'utf-8') {
    if (looksBinary(bytes, binaryWindow)) {
      const wide = marked.bom ? undefined : unmarkedUtf16(bytes)
      return wide && showAs(bytes, wide)
    }
    const document = openValidUtf8(bytes, marked.bom)
    if (document !== undefined) return { text: document.text, format: marked, document }
  }
  const format = marked.encoding === 'utf-8' ? formatOfInvalid(bytes) : marked
  return format === 'binary' ? undefined : showAs(bytes, format)
}

/** The text of bytes in a known format, such as those of a part of a file. */
export function showAs(bytes: Uint8Array, format: TextFormat): ShownText {
  const { encoding, bom } = format
  if (encoding === 'windows-1252') return { text: decodeWindows1252(bytes), format }
  const document = openAs(bytes, { encoding, bom })
  return { text: encoding === 'utf-8' ? showStrays(document.text) : document.text, format, document }
}

/** Each stray byte, which `openText` escapes as a lone surrogate, as its Windows-1252 character. */
function showStrays(escaped: string): string {
  if (escaped.isWellFormed()) return escaped
  return escaped.replace(strayByte, (unit) => String.fromCharCode(windows1252Unit(unit.charCodeAt(0) - 0xdc00)))
}

/** Only lone surrogates: with the flag `u` those of pairs do not match. */
const strayByte = /[\udc80-\udcff]/gu

export type Encoded = Uint8Array | { unencodable: string }

/**
 * Encodes a text after spans of it were replaced; `bytes` are those before. All bytes outside the spans stay. In UTF-8 with stray bytes, a
 * character that a span leaves as it is keeps its byte, and a new one is UTF-8. Names the first character that the encoding does not have.
 */
export function encodeShown(shown: ShownText, bytes: Uint8Array, spans: readonly Span[]): Encoded {
  const { text, document } = shown
  if (document === undefined) return encodeWindows1252(replaceSpans(text, spans))
  if (document.text === text) return encodeReplaced(document, bytes, spans)
  const kept = spans.map((span) => ({ ...span, text: keepStrays(shown, document, span) }))
  return encodeText({ ...document, text: replaceSpans(document.text, kept) })
}

/** The new text of a span, with the stray bytes that it leaves as they are. Whole words are compared first, then what is left between them. */
function keepStrays({ text }: ShownText, { text: escaped }: TextDocument, { start, end, text: after }: Span): string {
  const [before, was] = [text.slice(start, end), escaped.slice(start, end)]
  if (before === was) return after
  const [oldWords, newWords] = [before.match(words) ?? [], after.match(words) ?? []]
  const kept: string[] = []
  let at = 0
  for (const { old, now, same } of gapsBetween(oldWords, newWords)) {
    const from = at + old.length
    at = from + same.length
    kept.push(keepUnits(old, was.slice(from - old.length, from), now), was.slice(from, at))
  }
  return kept.join('')
}

const words = /[\p{L}\p{N}_]+|\s+|./gsu

/** What is not the same in two lists of words, each time with the words after it that are. */
function* gapsBetween(oldWords: readonly string[], newWords: readonly string[]) {
  const { oldMatched, newMatched } = matchSequences(oldWords, newWords)
  for (let [x, y] = [0, 0]; x < oldWords.length || y < newWords.length; ) {
    const gap = { old: '', now: '', same: '' }
    for (; x < oldWords.length && oldMatched[x] !== 1; x += 1) gap.old += oldWords[x]
    for (; y < newWords.length && newMatched[y] !== 1; y += 1) gap.now += newWords[y]
    for (; x < oldWords.length && oldMatched[x] === 1 && newMatched[y] === 1; x += 1, y += 1) gap.same += oldWords[x]
    yield gap
  }
}

function keepUnits(before: string, was: string, after: string): string {
  if (before === was) return after
  const [oldUnits, newUnits] = [before.split(''), after.split('')]
  const { oldMatched, newMatched } = matchSequences(oldUnits, newUnits)
  let old = -1
  return newUnits
    .map((unit, at) => {
      if (newMatched[at] !== 1) return unit
      do old += 1
      while (oldMatched[old] !== 1)
      return was[old]
    })
    .join('')
}

/** Encodes a whole text. */
export function encodeAs(text: string, { encoding, bom }: { encoding: TextEncoding; bom: boolean }): Encoded {
  return encoding === 'windows-1252' ? encodeWindows1252(text) : encodeText({ text, encoding, bom })
}

/** A line or another part of a file, in a known encoding; UTF-8 may have stray bytes. */
export function showPart(bytes: Uint8Array, encoding: TextEncoding): { text: string; hasStrayBytes: boolean } {
  const { text, document } = showAs(bytes, { encoding, bom: false })
  return { text, hasStrayBytes: document !== undefined && document.text !== text }
}

/** The parts of a range of a file that are whole characters. */
export interface ShownRange {
  text: string
  /** The offset of the first shown byte in the range. */
  start: number
  hasStrayBytes: boolean
  /** How many bytes a prefix of the text has. */
  lengthOf(prefix: string): number
}

/**
 * Shows a range of a file of this encoding. `before` are up to three bytes before it, which tell whether it begins within a character; `last`
 * says whether it ends with the file.
 */
export function showRange(
  bytes: Uint8Array,
  { encoding, before, last, offset }: { encoding: TextEncoding; before: Uint8Array; last: boolean; offset: number },
): ShownRange {
  if (encoding === 'windows-1252') {
    const text = decodeWindows1252(bytes)
    return { text, start: 0, hasStrayBytes: false, lengthOf: (prefix) => prefix.length }
  }
  if (encoding !== 'utf-8') return showWideRange(bytes, encoding, offset, last)
  const start = restOfCharacter(before, bytes)
  const end = last ? bytes.length : wholeEnd(bytes, start)
  const { text: escaped } = openAs(bytes.subarray(start, end), { encoding, bom: false })
  const text = showStrays(escaped)
  const lengthOf = (prefix: string) =>
    encodeText({ text: escaped.slice(0, prefix.length), encoding, bom: false }).length
  return { text, start, hasStrayBytes: text !== escaped, lengthOf }
}

function showWideRange(bytes: Uint8Array, encoding: Encoding, offset: number, last: boolean): ShownRange {
  const aligned = offset % 2
  const { text: units } = openAs(bytes.subarray(aligned), { encoding, bom: false })
  const isInside = offset > 0 && /^[\udc00-\udfff]/.test(units)
  const start = aligned + (isInside ? 2 : 0)
  const text = isInside ? units.slice(1) : units
  const isSplit = !last && /[\ud800-\udbff]$/.test(text)
  const whole = isSplit ? text.slice(0, -1) : text
  return { text: whole, start, hasStrayBytes: false, lengthOf: (prefix) => 2 * prefix.length }
}

/** How many bytes at the start belong to a character that begins before. */
function restOfCharacter(before: Uint8Array, bytes: Uint8Array): number {
  for (let back = 1; back <= before.length; back += 1) {
    const lead = before.at(-back) as number
    if ((lead & 0xc0) === 0x80) continue
    const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1
    const rest = size - back
    if (rest <= 0) return 0
    const character = Uint8Array.of(...before.subarray(before.length - back), ...bytes.subarray(0, rest))
    return openText(character).text.isWellFormed() && character.length === size ? rest : 0
  }
  return 0
}

/** Where the last character ends that is not cut off. */
function wholeEnd(bytes: Uint8Array, start: number): number {
  for (let back = 1; back <= 3 && bytes.length - back >= start; back += 1) {
    const lead = bytes.at(-back) as number
    if ((lead & 0xc0) === 0x80) continue
    const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1
    return size > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
