/** Finds the matching lines of a file, decoding as little as possible. */
import type { Bytes } from '../../fs/types.js'
import { cutUnits } from '../../text/lines/lines.js'
import { decodeLine, type Line, lineAround, lineFrom } from '../bytes/byte-lines.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import { type Cursor, type NeedleBytes, openCursor } from '../patterns/matcher.js'
import { findNatively, maxNativeSteps, placeAfter } from '../patterns/regex/compile.js'
import { matchRuns } from './byte-run-hits.js'
import type { CandidateResult, LineHit, LineSearch } from './hits.js'

/**
 * Yields hits in the order of the file, in small groups at first, so that the caller gets the first hits early and may pause in between.
 * Returns true when `stop` ended the search.
 */
export function* lineHits(bytes: Bytes, search: LineSearch): Generator<readonly LineHit[], boolean> {
  const { matcher } = search
  if (matcher.needles?.length === 0) return false
  const cursor = openCursor(bytes, matcher, search.findBytes)
  if (cursor === undefined) return yield* hitsInPieces(bytes, 0, search)
  return yield* matcher.bytes === undefined ? hitsAtNeedles(bytes, cursor, search) : hitsOfBytes(bytes, cursor, search)
}

/** For a pattern that is one plain needle: nothing is decoded. */
function* hitsOfBytes(bytes: Bytes, cursor: Cursor, search: LineSearch): Generator<readonly LineHit[], boolean> {
  const { length } = search.matcher.bytes!.bytes
  if (!search.occurrences && search.findBytes?.lines !== undefined) {
    const ended = yield* hitsOfLines(bytes, search.matcher.bytes!, search.findBytes.lines, search)
    if (ended !== undefined) return ended
  }
  let at = cursor(0)
  for (let size = 1; at >= 0; size = Math.min(2 * size, 512)) {
    const hits: LineHit[] = []
    while (at >= 0 && hits.length < size) {
      const { start, end, next } = lineAround(bytes, at, search.findBytes)
      const column = at - start
      let count = 1
      if (search.occurrences) {
        for (at = cursor(at + length); at >= 0 && at < end; at = cursor(at + length)) count += 1
      } else at = cursor(next)
      hits.push({ start, end, next, line: undefined, text: undefined, column, length, count })
    }
    yield hits
    if (search.stop?.() === true) return true
  }
  return false
}

/** The platform finds whole lines. Returns undefined when it can't for these bytes. */
function* hitsOfLines(
  bytes: Bytes,
  { bytes: needle, folded }: NeedleBytes,
  lines: FindBytes['lines'] & {},
  search: LineSearch,
): Generator<readonly LineHit[], boolean | undefined> {
  let line = 1
  let from = 0
  for (let max = 1; from < bytes.length; max = Math.min(4 * max, 512)) {
    const found = lines(bytes, needle, from, { folded, max })
    if (found === undefined) return undefined
    const { count, numbers } = found
    const hits: LineHit[] = []
    for (let i = 0; i < 4 * count; i += 4) {
      line += numbers[i]!
      const start = numbers[i + 1]!
      const feed = numbers[i + 2]!
      const column = numbers[i + 3]! - start
      const isEnded = feed < bytes.length
      const end = isEnded && feed > start && bytes[feed - 1] === 0x0d ? feed - 1 : feed
      from = isEnded ? feed + 1 : feed
      hits.push({ start, end, next: from, line, text: undefined, column, length: needle.length, count: 1 })
    }
    yield hits
    if (search.stop?.() === true) return true
    if (count < max) return false
    line += 1
  }
  return false
}

/** Decodes and matches around each needle: a run of bytes if no match extends beyond it, else the line. */
function* hitsAtNeedles(bytes: Bytes, cursor: Cursor, search: LineSearch): Generator<readonly LineHit[], boolean> {
  const { matchBytes, native } = search.matcher.regex
  const matchNext = matchBytes === undefined ? matchLineAt : matchRuns
  // A longer file may have lines that are cut.
  const canTakeAll = native !== undefined && bytes.length <= search.maxLineUnits
  let at = cursor(0)
  const few = bytes.length <= smallBytes ? 1 : 3
  let all = 0
  const first = at
  for (let size = 1; at >= 0; size = Math.min(2 * size, 256)) {
    const hits: LineHit[] = []
    for (let tried = 0; at >= 0 && tried < size; tried += 1) {
      const { hit, next } = matchNext(bytes, at, cursor, search)
      if (hit === 'stopped') {
        yield hits
        return true
      }
      if (hit !== undefined) hits.push(hit)
      at = next
    }
    yield hits
    if (search.stop?.() === true) return true
    all += size
    const isDense = all >= few && at - first < all * denseBytes
    if (canTakeAll && isDense && at >= 0) return yield* hitsInPieces(bytes, lineAround(bytes, at).start, search)
  }
  return false
}

/** Where needles are closer together than this after the first few, to decode and match all lines is faster than each by itself. */
const denseBytes = 160
/** Files that are decoded in no time. */
const smallBytes = 4096

function matchLineAt(bytes: Bytes, at: number, cursor: Cursor, search: LineSearch): CandidateResult {
  const { decode = decodeLine } = search.findBytes ?? {}
  const line = lineAround(bytes, at, search.findBytes)
  const matched = matchLine(decode(bytes, line.start, line.end), search)
  if (matched === 'stopped') return { hit: matched, next: at }
  return { hit: matched && hitOf(line, matched), next: cursor(line.next) }
}

/** For a pattern without needles, or with many: everything from a line on is decoded, piece by piece. */
function* hitsInPieces(bytes: Bytes, begin: number, search: LineSearch): Generator<readonly LineHit[], boolean> {
  for (let from = begin; from < bytes.length; ) {
    const until = pieceEnd(bytes, from)
    const decoded = decodeLine(bytes, from, until)
    const hasReturns = decoded.includes('\r')
    const text = hasReturns ? decoded.replaceAll('\r\n', '\n') : decoded
    const lineOf = !hasReturns && text.length === until - from ? asciiLines(bytes, from) : linesOf(bytes, from, text)
    for (const group of groupsOfHits(text, search)) {
      if (group === 'stopped') return true
      yield group.map((hit) => hitOf(lineOf(hit), hit))
      if (search.stop?.() === true) return true
    }
    from = until
  }
  return false
}

/** Finds lines of decoded bytes again, in ascending order. Text and bytes have the same lines: as many in both lead to the same one. */
function linesOf(bytes: Bytes, from: number, text: string): (hit: TextHit) => Line {
  let place = from
  let mark = 0
  return ({ lineStart }) => {
    while (mark < lineStart) {
      mark = text.indexOf('\n', mark) + 1
      place = bytes.indexOf(0x0a, place) + 1
    }
    return lineFrom(bytes, place)
  }
}

/** The same where every byte is a unit of the text. */
function asciiLines(bytes: Bytes, from: number): (hit: TextHit) => Line {
  return ({ lineStart, lineUnits }) => {
    const start = from + lineStart
    const end = start + lineUnits
    return { start, end, next: Math.min(end + 1, bytes.length) }
  }
}

function hitOf({ start, end, next }: Line, { text, column, length, count }: Matched): LineHit {
  return { start, end, next, line: undefined, text, column, length, count }
}

interface Matched {
  text: string
  column: number
  length: number
  count: number
}

interface TextHit extends Matched {
  lineStart: number
  /** The length of the whole line, of which `text` may be a part. */
  lineUnits: number
}

/** Lines that are cheap to search are searched together, as many as one call of the platform's engine may take; others alone. */
function* groupsOfHits(text: string, search: LineSearch): Generator<TextHit[] | 'stopped'> {
  const { native } = search.matcher.regex
  for (let start = 0; start < text.length; ) {
    let end = start
    let steps = 0
    while (end < text.length) {
      const feed = text.indexOf('\n', end)
      const units = (feed < 0 ? text.length : feed) - end
      steps += native === undefined || units > search.maxLineUnits ? Infinity : native.steps(units)
      if (steps > maxNativeSteps) break
      end = feed < 0 ? text.length : feed + 1
    }
    if (end > start) {
      yield hitsInGroup(native!.expression, text.slice(start, end), start, search.occurrences)
      start = end
      continue
    }
    const feed = text.indexOf('\n', start)
    const line = text.slice(start, feed < 0 ? text.length : feed)
    const matched = matchLine(line, search)
    if (matched === 'stopped') yield matched
    else yield matched === undefined ? [] : [{ ...matched, lineStart: start, lineUnits: line.length }]
    start += line.length + 1
  }
}

function hitsInGroup(expression: RegExp, lines: string, offset: number, occurrences: boolean): TextHit[] {
  const hits: TextHit[] = []
  for (let from = 0; from < lines.length; ) {
    const first = findNatively(expression, lines, from)
    // After the last line end there is no line.
    if (first === undefined || (first.start === lines.length && lines.endsWith('\n'))) break
    const start = first.start === 0 ? 0 : lines.lastIndexOf('\n', first.start - 1) + 1
    const feed = lines.indexOf('\n', first.start)
    const end = feed < 0 ? lines.length : feed
    let count = 1
    for (let last = first; occurrences; count += 1) {
      const next = findNatively(expression, lines, placeAfter(lines, last))
      if (next === undefined || next.start > end) break
      last = next
    }
    const column = first.start - start
    hits.push({
      text: lines.slice(start, end),
      column,
      length: first.end - first.start,
      count,
      lineStart: offset + start,
      lineUnits: end - start,
    })
    from = end + 1
  }
  return hits
}

function matchLine(whole: string, search: LineSearch): Matched | undefined | 'stopped' {
  const text = cutUnits(whole, search.maxLineUnits)
  if (text.length < whole.length) search.onCut()
  const { regex } = search.matcher
  const first = regex.find(text, 0, search.stop)
  if (first === undefined || first === 'stopped') return first
  if (first === 'too-expensive') {
    search.onTooExpensive()
    return undefined
  }
  let count = 1
  for (let last = first; search.occurrences && placeAfter(text, last) <= text.length; count += 1) {
    const next = regex.find(text, placeAfter(text, last), search.stop)
    if (next === undefined || typeof next === 'string') break
    last = next
  }
  return { text, column: first.start, length: first.end - first.start, count }
}

const pieceBytes = 1 << 18

/** Pieces end at a line end. */
function pieceEnd(bytes: Bytes, from: number): number {
  if (bytes.length - from <= pieceBytes) return bytes.length
  const feed = bytes.indexOf(0x0a, from + pieceBytes)
  return feed < 0 ? bytes.length : feed + 1
}
