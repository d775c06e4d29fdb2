import { FsError } from '../../errors.js'
import type { Bytes } from '../../fs/types.js'
import { cutUnits } from '../../text/lines/lines.js'
import { decodeLine, type Line, lineAround, lineFrom } from '../bytes/byte-lines.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import { bytesBefore, unitsOf } from '../bytes/utf8-offsets.js'
import type { Matcher } from '../patterns/matcher.js'
import { type BlockHit, blockHits } from './block-hits.js'
import type { LineHit, LineSearch } from './hits.js'
import { lineHits } from './line-hits.js'
import type { MatchRecord, SearchRecord } from './records.js'

/** What to tell of one file. */
export interface FileSearch extends LineSearch {
  /** `first` ends at the first match; `count` makes no records. */
  tell: 'records' | 'first' | 'count'
  before: number
  after: number
  /**
   * Matches to leave out, and to make records of at most; then the search ends at the next one, unless all are to be
   * counted.
   */
  skip: number
  take: number
  countAll: boolean
  /** The search ends, `limited`, at the match after so many. */
  maxMatches: number
  maxShownUnits: number
  /** End once the records hold more text. */
  maxTextBytes: number
}

export interface FileResult {
  records: SearchRecord[]
  /** Matches seen, including one beyond `take`. */
  matches: number
  textBytes: number
  /** `enough`: there is a match beyond what was to be told. */
  ended: 'done' | 'enough' | 'limited' | 'bytes' | 'stopped'
}

/**
 * Searches a file's bytes, without a byte-order mark and with lines that end in LF or CRLF. Yields where the caller may
 * pause.
 */
export function* searchFile(bytes: Bytes, search: FileSearch): Generator<undefined, FileResult> {
  const result: FileResult = { records: [], matches: 0, textBytes: 0, ended: 'done' }
  const page = pageOf(bytes, search, result)
  if (search.matcher.multiline) yield* takeHits(blockHits(bytes, search), page.addBlock, search, result)
  else yield* takeHits(lineHits(bytes, search), page.addLine, search, result)
  page.finish()
  return result
}

function* takeHits<Hit>(
  batches: Generator<readonly Hit[], boolean>,
  add: (hit: Hit) => void,
  search: FileSearch,
  result: FileResult,
): Generator<undefined> {
  for (;;) {
    const batch = batches.next()
    if (batch.done === true) {
      if (batch.value) result.ended = 'stopped'
      return
    }
    for (const hit of batch.value) {
      result.ended = judge(search, result)
      if (result.ended === 'limited') return
      result.matches += 1
      if (result.ended === 'enough') return
      const seen = result.matches - search.skip
      if (search.tell === 'records' && seen > 0 && seen <= search.take) add(hit)
      if (result.textBytes > search.maxTextBytes) result.ended = 'bytes'
      if (search.tell === 'first' || result.ended === 'bytes') return
    }
    yield undefined
  }
}

/** What one more match means. */
function judge(search: FileSearch, { matches }: FileResult): FileResult['ended'] {
  if (matches >= search.maxMatches) return 'limited'
  return search.tell === 'records' && matches >= search.skip + search.take && !search.countAll ? 'enough' : 'done'
}

/** A file's matches, all at once. Everything is told unless limited; nothing is left out or cut. */
export function searchBytes(bytes: Bytes, matcher: Matcher, options: Partial<FileSearch> = {}): FileResult {
  const steps = searchFile(bytes, {
    tell: 'records',
    before: 0,
    after: 0,
    occurrences: false,
    skip: 0,
    take: Infinity,
    countAll: false,
    maxMatches: Infinity,
    maxLineUnits: Infinity,
    maxShownUnits: Infinity,
    maxTextBytes: Infinity,
    onTooExpensive() {
      throw new FsError('PATTERN_TOO_COMPLEX', { pattern: '', reason: 'takes too long on this text' })
    },
    onCut() {},
    ...options,
    matcher,
  })
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

function lineRecord(bytes: Bytes, hit: LineHit, line: number, search: FileSearch): MatchRecord {
  const { start, end, count } = hit
  const { decode = decodeLine, isAscii } = search.findBytes ?? {}
  const units = (from: number, until: number) =>
    isAscii?.(bytes, from, until) === true ? until - from : unitsOf(bytes, from, until)
  // What was matched may have been cut, which takes off one unit more where there is a pair.
  const whole = hit.text !== undefined && hit.text.length < search.maxLineUnits - 1
  const last = whole ? end : enoughFor(search.maxShownUnits, hit)
  const text = whole ? hit.text! : decode(bytes, start, last)
  let { column, length } = hit
  let columnBytes = column
  const isPlain = text.length === last - start && column + length <= text.length
  if (!isPlain && hit.text === undefined) {
    column = units(start, start + columnBytes)
    length = units(start + columnBytes, start + columnBytes + length)
  } else if (!isPlain) columnBytes = bytesBefore(bytes, hit, column)
  const shown = cutUnits(text, search.maxShownUnits)
  return {
    kind: 'match',
    line,
    lineCount: 1,
    text: shown,
    cut: last < end || shown.length < text.length,
    column: { bytes: columnBytes, units: column },
    length,
    count,
  }
}

/** Where a line may be cut off that is shown in part, so that there is still more than is shown: no unit takes more than three bytes. */
function enoughFor(maxShownUnits: number, { start, end }: Line): number {
  return Math.min(end, start + 3 * (maxShownUnits + 1))
}

/** Lays out matches and the context around them, each line once. */
function pageOf(bytes: Bytes, search: FileSearch, result: FileResult) {
  const { records } = result
  const { maxShownUnits } = search
  const numbers = lineNumbers(bytes, search.findBytes?.lineFeeds)
  let toldLine = 0
  /** Context still owed to the last match: from which byte, how many lines. */
  let owed = { at: 0, lines: 0 }

  return {
    addLine(hit: LineHit): void {
      const line = hit.line ?? numbers.at(hit.start)
      around(line, hit.start)
      tell(lineRecord(bytes, hit, line, search), line, hit.end - hit.start)
      if (search.after > 0) owed = { at: hit.next, lines: search.after }
    },
    addBlock({ line, lineCount, column, length, count, text }: BlockHit): void {
      const first = lineFrom(bytes, numbers.startOf(line))
      around(line, first.start)
      const columns = { bytes: bytesBefore(bytes, first, column), units: column }
      const record = { line, lineCount, ...shownPart(text, maxShownUnits), column: columns, length, count }
      const next = numbers.startOf(line + lineCount)
      tell({ kind: 'match', ...record }, line + lineCount - 1, next - first.start)
      owed = { at: next, lines: search.after }
    },
    finish: () => after(Infinity),
  }

  function around(line: number, start: number): void {
    if (owed.lines > 0) after(line)
    if (search.before > 0) before(start, line)
  }

  function after(until: number): void {
    while (owed.lines > 0 && toldLine + 1 < until && owed.at < bytes.length) {
      const line = lineFrom(bytes, owed.at)
      context(toldLine + 1, line)
      owed = { at: line.next, lines: owed.lines - 1 }
    }
  }

  function before(start: number, line: number): void {
    const wanted = Math.min(search.before, line - 1 - toldLine)
    const found: Line[] = []
    for (let at = start; found.length < wanted; at = found.at(-1)!.start) found.push(lineAround(bytes, at - 1))
    found.reverse().forEach((each, i) => {
      context(line - found.length + i, each)
    })
  }

  function context(line: number, at: Line): void {
    const { start, end } = at
    const until = enoughFor(maxShownUnits, at)
    tell({ kind: 'context', line, ...shownPart(decodeLine(bytes, start, until), maxShownUnits) }, line, end - start)
  }

  function tell(record: SearchRecord, lastLine: number, size: number): void {
    records.push(record)
    toldLine = lastLine
    // A line that is cut takes no more than three bytes for each unit shown.
    result.textBytes += record.cut ? Math.min(size, 3 * maxShownUnits) : size
  }
}

function shownPart(text: string, maxUnits: number): { text: string; cut: boolean } {
  const part = cutUnits(text, maxUnits)
  return { text: part, cut: part.length < text.length }
}

/** Line numbers by place and places by line number, counted on from the last one asked for. */
function lineNumbers(bytes: Bytes, lineFeeds?: FindBytes['lineFeeds']) {
  let line = 1
  let place = 0
  return {
    at(start: number): number {
      if (lineFeeds !== undefined && start - place > 64) {
        line += lineFeeds(bytes, place, start)
        place = start
      }
      for (; place < start; place += 1) if (bytes[place] === 0x0a) line += 1
      return line
    },
    startOf(wanted: number): number {
      while (line < wanted) {
        const feed = bytes.indexOf(0x0a, place)
        if (feed < 0) return bytes.length
        place = feed + 1
        line += 1
      }
      return place
    },
  }
}
