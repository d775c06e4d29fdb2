/** Three-way merge of lines as git does it: what only one side changed is taken from it, what both changed otherwise is a conflict. */
import { changedLines } from '../diff/changed-lines.js'
import type { LineChange } from '../diff/diff.js'

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
  one: readonly LineChange[],
  other: readonly LineChange[],
  o: readonly string[],
  t: readonly string[],
): MergePart[] {
  const parts: MergePart[] = []
  const add = (part: MergePart) => {
    const last = parts.at(-1)
    if (
      last !== undefined &&
      (part.ours <= last.ours + last.oursCount || part.theirs <= last.theirs + last.theirsCount)
    ) {
      if (last.kind !== part.kind) last.kind = 'conflict'
      last.baseCount = part.base + part.baseCount - last.base
      last.oursCount = part.ours + part.oursCount - last.ours
      last.theirsCount = part.theirs + part.theirsCount - last.theirs
    } else parts.push(part)
  }
  const size = (change: LineChange) => [change.oldEnd - change.oldStart, change.newEnd - change.newStart] as const
  let [i, j] = [0, 0]
  while (i < one.length || j < other.length) {
    const [a, c] = [one[i], other[j]]
    const last = (changes: readonly LineChange[]) => changes.at(-1)
    if (a !== undefined && (c === undefined || a.oldEnd < c.oldStart)) {
      const before = c ?? last(other)
      const shift = c !== undefined ? c.newStart - c.oldStart : before === undefined ? 0 : before.newEnd - before.oldEnd
      const [removed, added] = size(a)
      add({
        kind: 'ours',
        base: a.oldStart,
        baseCount: removed,
        ours: a.newStart,
        oursCount: added,
        theirs: a.oldStart + shift,
        theirsCount: removed,
      })
      i += 1
      continue
    }
    if (c !== undefined && (a === undefined || c.oldEnd < a.oldStart)) {
      const before = a ?? last(one)
      const shift = a !== undefined ? a.newStart - a.oldStart : before === undefined ? 0 : before.newEnd - before.oldEnd
      const [removed, added] = size(c)
      add({
        kind: 'theirs',
        base: c.oldStart,
        baseCount: removed,
        ours: c.oldStart + shift,
        oursCount: removed,
        theirs: c.newStart,
        theirsCount: added,
      })
      j += 1
      continue
    }
    if (a === undefined || c === undefined) break
    if (!isSameChange(a, c, o, t)) add(overlap(a, c))
    const [endA, endC] = [a.oldEnd, c.oldEnd]
    if (endA >= endC) j += 1
    if (endC >= endA) i += 1
  }
  return parts
}

function isSameChange(a: LineChange, c: LineChange, o: readonly string[], t: readonly string[]): boolean {
  if (a.oldStart !== c.oldStart || a.oldEnd !== c.oldEnd || a.newEnd - a.newStart !== c.newEnd - c.newStart)
    return false
  for (let k = 0; k < a.newEnd - a.newStart; k += 1) if (o[a.newStart + k] !== t[c.newStart + k]) return false
  return true
}

function overlap(a: LineChange, c: LineChange): MergePart {
  const start = a.oldStart - c.oldStart
  const end = a.oldEnd - c.oldEnd
  let [base, ours, theirs] = [a.oldStart, a.newStart, c.newStart]
  if (start > 0) {
    base -= start
    ours -= start
  } else theirs += start
  let [baseCount, oursCount, theirsCount] = [a.oldEnd - base, a.newEnd - ours, c.newEnd - theirs]
  if (end < 0) {
    baseCount -= end
    oursCount -= end
  } else theirsCount += end
  return { kind: 'conflict', base, baseCount, ours, oursCount, theirs, theirsCount }
}

/** Takes lines that both sides of a conflict have in common out of it; nothing is left of one in which both did the same. */
function refined(parts: readonly MergePart[], o: readonly string[], t: readonly string[]): MergePart[] {
  return parts.flatMap((part): MergePart[] => {
    if (part.kind !== 'conflict' || part.oursCount === 0 || part.theirsCount === 0) return [part]
    const mine = o.slice(part.ours, part.ours + part.oursCount)
    const other = t.slice(part.theirs, part.theirs + part.theirsCount)
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
