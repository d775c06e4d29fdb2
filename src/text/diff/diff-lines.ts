import { countLf, linesBack, linesOn } from './line-ends.js'
import { matchSequences } from './match-sequences.js'

/** Lines `[oldStart, oldEnd)` are replaced by lines `[newStart, newEnd)`; one range may be empty, never both. */
export interface LineChange {
  oldStart: number
  oldEnd: number
  newStart: number
  newEnd: number
}

/** The difference of two texts. Only lines around the changes are stored, so that a local edit in a long file costs little. */
export interface LineDiff {
  /** The number of equal lines before the first of `oldLines` and `newLines`. */
  skipped: number
  /** Lines with their endings: changed ones, those in between, and up to `context` on either side. */
  oldLines: readonly string[]
  newLines: readonly string[]
  /** In order; indexes into `oldLines` and `newLines`. */
  changes: readonly LineChange[]
}

/**
 * The difference in few changes: the fewest possible, except for large rewrites, where finding them would take too long. A line ends with
 * LF, as in git: CR belongs to the line, so that a different line ending is a change. Equal texts have no changes.
 */
export function diffLines(before: string, after: string, { context = 0 } = {}): LineDiff {
  if (before === after) return { skipped: 0, oldLines: [], newLines: [], changes: [] }
  const same = commonLines(before, after)
  const start = linesBack(before, same.start, context)
  const oldEnd = linesOn(before, same.oldEnd, context)
  const newEnd = same.newEnd + (oldEnd - same.oldEnd)
  const oldLines = splitAfterLf(before.slice(start, oldEnd))
  const newLines = splitAfterLf(after.slice(start, newEnd))
  const changes = changesBetween(oldLines, newLines)
  // With repeated lines, the last change may extend into the common end of the texts.
  const below = oldLines.length - (changes.at(-1)?.oldEnd ?? 0)
  const more = splitAfterLf(before.slice(oldEnd, linesOn(before, oldEnd, context - below)))
  for (const line of more) {
    oldLines.push(line)
    newLines.push(line)
  }
  return { skipped: countLf(before, 0, start), oldLines, newLines, changes }
}

/** Lines with their LF; the last line may have none. */
export function splitAfterLf(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
    lines.push(text.slice(start, at + 1))
    start = at + 1
  }
  if (start < text.length) lines.push(text.slice(start))
  return lines
}

/** The end of the whole lines common to both starts, and the start of those common to both ends. */
function commonLines(a: string, b: string): { start: number; oldEnd: number; newEnd: number } {
  const prefix = commonPrefix(a, b)
  const start = prefix === 0 ? 0 : a.lastIndexOf('\n', prefix - 1) + 1
  const tail = commonSuffix(a, b, Math.min(a.length, b.length) - start)
  let oldEnd = a.length - tail
  const shift = b.length - a.length
  const startsLine = (text: string, at: number) => at === start || text[at - 1] === '\n'
  if (!startsLine(a, oldEnd) || !startsLine(b, oldEnd + shift)) oldEnd = linesOn(a, oldEnd, 1)
  return { start, oldEnd, newEnd: oldEnd + shift }
}

/** Compares slices, which is fast: large ones first, then smaller ones down to the character that differs. */
const sliceLengths = [65_536, 4_096, 256, 16, 1]

function commonPrefix(a: string, b: string): number {
  const limit = Math.min(a.length, b.length)
  let end = 0
  for (const length of sliceLengths) {
    while (end + length <= limit && a.slice(end, end + length) === b.slice(end, end + length)) end += length
  }
  return end
}

function commonSuffix(a: string, b: string, limit: number): number {
  let found = 0
  for (const length of sliceLengths) {
    while (
      found + length <= limit &&
      a.slice(a.length - found - length, a.length - found) === b.slice(b.length - found - length, b.length - found)
    ) {
      found += length
    }
  }
  return found
}

function changesBetween(oldLines: readonly string[], newLines: readonly string[]): LineChange[] {
  const { oldMatched, newMatched } = matchSequences(oldLines, newLines)
  const changes: LineChange[] = []
  let oldAt = 0
  let newAt = 0
  while (oldAt < oldLines.length || newAt < newLines.length) {
    const oldStart = oldAt
    const newStart = newAt
    while (oldAt < oldLines.length && !oldMatched[oldAt]) oldAt += 1
    while (newAt < newLines.length && !newMatched[newAt]) newAt += 1
    if (oldAt > oldStart || newAt > newStart) changes.push({ oldStart, oldEnd: oldAt, newStart, newEnd: newAt })
    // Matched lines come in pairs.
    while (oldMatched[oldAt] && newMatched[newAt]) {
      oldAt += 1
      newAt += 1
    }
  }
  return changes
}
