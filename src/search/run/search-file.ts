import { FsError } from '../../errors.js'
import type { Bytes } from '../../fs/types.js'
import { countLineFeeds } from '../../text/lines/count-line-breaks.js'
import { cutUnits } from '../../text/lines/lines.js'
import { decodeLine, type Line, lineAround, lineFrom } from '../bytes/byte-lines.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import { bytesBefore, unitsOf } from '../bytes/utf8-offsets.js'
import type { Matcher } from '../patterns/matcher.js'
import { type BlockHit, blockHits } from './block-hits.js'
import type { LineHit, LineSearch } from './hits.js'
import { lineHits } from './line-hits.js'
import { blockHitsIn, type LineRange, lineHitsIn, stretchOf } from './line-range.js'
import { type CutText, cutAround, cutBlock, sidesOfBytes, sidesOfText } from './line-window.js'
import type { MatchRecord, SearchRecord } from './records.js'

/** What to report of one file. */
export interface FileSearch extends LineSearch {
  /** `first` ends at the first match; `count` makes no records. */
  report: 'records' | 'first' | 'count'
  before: number
  after: number
  /** Matches to skip, and to report at most. The search ends at the next match after those, unless `countAll` is set. */
  skip: number
  take: number
  countAll: boolean
  /** The search ends as `limited` at the match after so many. */
  maxMatches: number
  maxReportedUnits: number
  /** Where a line is cut, the reported part has the match in it. */
  aroundMatch?: boolean
  /** Only these lines are searched. Context may be from other lines. */
  lines?: LineRange | undefined
  /** The search ends once the records hold more text. */
  maxTextBytes: number
}

export interface FileResult {
  records: SearchRecord[]
  /** Matches found, including one beyond `take`. */
  matches: number
  textBytes: number
  /** `enough`: there are more matches than were to be reported. */
  ended: 'done' | 'enough' | 'limited' | 'bytes' | 'stopped'
}

/** Searches a file's bytes, without a byte-order mark and with lines that end in LF or CRLF. Yields where the caller may pause. */
export function* searchFile(bytes: Bytes, search: FileSearch): Generator<undefined, FileResult> {
  const result: FileResult = { records: [], matches: 0, textBytes: 0, ended: 'done' }
  const writer = recordWriter(bytes, search, result)
  if (search.lines !== undefined) yield* searchRange(bytes, search.lines, search, writer, result)
  else if (search.matcher.multiline) yield* takeHits(blockHits(bytes, search), writer.block, search, result)
  else yield* takeHits(lineHits(bytes, search), writer.line, search, result)
  writer.finish()
  return result
}

function* searchRange(
  bytes: Bytes,
  lines: LineRange,
  search: FileSearch,
  writer: RecordWriter,
  result: FileResult,
): Generator<undefined> {
  const stretch = stretchOf(bytes, lines, search.findBytes?.lineFeeds)
  if (stretch === undefined) return
  if (search.matcher.multiline) yield* takeHits(blockHitsIn(bytes, stretch, search), writer.block, search, result)
  else yield* takeHits(lineHitsIn(bytes, stretch, search), writer.line, search, result)
}

function* takeHits<Hit>(
  batches: Generator<readonly Hit[], boolean>,
  { add, pass }: HitWriter<Hit>,
  search: FileSearch,
  result: FileResult,
): Generator<undefined> {
  const hasContext = search.before > 0 || search.after > 0
  for (;;) {
    const batch = batches.next()
    if (batch.done === true) {
      if (batch.value) result.ended = 'stopped'
      return
    }
    for (const hit of batch.value) {
      result.ended = endingBefore(search, result)
      if (result.ended === 'limited') return
      result.matches += 1
      const seen = result.matches - search.skip
      const isReported = search.report === 'records' && seen > 0 && seen <= search.take
      if (isReported) add(hit)
      else if (hasContext) pass(hit)
      if (result.ended === 'enough') return
      if (result.textBytes > search.maxTextBytes) result.ended = 'bytes'
      if (search.report === 'first' || result.ended === 'bytes') return
    }
    yield undefined
  }
}

interface HitWriter<Hit> {
  add(hit: Hit): void
  /** Takes note of a match that is not reported. */
  pass(hit: Hit): void
}

/** How the search stands before one more match is added. */
function endingBefore(search: FileSearch, { matches }: FileResult): FileResult['ended'] {
  if (matches >= search.maxMatches) return 'limited'
  return search.report === 'records' && matches >= search.skip + search.take && !search.countAll ? 'enough' : 'done'
}

/** All matches of a file in one call, without limits unless given. */
export function searchBytes(bytes: Bytes, matcher: Matcher, options: Partial<FileSearch> = {}): FileResult {
  const steps = searchFile(bytes, {
    report: 'records',
    before: 0,
    after: 0,
    occurrences: false,
    skip: 0,
    take: Infinity,
    countAll: false,
    maxMatches: Infinity,
    maxLineUnits: Infinity,
    maxReportedUnits: Infinity,
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
  // The matched text may have been cut, one unit shorter where that would split a surrogate pair.
  const whole = hit.text !== undefined && hit.text.length < search.maxLineUnits - 1
  const last = whole ? end : enoughFor(search.maxReportedUnits, hit)
  const text = whole ? hit.text! : (search.findBytes?.decode ?? decodeLine)(bytes, start, last)
  let { column, length } = hit
  let columnBytes = column
  const isPlain = text.length === last - start && column + length <= text.length
  if (!isPlain && hit.text === undefined) {
    column = unitsIn(bytes, start, start + columnBytes, search)
    length = unitsIn(bytes, start + columnBytes, start + columnBytes + length, search)
  } else if (!isPlain) columnBytes = bytesBefore(bytes, hit, column)
  const { maxReportedUnits: maxUnits } = search
  const reported = cutUnits(text, maxUnits)
  const record: MatchRecord = {
    kind: 'match',
    line,
    lineCount: 1,
    text: reported,
    cut: last < end || reported.length < text.length,
    column: (isPlain ? plainColumns[column] : undefined) ?? { bytes: columnBytes, units: column },
    length,
    count,
  }
  if (!record.cut || search.aroundMatch !== true) return record
  const sides = whole
    ? sidesOfText(text, column)
    : sidesOfBytes(bytes, hit, { column: columnBytes, maxUnits, decode: search.findBytes?.decode })
  return { ...record, ...cutAround(sides, maxUnits) }
}

/** Columns before which every unit is a byte. Records of short lines share them, as most are alike. */
const plainColumns = Array.from({ length: 256 }, (_, column) => Object.freeze({ bytes: column, units: column }))

function unitsIn(bytes: Bytes, from: number, until: number, { findBytes }: FileSearch): number {
  return findBytes?.isAscii?.(bytes, from, until) === true ? until - from : unitsOf(bytes, from, until)
}

/** Where decoding a long line may end so that there is still more than is reported: no unit takes more than three bytes. */
function enoughFor(maxReportedUnits: number, { start, end }: Line): number {
  return Math.min(end, start + 3 * (maxReportedUnits + 1))
}

interface RecordWriter {
  line: HitWriter<LineHit>
  block: HitWriter<BlockHit>
  finish(): void
}

/** Makes records of matches and the context around them, each line once. */
function recordWriter(bytes: Bytes, search: FileSearch, result: FileResult): RecordWriter {
  const { records } = result
  const { maxReportedUnits } = search
  const numbers = lineNumbers(bytes, search.findBytes?.lineFeeds)
  let lastLine = 0
  /** Context lines still to follow the last match: from which byte, and how many. */
  let following = { at: 0, lines: 0 }
  const passed = passedHits(search)

  const line: HitWriter<LineHit> = {
    add(hit) {
      const line = hit.line ?? numbers.at(hit.start)
      around(line, hit.start)
      write(lineRecord(bytes, hit, line, search), line, hit.end - hit.start)
      if (search.after > 0) following = { at: hit.next, lines: search.after }
      passed.restart()
    },
    pass: ({ start }) => passed.add({ first: start, last: start }),
  }
  const block: HitWriter<BlockHit> = {
    add({ line, lineCount, column, length, count, text }) {
      const first = lineFrom(bytes, numbers.startOf(line))
      around(line, first.start)
      const columns = { bytes: bytesBefore(bytes, first, column), units: column }
      const cut = search.aroundMatch ? cutBlock(text, column, maxReportedUnits) : cutText(text, maxReportedUnits)
      const record = { line, lineCount, ...cut, column: columns, length, count }
      const next = numbers.startOf(line + lineCount)
      write({ kind: 'match', ...record }, line + lineCount - 1, next - first.start)
      following = { at: next, lines: search.after }
      passed.restart()
    },
    pass({ line, lineCount }) {
      const first = numbers.startOf(line)
      passed.add({ first, last: lineCount === 1 ? first : numbers.startOf(line + lineCount - 1) })
    },
  }
  return { line, block, finish: () => after(Infinity) }

  function around(line: number, start: number): void {
    if (following.lines > 0) after(line)
    if (search.before > 0) before(start, line)
  }

  function after(until: number): void {
    while (following.lines > 0 && lastLine + 1 < until && following.at < bytes.length) {
      const line = lineFrom(bytes, following.at)
      context(lastLine + 1, line)
      following = { at: line.next, lines: following.lines - 1 }
    }
  }

  function before(start: number, line: number): void {
    const wanted = Math.min(search.before, line - 1 - lastLine)
    const found: Line[] = []
    for (let at = start; found.length < wanted; at = found.at(-1)!.start) found.push(lineAround(bytes, at - 1))
    found.reverse().forEach((each, i) => {
      context(line - found.length + i, each)
    })
  }

  function context(line: number, at: Line): void {
    const { start, end } = at
    const until = enoughFor(maxReportedUnits, at)
    const text = cutText(decodeLine(bytes, start, until), maxReportedUnits)
    write({ kind: 'context', line, ...text, ...(passed.has(start) && { isMatch: true }) }, line, end - start)
  }

  function write(record: SearchRecord, endLine: number, size: number): void {
    records.push(record)
    lastLine = endLine
    // A line that was cut takes at most three bytes for each unit reported.
    result.textBytes += record.cut ? Math.min(size, 3 * maxReportedUnits) : size
  }
}

/** Where a match that is not reported begins its first and its last line. */
interface PassedHit {
  first: number
  last: number
}

/** Those that can be context of a reported match: the first ones after the last that was reported, and the last ones. */
function passedHits({ before, after }: FileSearch) {
  let first: PassedHit[] = []
  let last: PassedHit[] = []
  return {
    add(hit: PassedHit): void {
      if (first.length < after) first.push(hit)
      last.push(hit)
      if (last.length > before) last.shift()
    },
    has: (start: number) => [...first, ...last].some((hit) => start >= hit.first && start <= hit.last),
    restart(): void {
      if (last.length === 0) return
      first = []
      last = []
    },
  }
}

function cutText(text: string, maxUnits: number): CutText {
  const part = cutUnits(text, maxUnits)
  return { text: part, cut: part.length < text.length }
}

/** Converts between offsets and line numbers, counting on from the last query. */
function lineNumbers(bytes: Bytes, given?: FindBytes['lineFeeds']) {
  const lineFeeds = given ?? countLineFeeds
  /** Fewer bytes are faster counted one by one. */
  const few = given === undefined ? 256 : 64
  let line = 1
  let place = 0
  return {
    at(start: number): number {
      if (start - place > few) {
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
