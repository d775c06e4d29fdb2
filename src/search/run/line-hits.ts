/** Finds the matching lines of a file, decoding as little as possible. */
import type { Bytes } from '../../fs/types.js'
import { countLineFeeds } from '../../text/lines/count-line-breaks.js'
import { cutUnits } from '../../text/lines/lines.js'
import { decodeLine, type Line, lineAround, lineFrom } from '../bytes/byte-lines.js'
import { type FindBytes, sameBytes } from '../bytes/find-bytes.js'
import { type Cursor, type NeedleBytes, openCursor } from '../patterns/matcher.js'
import { maxNativeSteps, placeAfter, type Span } from '../patterns/regex/compile.js'
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
  if (matcher.bytes !== undefined) return yield* hitsOfBytes(bytes, cursor, search)
  const isPlain = matcher.alternatives !== undefined && !search.occurrences
  return yield* isPlain ? hitsOfAlternatives(bytes, cursor, search) : hitsAtNeedles(bytes, cursor, search)
}

/** For a pattern that is a choice of plain texts: nothing is decoded. */
function* hitsOfAlternatives(bytes: Bytes, cursor: Cursor, search: LineSearch): Generator<readonly LineHit[], boolean> {
  const { alternatives, sequences } = search.matcher
  // The cursor finds some part of a match, no later than where the part of any other match in its line is.
  const reach = sequences?.before ?? 0
  let at = cursor(0)
  for (let size = 1; at >= 0; size = Math.min(2 * size, 512)) {
    const hits: LineHit[] = []
    for (let tried = 0; at >= 0 && tried < size; tried += 1) {
      const { start, end, next } = lineAround(bytes, at, search.findBytes)
      const found = firstOf(alternatives!, bytes, Math.max(start, at - reach), at)
      if (found !== undefined) {
        const { place, length } = found
        hits.push({ start, end, next, line: undefined, text: undefined, column: place - start, length, count: 1 })
      }
      at = cursor(found === undefined ? at + 1 : next)
    }
    yield hits
    if (search.stop?.() === true) return true
  }
  return false
}

function firstOf(
  alternatives: readonly Bytes[],
  bytes: Bytes,
  from: number,
  until: number,
): { place: number; length: number } | undefined {
  for (let place = from; place <= until; place += 1) {
    for (const text of alternatives) if (sameBytes(bytes, place, text)) return { place, length: text.length }
  }
  return undefined
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
  const { regex } = search.matcher
  const matchNext = regex.matchBytes === undefined ? matchLineAt : matchRuns
  // A longer file may have lines that are cut.
  const canTakeAll = () => bytes.length <= search.maxLineUnits && regex.inLines !== undefined
  const first = cursor(0)
  if (first >= 0 && bytes.length <= smallBytes) {
    const second = cursor(first + 1)
    if (second >= 0 && second - first < denseBytes && canTakeAll()) {
      const begin = lineStart(bytes, first)
      const hits = hitsAtOnce(bytes, begin, search)
      if (hits === undefined) return yield* hitsInPieces(bytes, begin, search)
      yield hits
      return search.stop?.() === true
    }
  }
  let at = first
  let all = 0
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
    if (isDense && at >= 0 && canTakeAll()) return yield* hitsInPieces(bytes, lineStart(bytes, at), search)
  }
  return false
}

function lineStart(bytes: Bytes, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(0x0a, at - 1) + 1
}

/** Where needles are closer together than this after the first few, to decode and match all lines is faster than each by itself. */
const denseBytes = 160
const few = 3
/** Files that are decoded in no time: there the first two needles decide. */
const smallBytes = 4096

function matchLineAt(bytes: Bytes, at: number, cursor: Cursor, search: LineSearch): CandidateResult {
  const { decode = decodeLine } = search.findBytes ?? {}
  const line = lineAround(bytes, at, search.findBytes)
  const matched = matchLine(decode(bytes, line.start, line.end), search)
  if (matched === 'stopped') return { hit: matched, next: at }
  return { hit: matched && hitOf(line, matched), next: cursor(line.next) }
}

/** All hits from a line on; undefined if more than one call of the platform's engine is needed, or if bytes and units differ. */
function hitsAtOnce(bytes: Bytes, begin: number, search: LineSearch): readonly LineHit[] | undefined {
  const { find, steps } = search.matcher.regex.inLines!
  const text = decodeLine(bytes, begin, bytes.length)
  const isPlain = text.length === bytes.length - begin && !text.includes('\r')
  if (!isPlain || groupEnd(text, 0, steps, search.maxLineUnits) < text.length) return undefined
  const lines = countedLines(text, begin === 0 ? 0 : feedsBefore(bytes, begin, search.findBytes))
  const hits = hitsInGroup(find, text, { start: 0, end: text.length }, lines, search.occurrences)
  hits.forEach(movedBy(begin, bytes.length))
  return hits
}

/** For a pattern without needles, or with many: everything from a line on is decoded, piece by piece. */
function* hitsInPieces(bytes: Bytes, begin: number, search: LineSearch): Generator<readonly LineHit[], boolean> {
  let linesBefore = begin === 0 ? 0 : feedsBefore(bytes, begin, search.findBytes)
  for (let from = begin; from < bytes.length; ) {
    const until = pieceEnd(bytes, from)
    const decoded = decodeLine(bytes, from, until)
    const hasReturns = decoded.includes('\r')
    const text = hasReturns ? decoded.replaceAll('\r\n', '\n') : decoded
    const isPlain = !hasReturns && text.length === until - from
    const place = isPlain ? movedBy(from, bytes.length) : placedIn(bytes, from, text)
    const lines = countedLines(text, linesBefore)
    for (const group of groupsOfHits(text, lines, search)) {
      if (group === 'stopped') return true
      group.forEach(place)
      yield group
      if (search.stop?.() === true) return true
    }
    from = until
    if (from < bytes.length) linesBefore = lines.all()
  }
  return false
}

/** The lines of a text, which are counted on from the last one that was asked for. */
interface CountedLines {
  /** Moves on to the line of an offset; its bounds and its number are then known. */
  to(offset: number): void
  start: number
  end: number
  number: number
  /** The number of the last line that has an end. */
  all(): number
}

function countedLines(text: string, linesBefore: number): CountedLines {
  const endFrom = (start: number) => {
    const feed = text.indexOf('\n', start)
    return feed < 0 ? text.length : feed
  }
  const lines: CountedLines = {
    start: 0,
    end: endFrom(0),
    number: linesBefore + 1,
    to(offset) {
      while (lines.end < offset) {
        lines.start = lines.end + 1
        lines.end = endFrom(lines.start)
        lines.number += 1
      }
    },
    all() {
      lines.to(text.length)
      return lines.number - 1
    },
  }
  return lines
}

function feedsBefore(bytes: Bytes, end: number, find: FindBytes | undefined): number {
  return find?.lineFeeds?.(bytes, 0, end) ?? countLineFeeds(bytes, 0, end)
}

/** Hits of a text are given the place of their line among the bytes; here every byte is a unit of the text. */
function movedBy(from: number, last: number): (hit: LineHit) => void {
  return (hit) => {
    hit.start += from
    hit.end += from
    hit.next = Math.min(hit.end + 1, last)
  }
}

/** The same where they differ, in ascending order. Text and bytes have the same lines: as many in both lead to the same one. */
function placedIn(bytes: Bytes, from: number, text: string): (hit: LineHit) => void {
  let place = from
  let mark = 0
  return (hit) => {
    while (mark < hit.start) {
      mark = text.indexOf('\n', mark) + 1
      place = bytes.indexOf(0x0a, place) + 1
    }
    Object.assign(hit, lineFrom(bytes, place))
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

/**
 * Lines that are cheap to search are searched together, as many as one call of the platform's engine may take; others alone. The places of
 * hits are those in the text.
 */
function* groupsOfHits(
  text: string,
  lines: CountedLines,
  search: LineSearch,
): Generator<readonly LineHit[] | 'stopped'> {
  const { inLines } = search.matcher.regex
  for (let start = 0; start < text.length; ) {
    const end = inLines === undefined ? start : groupEnd(text, start, inLines.steps, search.maxLineUnits)
    if (end > start) {
      yield hitsInGroup(inLines!.find, text, { start, end }, lines, search.occurrences)
      start = end
      continue
    }
    lines.to(start)
    const matched = matchLine(text.slice(start, lines.end), search)
    if (matched === 'stopped') return yield matched
    const { end: lineEnd, number } = lines
    yield matched === undefined ? [] : [{ start, end: lineEnd, next: lineEnd + 1, line: number, ...matched }]
    start = lineEnd + 1
  }
}

/** The end of the lines from `start` on that one call may take; `start` if the first takes too long. */
function groupEnd(text: string, start: number, stepsFor: (units: number) => number, maxLineUnits: number): number {
  const rest = text.length - start
  // No line takes more than the rest would as one line.
  if (rest <= maxLineUnits && stepsFor(rest) <= maxNativeSteps) return text.length
  let end = start
  for (let steps = 0; end < text.length; ) {
    const feed = text.indexOf('\n', end)
    const units = (feed < 0 ? text.length : feed) - end
    steps += units > maxLineUnits ? Infinity : stepsFor(units)
    if (steps > maxNativeSteps) break
    end = feed < 0 ? text.length : feed + 1
  }
  return end
}

function hitsInGroup(
  find: (text: string, from: number) => Span | undefined,
  text: string,
  { start: groupStart, end: groupEnd }: { start: number; end: number },
  lines: CountedLines,
  occurrences: boolean,
): LineHit[] {
  const hits: LineHit[] = []
  const group = text.slice(groupStart, groupEnd)
  for (let from = 0; from < group.length; from = lines.end + 1 - groupStart) {
    const first = find(group, from)
    // After the last line end there is no line.
    if (first === undefined || (first.start === group.length && group.endsWith('\n'))) break
    lines.to(groupStart + first.start)
    const { start, end, number } = lines
    let count = 1
    for (let last = first; occurrences; count += 1) {
      const next = find(group, placeAfter(group, last))
      if (next === undefined || groupStart + next.start > end) break
      last = next
    }
    hits.push({
      start,
      end,
      next: end + 1,
      line: number,
      text: text.slice(start, end),
      column: groupStart + first.start - start,
      length: first.end - first.start,
      count,
    })
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
