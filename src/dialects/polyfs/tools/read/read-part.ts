/** The part of one file that fits into the answer, and where it ends. */
import { FsError, isFsError } from '../../../../errors.js'
import { describeEntry } from '../../../../ops/describe-entry.js'
import { type ReadBytes, readBytes } from '../../../../ops/read-bytes.js'
import { readText } from '../../../../ops/read-text.js'
import { encodeBytes } from '../../../../text/decode/byte-encodings.js'
import { formatOfInvalid, type TextFormat } from '../../../../text/decode/detect.js'
import { showRange } from '../../../../text/decode/shown-text.js'
import { type LineTable, lineTable } from '../../../../text/lines/lines.js'
import type { Content } from '../../../../tools/dialect.js'
import type { CallContext, Workspace } from '../../../../workspace/workspace.js'
import { mediaOf, mimeTypeOf } from '../../binary-content.js'
import { formatNote } from '../../encodings.js'
import { shortHash } from '../../failure.js'
import { type OpenedFile, openFile, openFileSync, sampleFormat } from '../../open-file.js'
import type { Position } from '../../paging/cursor.js'
import { fittingEnd, maxSentBytes, sentBytes } from '../../paging/token-budget.js'
import { plural, size } from '../../print.js'

export interface Wanted {
  offset?: number
  limit?: number
  unit: 'lines' | 'bytes'
  format: 'numbered' | 'raw' | 'base64'
}

export interface Part {
  text: string
  media?: Content
  /** Where to continue; absent at the end of the requested part. */
  next?: Position
  /** Describes the part: `lines 1-20 of 80`. */
  label: string
  /** The end of the label: what a reader has to know of the text. */
  note?: string
  facts: Record<string, unknown>
}

export interface PartOptions {
  room: number
  /** Where an earlier part of the same file ended. */
  from?: Position | undefined
}

/** Reads the requested part of one file. `room` is what its text may take. */
export async function readPart(
  path: string,
  wanted: Wanted,
  options: PartOptions,
  workspace: Workspace,
  context: CallContext,
): Promise<Part> {
  if (isOfBytes(wanted)) return readByteRange(path, wanted, options, workspace, context)
  try {
    return partOf(await openFile({ path }, workspace, context), wanted, options)
  } catch (error) {
    if (!isFsError(error, 'TOO_LARGE')) throw error
    return readLargeFile(path, wanted, options, workspace, context)
  }
}

/** The same without a promise; undefined where that would block. */
export function readPartSync(
  path: string,
  wanted: Wanted,
  options: PartOptions,
  workspace: Workspace,
): Part | undefined {
  const file = isOfBytes(wanted) ? undefined : openFileSync({ path }, workspace)
  return file && partOf(file, wanted, options)
}

function isOfBytes({ unit, format }: Wanted): boolean {
  return unit === 'bytes' || format === 'base64'
}

function partOf(file: OpenedFile, wanted: Wanted, options: PartOptions): Part {
  if (file.text === undefined) return showBinary(file, options)
  return readLinesOf(file, file.text, wanted, options)
}

export function showBinary({ path, bytes, hash }: OpenedFile, { room }: PartOptions): Part {
  const media = mediaOf(path, bytes, room)
  const mimeType = mimeTypeOf(bytes)
  const what = `binary, ${mimeType}, ${size(bytes.length)}, hash ${shortHash(hash)}`
  const facts = { hash: shortHash(hash), bytes: bytes.length, mime_type: mimeType }
  if (media !== undefined) return { text: '', media, label: what, facts }
  return { text: '', label: `${what}; not shown: read it in pieces with format "base64"`, facts }
}

export function readLinesOf(
  file: OpenedFile,
  text: string,
  wanted: Wanted,
  { room, from }: PartOptions,
  lines = lineTable(text),
): Part {
  const hash = shortHash(file.hash)
  const count = lines.count
  const first = firstLine(file.path, wanted.offset, count)
  const last = Math.min(count, first + (wanted.limit ?? Infinity) - 1)
  const end = count === 0 ? 0 : lines.end(last)
  let start = count === 0 ? 0 : lines.start(first)
  if (from !== undefined) {
    const [seen, at] = from
    if (seen !== hash) throw new FsError('STALE', { path: file.path, expected: String(seen), actual: file.hash })
    start = Number(at)
  }
  const piece =
    wanted.format === 'raw' ? rawPiece(text, start, end, room) : numberedPiece(text, lines, start, end, room)
  const [firstShown, lastShown] = [lines.lineAt(start), lines.lineAt(Math.max(start, piece.end - 1))]
  const whole = start === 0 && piece.end === text.length
  const label = whole ? plural(count, 'line') : `lines ${firstShown}-${lastShown} of ${count}`
  const note = file.format ? formatNote(file.format) : ''
  return {
    text: piece.text,
    ...(piece.end < end && { next: [hash, piece.end] }),
    label: `${count === 0 ? 'empty file' : label}, hash ${hash}${note}`,
    note,
    facts: { hash, first_line: firstShown, last_line: lastShown, total_lines: count },
  }
}

function firstLine(path: string, offset = 1, lineCount: number): number {
  if (lineCount === 0) return 1
  const first = offset < 0 ? Math.max(1, lineCount + offset + 1) : offset
  if (first < 1 || first > lineCount) throw new FsError('LINE_OUT_OF_RANGE', { path, line: offset, lineCount })
  return first
}

interface Piece {
  text: string
  /** Offset of its end in the text of the file. */
  end: number
}

/** Exactly the characters of the file, cut at the end of a line if a whole one fits. */
function rawPiece(text: string, start: number, end: number, room: number): Piece {
  const fits = fittingEnd(text, { start, end, room })
  const lineEnd = fits < end ? text.lastIndexOf('\n', fits - 1) + 1 : fits
  const cut = lineEnd > start ? lineEnd : fits
  return { text: text.slice(start, cut), end: cut }
}

/** Rows of `number⇥line`. A line that is longer than a page continues in the next one, under the same number. */
function numberedPiece(text: string, lines: LineTable, start: number, end: number, room: number): Piece {
  const rows: string[] = []
  const last = start < end ? lines.lineAt(end - 1) : 0
  const prefixes = (last - lines.lineAt(start) + 1) * (String(last).length + 4)
  const fits = maxSentBytes(end - start) + prefixes <= room
  let left = room
  let at = start
  while (at < end) {
    const line = lines.lineAt(at)
    const prefix = `${line}\t`
    const contentEnd = Math.max(at, lines.contentEnd(line))
    // A tab and a line end take two bytes each.
    const cost = fits ? 0 : prefix.length + 3 + sentBytes(text.slice(at, contentEnd))
    if (cost <= left) {
      rows.push(prefix + text.slice(at, contentEnd))
      left -= cost
      at = lines.end(line)
      continue
    }
    if (rows.length > 0) break
    const cut = fittingEnd(text, { start: at, end: contentEnd, room: left - prefix.length - 3 })
    rows.push(prefix + text.slice(at, cut))
    at = cut
    break
  }
  return { text: rows.join('\n'), end: at }
}

/** Reads a file that is too large to be held: whole lines only, by number. */
export async function readLargeFile(
  path: string,
  wanted: Wanted,
  { room, from }: PartOptions,
  workspace: Workspace,
  context: CallContext,
): Promise<Part> {
  const state = await stateOf(path, workspace, context, from)
  const startLine = from === undefined ? (wanted.offset ?? 1) : Number(from[1])
  const shownBefore = from === undefined ? 0 : Number(from[2])
  const left = (wanted.limit ?? Infinity) - shownBefore
  const read = await workspace.run(
    readText,
    { path, startLine, maxLines: Math.max(1, Math.min(left, Math.floor(room / 3))), detectEncoding: true },
    context,
  )
  const rows: string[] = []
  let used = 0
  for (const [index, line] of read.lines.entries()) {
    const row = wanted.format === 'raw' ? line : `${read.firstLine + index}\t${line}`
    const cost = sentBytes(row) + 2
    if (used + cost > room) {
      if (rows.length === 0)
        rows.push(`${row.slice(0, fittingEnd(row, { start: 0, end: row.length, room: room - 8 }))}…`)
      break
    }
    rows.push(row)
    used += cost
  }
  const last = read.firstLine + rows.length - 1
  const shownLines = shownBefore + rows.length
  const note = read.format ? formatNote(read.format, 'large') : ''
  const more = (rows.length < read.lines.length || read.more) && shownLines < (wanted.limit ?? Infinity)
  return {
    text: rows.join('\n'),
    ...(more && { next: [state, last + 1, shownLines] }),
    label: `lines ${read.firstLine}-${last} of a file too large for a hash${note}`,
    note,
    facts: {
      first_line: read.firstLine,
      last_line: last,
      ...(read.lineCount !== undefined && { total_lines: read.lineCount }),
    },
  }
}

async function readByteRange(
  path: string,
  { offset = 0, limit = Infinity, format }: Wanted,
  { room, from }: PartOptions,
  workspace: Workspace,
  context: CallContext,
): Promise<Part> {
  const state = await stateOf(path, workspace, context, from)
  const shownBefore = from === undefined ? 0 : Number(from[2])
  const most = format === 'base64' ? Math.floor(room / 4) * 3 : room
  const count = Math.max(0, Math.min(limit - shownBefore, most))
  const start = from === undefined ? offset : Number(from[1])
  const read = await workspace.run(readBytes, { path, start, count }, context)
  const piece = format === 'base64' ? asBase64(read.bytes) : await asText({ ...read, path }, room, workspace, context)
  const end = read.start + piece.taken
  const done = shownBefore + piece.taken
  // The rest of the limit may be less than one character.
  const least = format === 'base64' ? 1 : 4
  const more = end < read.size && limit - done >= least && piece.taken > 0
  return {
    text: piece.text,
    ...(more && { next: [state, end, done] }),
    label: `bytes ${read.start}-${end} of ${read.size}${piece.note}`,
    facts: { first_byte: read.start, end_byte: end, bytes: read.size },
  }
}

interface ByteText {
  text: string
  /** How many bytes it covers, skipped ones included. */
  taken: number
  /** To be put behind other facts. */
  note: string
}

function asBase64(bytes: Uint8Array): ByteText {
  return { text: encodeBytes(bytes, 'base64'), taken: bytes.length, note: '' }
}

/** Whole characters; bytes at the start that belong to an earlier one are skipped. The encoding is that of the beginning of the file. */
async function asText(
  { path, bytes, start, size: whole }: ReadBytes,
  room: number,
  workspace: Workspace,
  context: CallContext,
): Promise<ByteText> {
  const sampled = await sampleFormat(path, workspace, context)
  const { bytes: before } =
    start === 0
      ? { bytes: new Uint8Array() }
      : await workspace.run(readBytes, { path, start: Math.max(0, start - 3), count: Math.min(3, start) }, context)
  const place = { before, last: start + bytes.length >= whole, offset: start }
  const known: TextFormat = sampled === 'binary' ? { encoding: 'utf-8', bom: false } : sampled
  const own = showRange(bytes, { ...known, ...place })
  if (own.hasStrayBytes && sampled === 'binary') throw new FsError('BINARY', { path })
  const format = own.hasStrayBytes ? formatOfPart(bytes, known) : known
  const range = format.encoding === known.encoding ? own : showRange(bytes, { ...format, ...place })
  const text = range.text.slice(0, fittingEnd(range.text, { start: 0, end: range.text.length, room }))
  return { text, taken: range.start + range.lengthOf(text), note: formatNote(format) }
}

/** The beginning of a file may be plain ASCII, which says nothing about a part with bytes that are not UTF-8. */
function formatOfPart(bytes: Uint8Array, known: TextFormat): TextFormat {
  const own = known.hasStrayBytes ? known : formatOfInvalid(bytes)
  return own === 'binary' ? { ...known, hasStrayBytes: true } : own
}

/** A fingerprint in place of the hash, for a file that is not read whole. */
export async function stateOf(
  path: string,
  workspace: Workspace,
  context: CallContext,
  from: Position | undefined,
): Promise<string> {
  const { path: at, size: bytes, modifiedMs = 0 } = await workspace.run(describeEntry, { path }, context)
  const state = `${bytes}-${modifiedMs}`
  if (from !== undefined && from[0] !== state) {
    throw new FsError('STALE', { path: at, expected: String(from[0]), actual: state })
  }
  return state
}
