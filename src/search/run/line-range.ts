/** Searches in some lines of a file only, as if it had no others; line numbers are those of the file. */
import type { Bytes } from '../../fs/types.js'
import { countLineFeeds } from '../../text/lines/count-line-breaks.js'
import { type BlockHit, blockHits } from './block-hits.js'
import type { LineHit, LineSearch } from './hits.js'
import { lineHits } from './line-hits.js'

/** The first and the last line, both included. They count from 1, or, if negative, from the end, where -1 is the last line. */
export interface LineRange {
  first?: number
  last?: number
}

/** The bytes of the lines in a range, and how many lines are before them. */
export interface Stretch {
  start: number
  end: number
  linesBefore: number
}

/** Undefined when the file has none of these lines. Lines end in LF. */
export function stretchOf(
  bytes: Bytes,
  { first = 1, last = -1 }: LineRange,
  countFeeds: CountFeeds = countLineFeeds,
): Stretch | undefined {
  const start = first > 0 ? startFromTop(bytes, first) : (startFromEnd(bytes, -first) ?? 0)
  const end = last > 0 ? startFromTop(bytes, last + 1) : startFromEnd(bytes, -last - 1)
  if (end === undefined || start >= end) return undefined
  return { start, end, linesBefore: first > 0 ? first - 1 : countFeeds(bytes, 0, start) }
}

type CountFeeds = (bytes: Bytes, from: number, until: number) => number

/** Where a line starts; the end of the file when it has fewer lines. */
function startFromTop(bytes: Bytes, line: number): number {
  let start = 0
  for (let at = 1; at < line && start < bytes.length; at += 1) {
    const feed = bytes.indexOf(0x0a, start)
    start = feed < 0 ? bytes.length : feed + 1
  }
  return start
}

/** Where the line starts that has `line - 1` lines after it; undefined when the file has fewer lines. */
function startFromEnd(bytes: Bytes, line: number): number | undefined {
  let start = bytes.length
  for (let at = 0; at < line; at += 1) {
    if (start === 0) return undefined
    // The line feed that ends this line is not that of the one before.
    start = start === 1 ? 0 : bytes.lastIndexOf(0x0a, start - 2) + 1
  }
  return start
}

/** As `lineHits`. */
export function* lineHitsIn(
  bytes: Bytes,
  { start, end, linesBefore }: Stretch,
  search: LineSearch,
): Generator<readonly LineHit[], boolean> {
  const batches = lineHits(bytes.subarray(start, end), search)
  for (;;) {
    const batch = batches.next()
    if (batch.done === true) return batch.value
    yield batch.value.map((hit) => ({
      ...hit,
      start: hit.start + start,
      end: hit.end + start,
      next: hit.next + start,
      line: hit.line === undefined ? undefined : hit.line + linesBefore,
    }))
  }
}

/** As `blockHits`. */
export function* blockHitsIn(
  bytes: Bytes,
  { start, end, linesBefore }: Stretch,
  search: LineSearch,
): Generator<readonly BlockHit[], boolean> {
  const batches = blockHits(bytes.subarray(start, end), search)
  for (;;) {
    const batch = batches.next()
    if (batch.done === true) return batch.value
    yield batch.value.map((hit) => ({ ...hit, line: hit.line + linesBefore }))
  }
}
