/** Three-way merge of lines as git does it: what only one side changed is taken from it, what both changed otherwise is a conflict. */
import { changedLines } from '../diff/changed-lines.js'
import type { LineChange } from '../diff/diff-lines.js'

/** A stretch of lines that one side or both have changed, by its place in each version. Lines between two stretches are the same in ours. */
export interface MergePart {
  kind: 'conflict' | 'ours' | 'theirs'
  base: number
  baseCount: number
  ours: number
  oursCount: number
  theirs: number
  theirsCount: number
}

/** The parts in order. With `refine`, those of a conflict are only the lines in which the two sides differ. */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
  { refine }: { refine: boolean },
): MergePart[] {
  const inOurs = changedLines(base, ours, { indentHeuristic: false })
  const inTheirs = changedLines(base, theirs, { indentHeuristic: false })
  const parts = partsOf(inOurs, inTheirs, ours, theirs)
  return refine ? refined(parts, ours, theirs) : parts
}

function partsOf(
  inOurs: readonly LineChange[],
  inTheirs: readonly LineChange[],
  ours: readonly string[],
  theirs: readonly string[],
): MergePart[] {
  const parts: MergePart[] = []
  let [i, j] = [0, 0]
  while (i < inOurs.length || j < inTheirs.length) {
    const [mine, other] = [inOurs[i], inTheirs[j]]
    if (mine !== undefined && (other === undefined || mine.oldEnd < other.oldStart)) {
      addPart(parts, onlyOurs(mine, shiftBefore(other, inTheirs)))
      i += 1
    } else if (other !== undefined && (mine === undefined || other.oldEnd < mine.oldStart)) {
      addPart(parts, onlyTheirs(other, shiftBefore(mine, inOurs)))
      j += 1
    } else if (mine !== undefined && other !== undefined) {
      if (!isSameChange(mine, other, ours, theirs)) addPart(parts, overlap(mine, other))
      // Both go on when they end at the same line.
      if (mine.oldEnd >= other.oldEnd) j += 1
      if (other.oldEnd >= mine.oldEnd) i += 1
    }
  }
  return parts
}

/** By how much lines of the base are further down on a side, before its next change, or after its last one. */
function shiftBefore(next: LineChange | undefined, changes: readonly LineChange[]): number {
  if (next !== undefined) return next.newStart - next.oldStart
  const last = changes.at(-1)
  return last === undefined ? 0 : last.newEnd - last.oldEnd
}

function onlyOurs({ oldStart, oldEnd, newStart, newEnd }: LineChange, theirShift: number): MergePart {
  const [baseCount, oursCount] = [oldEnd - oldStart, newEnd - newStart]
  const theirs = oldStart + theirShift
  return { kind: 'ours', base: oldStart, baseCount, ours: newStart, oursCount, theirs, theirsCount: baseCount }
}

function onlyTheirs({ oldStart, oldEnd, newStart, newEnd }: LineChange, ourShift: number): MergePart {
  const [baseCount, theirsCount] = [oldEnd - oldStart, newEnd - newStart]
  const ours = oldStart + ourShift
  return { kind: 'theirs', base: oldStart, baseCount, ours, oursCount: baseCount, theirs: newStart, theirsCount }
}

/** Joins parts that touch: of two kinds they are a conflict. */
function addPart(parts: MergePart[], part: MergePart): void {
  const last = parts.at(-1)
  const touches =
    last !== undefined && (part.ours <= last.ours + last.oursCount || part.theirs <= last.theirs + last.theirsCount)
  if (!touches) {
    parts.push(part)
    return
  }
  if (last.kind !== part.kind) last.kind = 'conflict'
  last.baseCount = part.base + part.baseCount - last.base
  last.oursCount = part.ours + part.oursCount - last.ours
  last.theirsCount = part.theirs + part.theirsCount - last.theirs
}

function isSameChange(
  mine: LineChange,
  other: LineChange,
  ours: readonly string[],
  theirs: readonly string[],
): boolean {
  const count = mine.newEnd - mine.newStart
  if (mine.oldStart !== other.oldStart || mine.oldEnd !== other.oldEnd || count !== other.newEnd - other.newStart)
    return false
  for (let k = 0; k < count; k += 1) if (ours[mine.newStart + k] !== theirs[other.newStart + k]) return false
  return true
}

/** Both changes, each with the lines around it that only the other one changes. */
function overlap(mine: LineChange, other: LineChange): MergePart {
  const base = Math.min(mine.oldStart, other.oldStart)
  const baseEnd = Math.max(mine.oldEnd, other.oldEnd)
  const [ours, oursEnd] = widened(mine, base, baseEnd)
  const [theirs, theirsEnd] = widened(other, base, baseEnd)
  const [baseCount, oursCount, theirsCount] = [baseEnd - base, oursEnd - ours, theirsEnd - theirs]
  return { kind: 'conflict', base, baseCount, ours, oursCount, theirs, theirsCount }
}

/** What a change makes of a range of the base that contains it. */
function widened(change: LineChange, base: number, baseEnd: number): [start: number, end: number] {
  return [change.newStart - (change.oldStart - base), change.newEnd + (baseEnd - change.oldEnd)]
}

/** Takes lines that both sides of a conflict have in common out of it; nothing is left of one in which both did the same. */
function refined(parts: readonly MergePart[], ours: readonly string[], theirs: readonly string[]): MergePart[] {
  return parts.flatMap((part): MergePart[] => {
    if (part.kind !== 'conflict' || part.oursCount === 0 || part.theirsCount === 0) return [part]
    const mine = ours.slice(part.ours, part.ours + part.oursCount)
    const other = theirs.slice(part.theirs, part.theirs + part.theirsCount)
    const changes = changedLines(mine, other, { indentHeuristic: false })
    return changes.map((change) => ({
      ...part,
      ours: part.ours + change.oldStart,
      oursCount: change.oldEnd - change.oldStart,
      theirs: part.theirs + change.newStart,
      theirsCount: change.newEnd - change.newStart,
    }))
  })
}
