/**
 * The text of an open file as the editor shows it, and the way back to bytes. The editor knows only one line ending, so this keeps those of
 * the file; encoding and byte-order mark stay too, and so does every byte that was not edited.
 */
import type { TextFormat } from '../../src/text/decode/detect.js'
import {
  type Encoded,
  encodeAs,
  encodeShown,
  openShown,
  type ShownText,
  showAs,
} from '../../src/text/decode/shown-text.js'
import {
  dominantEnding,
  endingsByLine,
  endingsOf,
  fitEndings,
  type LineEnding,
} from '../../src/text/lines/line-endings.js'
import { lineBreaks, lineTable } from '../../src/text/lines/lines.js'
import { replaceSpans, type Span } from '../../src/text/spans.js'

export interface FileText {
  bytes: Uint8Array
  /** With `\n` for every line ending: what the editor shows. */
  text: string
  shown: ShownText
  /** The ending of new lines where no neighbour has one. */
  ending: LineEnding
  /** Earlier versions whose bytes do not follow from their text, so that an undo in the editor gives back the same bytes. */
  earlier: readonly { text: string; bytes: Uint8Array }[]
}

/** The outcome of encoding: the new text, or why the edits can't be saved as they are. */
export type EncodedEdits =
  | { saved: FileText }
  /** The encoding does not have this character. */
  | { unencodable: string }
  /** The next reader would see another text, because the encoding is a guess. */
  | { readsAs: TextFormat | 'binary' }

const maxEarlier = 20

/** Undefined for a binary file. */
export function openFileText(bytes: Uint8Array): FileText | undefined {
  const shown = openShown(bytes)
  return shown && fileText(bytes, shown)
}

function fileText(bytes: Uint8Array, shown: ShownText, before?: FileText): FileText {
  const ending = dominantEnding(shown.text) ?? before?.ending ?? '\n'
  const earlier =
    before === undefined || followsFromText(before) ? (before?.earlier ?? []) : [...before.earlier, before]
  return { bytes, text: normalised(shown.text), shown, ending, earlier: earlier.slice(-maxEarlier) }
}

/** True when all line endings are the same and no byte is stray. */
function followsFromText({ shown }: FileText): boolean {
  return shown.format.hasStrayBytes === undefined && new Set(shown.text.match(lineBreaks())).size <= 1
}

function normalised(text: string): string {
  return text.includes('\r') ? text.replace(lineBreaks(), '\n') : text
}

/** Encodes a file after spans of the text that the editor shows were replaced. All bytes outside the spans stay. */
export function encodeEdits(file: FileText, edits: readonly Span[]): EncodedEdits {
  const { shown, bytes: before } = file
  const spans = edits.flatMap((edit) => trimmed(file.text, edit))
  const wanted = replaceSpans(file.text, spans)
  const known = [...file.earlier].reverse().find(({ text }) => text === wanted)
  if (known !== undefined) return { saved: fileText(known.bytes, showAs(known.bytes, shown.format), file) }
  // Half a character can't be encoded, and in UTF-8 it would stand for a stray byte.
  const half = spans.find(({ text }) => !text.isWellFormed())
  if (half !== undefined) return { unencodable: half.text }
  const bytes = encodeShown(shown, before, spansInFile(file, spans, wanted))
  return checked(file, bytes, wanted)
}

function checked(file: FileText, bytes: Encoded, wanted: string): EncodedEdits {
  if (!(bytes instanceof Uint8Array)) return bytes
  const reread = openShown(bytes)
  if (reread === undefined || normalised(reread.text) !== wanted) return { readsAs: reread?.format ?? 'binary' }
  // The encoding stays while the file is open, also when nothing in it shows any more which one it is.
  return { saved: fileText(bytes, showAs(bytes, file.shown.format), file) }
}

/** The same in UTF-8, for text that the file's own encoding does not have. Never fails. */
export function encodeAsUtf8(file: FileText, edits: readonly Span[]): FileText {
  const wanted = replaceSpans(file.text, edits).toWellFormed()
  const text = file.ending === '\n' ? wanted : wanted.replaceAll('\n', file.ending)
  const format: TextFormat = { encoding: 'utf-8', bom: file.shown.format.bom }
  const bytes = encodeAs(text, format)
  if (!(bytes instanceof Uint8Array)) throw new Error('UTF-8 has every character')
  return fileText(bytes, showAs(bytes, format), file)
}

/** The part of an edit that changes something; never half a surrogate pair. Nothing when the text is the same as before. */
function trimmed(text: string, { start, end, text: after }: Span): Span[] {
  const before = text.slice(start, end)
  if (before === after) return []
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head += 1
  if (head > 0 && isHigh(before, head - 1)) head -= 1
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  if (tail > 0 && isLow(before, before.length - tail)) tail -= 1
  return [{ start: start + head, end: end - tail, text: after.slice(head, after.length - tail) }]
}

function isHigh(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800
}

function isLow(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00
}

/** Spans of what the editor shows as spans of the file's own text, with the line endings that fit there. */
function spansInFile({ shown, ending }: FileText, spans: readonly Span[], wanted: string): Span[] {
  const { text } = shown
  if (!text.includes('\r') && ending === '\n') return [...spans]
  const slice = (start: number, end: number) => text.slice(start, end)
  const endings = endingsOf({ slice, linesOf: (counting) => lineTable(text, counting) }, {}, () => ending)
  const offset = offsetsInFile(text)
  const own = spans.map((span) => {
    const [start, end] = [offset(span.start), offset(span.end)]
    return { start, end, text: fitEndings(span.text, { slice, start, end, policy: 'neighbour', endings }) }
  })
  for (const candidate of [own, own.map((span, i) => parted(text, span, spans[i]!.text))]) {
    if (normalised(replaceSpans(text, candidate)) === wanted) return candidate
  }
  return [{ start: 0, end: text.length, text: endingsByLine(text, wanted) }]
}

/** The span with other line endings, if with its own a CR and an LF would become one: because nothing is left between them, or where the text begins or ends. */
function parted(text: string, span: Span, shown: string): Span {
  const left = text.slice(Math.max(0, span.start - 1), span.start)
  const right = text.slice(span.end, span.end + 1)
  if (normalised(left + span.text + right) === normalised(left) + shown + normalised(right)) return span
  if (shown === '') return { start: span.start - 1, end: span.end, text: '\r\n' }
  return { ...span, text: shown.replaceAll('\n', '\r\n') }
}

/** Converts ascending offsets: a CRLF is one character in the editor and two in the file. */
function offsetsInFile(text: string): (offset: number) => number {
  let added = 0
  let next = text.indexOf('\r\n')
  return (offset) => {
    while (next >= 0 && next < offset + added) {
      added += 1
      next = text.indexOf('\r\n', next + 2)
    }
    return offset + added
  }
}

/** Encoding and line endings, for the status line. */
export function describeFormat({ shown: { text, format } }: FileText): string {
  const names = { 'utf-8': 'UTF-8', 'utf-16le': 'UTF-16 LE', 'utf-16be': 'UTF-16 BE', 'windows-1252': 'Windows-1252' }
  const encoding = names[format.encoding]
  const notes = [
    format.bom && 'with byte-order mark',
    format.hasStrayBytes && 'with stray bytes',
    format.guess === 'unknown' && 'unknown encoding, shown as this one',
  ].filter(Boolean)
  const used = new Set(text.match(lineBreaks()))
  const [only = '\n'] = used
  const endings = used.size > 1 ? 'mixed line endings' : { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' }[only as LineEnding]
  return [encoding, ...notes, endings].join(' · ')
}
