/** Multiline matches, laid out as blocks of whole lines. */
import type { Bytes } from '../../fs/types.js'
import { decodeLine } from '../bytes/byte-lines.js'
import { findByte } from '../bytes/find-bytes.js'
import { openCursor } from '../patterns/matcher.js'
import { placeAfter, type Span } from '../patterns/regex/compile.js'
import type { LineSearch } from './hits.js'

export interface BlockHit {
  /** Counted from 1. */
  line: number
  lineCount: number
  text: string
  /** Units within the first line. */
  column: number
  length: number
  count: number
}

/**
 * A match that spans lines forms one block with all matching lines that touch it. Lines that match alone are separate hits. An empty match
 * counts only if its line has no other. Returns true when `stop` ended the search. Lines of the text end in LF or CRLF.
 */
export function* blockHits(bytes: Bytes, search: LineSearch): Generator<readonly BlockHit[], boolean> {
  if (search.matcher.needles?.length === 0) return false
  const cursor = openCursor(bytes, search.matcher, search.findBytes)
  if (cursor !== undefined && cursor(0) < 0) return false
  const has = (byte: number) => (search.findBytes?.place ?? findByte)(bytes, byte, bytes.length) >= 0
  // Files of one long line are large, and to decode them takes as long as all else.
  if (search.matcher.needsFeed && !has(0x0a)) return false
  const decoded = decodeLine(bytes, 0, bytes.length)
  const text = has(0x0d) ? decoded.replaceAll('\r\n', '\n') : decoded

  let line = 1
  let lineStart = 0
  /** The first line feed at or after `lineStart`; never searched for twice, since the line may have many matches. */
  let feed = text.indexOf('\n')
  let run: MatchedLines[] = []
  for (const span of spansIn(text, search)) {
    if (span === 'stopped') return true
    if (span === undefined) {
      yield []
      continue
    }
    while (feed >= 0 && feed < span.start) {
      line += 1
      lineStart = feed + 1
      feed = text.indexOf('\n', lineStart)
    }
    const last = run.at(-1)
    if (span.start === span.end && last !== undefined && line <= last.lastLine) continue
    const feeds = feedsWithin(text, feed, span)
    if (last !== undefined && line > last.lastLine + 1) {
      yield blocksOf(text, run)
      run = []
    }
    const lastLine = Math.max(line + feeds, run.at(-1)?.lastLine ?? 0)
    run.push({ line, lineStart, lastLine, span, spansLines: feeds > 0 })
  }
  yield blocksOf(text, run)
  return false
}

interface MatchedLines {
  line: number
  lineStart: number
  lastLine: number
  span: Span
  spansLines: boolean
}

/** Every match. After the last line end there is a line only if it has characters. */
function* spansIn(text: string, search: LineSearch): Generator<Span | undefined | 'stopped'> {
  const isOpen = text !== '' && !text.endsWith('\n')
  for (let from = 0, tried = 1; from <= text.length; tried += 1) {
    const span = search.matcher.regex.find(text, from, search.stop)
    if (span === undefined) return
    if (span === 'too-expensive') return search.onTooExpensive()
    if (span === 'stopped') {
      yield span
      return
    }
    if (span.end > span.start || span.end < text.length || isOpen) yield span
    from = placeAfter(text, span)
    if (tried % 64 === 0) yield search.stop?.() === true ? 'stopped' : undefined
  }
}

/** Blocks of a run of adjacent matches, whose last lines are in ascending order. */
function blocksOf(text: string, run: readonly MatchedLines[]): BlockHit[] {
  return (run.some(({ spansLines }) => spansLines) ? [run] : sameLine(run)).map((group) => {
    const first = group[0]!
    const lineCount = group.at(-1)!.lastLine - first.line + 1
    let end = first.lineStart
    for (let i = 0; i < lineCount; i += 1) end = endOfLine(text, i === 0 ? end : end + 1)
    return {
      line: first.line,
      lineCount,
      text: text.slice(first.lineStart, end),
      column: first.span.start - first.lineStart,
      length: first.span.end - first.span.start,
      count: group.length,
    }
  })
}

function sameLine(run: readonly MatchedLines[]): MatchedLines[][] {
  const groups: MatchedLines[][] = []
  for (const match of run) {
    if (groups.at(-1)?.[0]?.line === match.line) groups.at(-1)!.push(match)
    else groups.push([match])
  }
  return groups
}

/** Line feeds inside the match, of which `first` is the first that may be; one at its end belongs to its last line. */
function feedsWithin(text: string, first: number, { end }: Span): number {
  let feeds = 0
  for (let feed = first; feed >= 0 && feed < end - 1; feed = text.indexOf('\n', feed + 1)) feeds += 1
  return feeds
}

function endOfLine(text: string, from: number): number {
  const feed = text.indexOf('\n', from)
  return feed < 0 ? text.length : feed
}
