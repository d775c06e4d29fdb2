/** Reads lines of a file by number, without reading more than needed or holding more than a chunk. */

import { type Encoding, markLength, sniffEncoding } from '../decode/decode.js'
import { type BreakCount, countBreaks } from './count-line-breaks.js'
import { type LineCounting, lastAtMost } from './lines.js'

/** The source of lines: an open file, or anything else that returns ranges of bytes. */
export interface LineSource {
  readonly size: number
  read(range: { start: number; end: number }): Promise<Uint8Array>
  /** Reads and counts line breaks in one step, where that is faster. The bytes are valid until the next call. */
  readCounted?(range: { start: number; end: number }): Promise<{ bytes: Uint8Array } & BreakCount>
}

export interface ReadLinesOptions {
  /** From 1. A negative number counts from the end, -1 is the last line; never before the first line. */
  start: number
  count: number
  /** Longer lines are cut, never within a character. */
  maxLineBytes: number
  /** Stop before the line that would exceed so many bytes in total; one line is always returned. Default: no limit. */
  maxBytes?: number
  /**
   * `maxBytes` is a range of the file, line breaks included: it starts at the first line, and the line at its end is cut. If lines are
   * counted from the end of the file, it ends there, and the lines are those that begin in it.
   */
  stretch?: boolean
  /** Read to the end to count all lines. Default false. */
  countLines?: boolean
  /** An index of the same file, which is used and extended. */
  index?: LineIndex
  /** Decodes a line, for encodings of one byte per character; a byte-order mark is then not special, unless the format is given. */
  decode?: (bytes: Uint8Array) => string
  /** Default: by the byte-order mark. */
  format?: { encoding: Encoding; bom: boolean }
  /** As in `LineCounting`. */
  breaks?: LineBreaks
}

type LineBreaks = NonNullable<LineCounting['breaks']>

export interface ReadLine {
  text: string
  /** The line was cut. */
  truncated: boolean
}

export interface LinesRead {
  encoding: Encoding
  bom: boolean
  lines: ReadLine[]
  /** The number of the first line; absent when it was counted from the end and the total is not known. */
  firstLine?: number
  /** The total number of lines, if known. */
  lineCount?: number
  /** There are more lines. */
  more: boolean
}

/** Offsets of some lines of a file. Valid only as long as the file does not change. */
export interface LineIndex {
  /** Line numbers, ascending, and the offsets of these lines. */
  readonly lines: number[]
  readonly offsets: number[]
  lineCount?: number
}

export function createLineIndex(): LineIndex {
  return { lines: [], offsets: [] }
}

/** Bytes per read, and the least distance between two entries of an index. */
export const chunkBytes = 256 * 1024

/** Reads `count` lines from `start` on. Past the end there are none, and `lineCount` is the number of lines. */
export async function readLines(source: LineSource, options: ReadLinesOptions): Promise<LinesRead> {
  const { start, countLines = false, index = createLineIndex(), decode, format, breaks = 'any' } = options
  const { stretch = false, maxBytes = Infinity } = options
  const head = format ?? (decode ? unmarked : await sniffSource(source))
  const file: OpenFile = { source, index, body: markLength(head), breaks, ...head }
  if (countLines && index.lineCount === undefined) await seek(file, Infinity)

  const begin = await beginning(file, start, stretch ? source.size - maxBytes : 0)
  const { lines, end } =
    begin.offset < source.size ? await collect(file, begin.offset, options) : { lines: [], end: source.size }
  return {
    ...head,
    lines,
    ...(begin.line !== undefined && { firstLine: begin.line }),
    ...(index.lineCount !== undefined && { lineCount: index.lineCount }),
    more: end < source.size,
  }
}

async function sniffSource(source: LineSource): Promise<{ encoding: Encoding; bom: boolean }> {
  return sniffEncoding(await source.read({ start: 0, end: Math.min(3, source.size) }))
}

/** Line breaks of one-byte encodings are the same as in UTF-8. */
const unmarked = { encoding: 'utf-8' as const, bom: false }

interface OpenFile {
  source: LineSource
  index: LineIndex
  encoding: Encoding
  bom: boolean
  /** Where the text begins, after the byte-order mark. */
  body: number
  breaks: LineBreaks
}

interface LineStart {
  offset: number
  line?: number
}

/** `floor`: when counting from the end, no line before this offset. */
async function beginning(file: OpenFile, start: number, floor: number): Promise<LineStart> {
  if (start > 0) return seek(file, start)
  const { lineCount } = file.index
  if (lineCount !== undefined) return seek(file, Math.max(1, lineCount + start + 1))
  return seekBackwards(file, -start, floor)
}

/** The offset of line `wanted`. Past the last line: the end of the file, and the index then has the number of lines. */
async function seek(file: OpenFile, wanted: number): Promise<LineStart> {
  const { source, index, body } = file
  const known = lastAtMost(index.lines, wanted)
  let line = index.lines[known] ?? 1
  let lineStart = index.offsets[known] ?? body
  let noted = index.offsets.at(-1) ?? body
  if (line === wanted) return { offset: lineStart, line }

  let found: number | undefined
  for (let offset = lineStart; offset < source.size; ) {
    const { bytes: chunk, ...count } = await readCounted(source, offset)
    if (chunk.length === 0) break
    const skipped = breaksToSkip(file, count, wanted - line)
    if (skipped !== undefined) {
      if (skipped > 0) note(line + skipped, offset + chunk.lastIndexOf(lineFeed) + 1)
      offset += chunk.length
      continue
    }
    const complete = offset + chunk.length >= source.size
    offset += eachBreak(file, { chunk, offset, complete }, (_, next) => {
      note(line + 1, next)
      if (line === wanted) found = next
      return line !== wanted
    })
    if (found !== undefined && found < source.size) return { offset: found, line }
  }
  index.lineCount = lineStart < source.size ? line : line - 1
  return { offset: source.size, line: wanted }

  function note(reached: number, start: number): void {
    line = reached
    lineStart = start
    if (start - noted < chunkBytes || start >= source.size) return
    index.lines.push(reached)
    index.offsets.push(start)
    noted = start
  }
}

/** Counts the breaks of a chunk if the line `ahead` lines further is surely after it; undefined if the breaks have to be visited one by one. */
function breaksToSkip({ encoding, breaks }: OpenFile, count: BreakCount, ahead: number): number | undefined {
  if (encoding !== 'utf-8') return undefined
  const { lineFeeds, hasReturns } = count
  return lineFeeds < ahead && (!hasReturns || breaks !== 'any') ? lineFeeds : undefined
}

/**
 * The offset of the `fromEnd`-th line from the end, or of the first line if there are fewer. If that is before `floor`: the first line from
 * `floor` on, or the last line if there is none.
 */
async function seekBackwards(file: OpenFile, fromEnd: number, floor = 0): Promise<LineStart> {
  const { source, body } = file
  let missing = fromEnd
  let earliest: number | undefined
  // A break at the end of the file starts no line. A CR at the end of a chunk may belong to an LF at the start of the next.
  let followedByLineFeed = false
  for (let end = source.size; end > body; ) {
    const start = Math.max(body, alignUp(end - chunkBytes, body))
    const chunk = await source.read({ start, end })
    const starts: number[] = []
    eachBreak(file, { chunk, offset: start, complete: true }, (_, next) => {
      const isHalf = next === end && followedByLineFeed && endsWithReturn(file, chunk)
      if (next < source.size && next >= floor && !isHalf) starts.push(next)
      return true
    })
    if (starts.length >= missing) return { offset: starts[starts.length - missing]! }
    missing -= starts.length
    earliest = starts[0] ?? earliest
    if (start < floor) return earliest === undefined ? seekBackwards(file, 1) : { offset: earliest }
    followedByLineFeed = startsWithLineFeed(file, chunk)
    end = start
  }
  return { offset: body, line: 1 }
}

/** Aligned to a UTF-16 unit, as the file may end with an odd byte. */
function alignUp(offset: number, body: number): number {
  return offset + Math.abs((offset - body) % 2)
}

async function collect(
  file: OpenFile,
  begin: number,
  { count, maxLineBytes, maxBytes = Infinity, stretch = false, decode, format }: ReadLinesOptions,
): Promise<{ lines: ReadLine[]; end: number }> {
  const { source } = file
  const lines: ReadLine[] = []
  let parts: Uint8Array[] = []
  let held = 0
  let length = 0
  let total = 0
  let lineStart = begin

  const hold = (part: Uint8Array) => {
    length += part.length
    // One byte more than allowed shows whether the cut is within a character.
    const room = Math.min(part.length, maxLineBytes + 1 - held)
    if (room <= 0) return
    parts.push(part.slice(0, room))
    held += room
  }
  const finish = (next: number): boolean => {
    const used = Math.min(length, maxLineBytes)
    const room = stretch ? begin + maxBytes - lineStart : maxBytes - total
    const isLast = lines.length > 0 && (used > room || (stretch && room <= 0))
    if (isLast && (!stretch || room <= 0)) return false
    lines.push(
      decodeLine(parts, held, isLast ? room : maxLineBytes, {
        decode,
        encoding: decode && !format ? undefined : file.encoding,
      }),
    )
    if (isLast) return false
    total += used
    parts = []
    held = 0
    length = 0
    lineStart = next
    return lines.length < count
  }

  let wantMore = count > 0
  for (let offset = begin; wantMore && offset < source.size; ) {
    const chunk = await readChunk(source, offset)
    if (chunk.length === 0) break
    let from = 0
    const base = offset
    const consumed = eachBreak(file, { chunk, offset, complete: base + chunk.length >= source.size }, (end, next) => {
      hold(chunk.subarray(from, end - base))
      from = next - base
      wantMore = finish(next)
      return wantMore
    })
    if (wantMore) hold(chunk.subarray(from, consumed))
    offset += consumed
  }
  if (wantMore && lineStart < source.size) finish(source.size)
  return { lines, end: lineStart }
}

function readChunk(source: LineSource, offset: number): Promise<Uint8Array> {
  return source.read({ start: offset, end: Math.min(source.size, offset + chunkBytes) })
}

async function readCounted(source: LineSource, offset: number): Promise<{ bytes: Uint8Array } & BreakCount> {
  if (source.readCounted !== undefined) {
    return source.readCounted({ start: offset, end: Math.min(source.size, offset + chunkBytes) })
  }
  const bytes = await readChunk(source, offset)
  return { bytes, ...countBreaks(bytes) }
}

const lineFeed = 10
const carriageReturn = 13

/**
 * Calls `visit` with the start and end of each break, until it returns false. Returns how many bytes of the chunk were handled: a CR at its
 * end is left for the next chunk, unless this one is `complete`.
 */
function eachBreak(
  { encoding, breaks }: OpenFile,
  { chunk, offset, complete }: { chunk: Uint8Array; offset: number; complete: boolean },
  visit: (contentEnd: number, next: number) => boolean,
): number {
  if (encoding === 'utf-8' && (breaks === 'bare-line-feed' || !chunk.includes(carriageReturn))) {
    // By far the most frequent case, for which the engine's own search is about five times as fast as a loop.
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) {
      if (!visit(offset + at, offset + at + 1)) return at + 1
    }
    return chunk.length
  }
  const width = encoding === 'utf-8' ? 1 : 2
  const value = encoding === 'utf-16be' ? 1 : 0
  const zero = encoding === 'utf-16le' ? 1 : 0
  const last = chunk.length - width
  for (let at = 0; at <= last; at += width) {
    const unit = chunk[at + value]!
    if (unit > carriageReturn || (unit !== lineFeed && unit !== carriageReturn)) continue
    if (width === 2 && chunk[at + zero] !== 0) continue
    if (unit === carriageReturn && breaks === 'bare-line-feed') continue
    let next = at + width
    if (unit === carriageReturn) {
      if (next > last && !complete) return at
      const pair = next <= last && chunk[next + value] === lineFeed && (width === 1 || chunk[next + zero] === 0)
      if (!pair && breaks === 'line-feed') continue
      if (pair) next += width
    }
    if (!visit(offset + at, offset + next)) return next
    at = next - width
  }
  return chunk.length
}

/** Whether a chunk begins with an LF, which belongs to a CR at the end of the chunk before. */
function startsWithLineFeed(file: OpenFile, chunk: Uint8Array): boolean {
  return isUnit(file, chunk.subarray(0, 2), lineFeed)
}

function endsWithReturn(file: OpenFile, chunk: Uint8Array): boolean {
  return isUnit(file, chunk.subarray(file.encoding === 'utf-8' ? -1 : -2), carriageReturn)
}

/** Whether bytes begin with this control character. */
function isUnit({ encoding }: OpenFile, bytes: Uint8Array, unit: number): boolean {
  if (encoding === 'utf-8') return bytes[0] === unit
  const [value, zero] = encoding === 'utf-16le' ? [0, 1] : [1, 0]
  return bytes[value] === unit && bytes[zero] === 0
}

function decodeLine(
  parts: readonly Uint8Array[],
  held: number,
  maxBytes: number,
  /** Without an encoding, each byte is a character. */
  { encoding, decode }: { encoding: Encoding | undefined; decode: ReadLinesOptions['decode'] },
): ReadLine {
  const bytes = new Uint8Array(held)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  const truncated = held > maxBytes
  const end = encoding === undefined ? maxBytes : wholeCharacters(bytes, maxBytes, encoding)
  const whole = truncated ? bytes.subarray(0, end) : bytes
  return { text: decode?.(whole) ?? new TextDecoder(encoding, { ignoreBOM: true }).decode(whole), truncated }
}

/** The largest number of bytes up to `limit` that ends between two characters. */
function wholeCharacters(bytes: Uint8Array, limit: number, encoding: Encoding): number {
  if (encoding === 'utf-8') {
    let end = limit
    while (end > limit - 4 && end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1
    return end
  }
  const end = limit - (limit % 2)
  const high = bytes[end - (encoding === 'utf-16le' ? 1 : 2)] ?? 0
  return (high & 0xfc) === 0xd8 ? end - 2 : end
}
