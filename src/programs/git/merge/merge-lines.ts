/** Merges two changed versions of a text line by line, with conflict markers where both changed the same lines. */
import { splitAfterLf } from '../../../text/diff/diff.js'
import { diffLines, type LineChange } from '../diff/line-diff.js'

export interface MergeLabels {
  ours: string
  base: string
  theirs: string
}

export interface MergeStyle {
  labels: MergeLabels
  /** `diff3` also shows the common ancestor. */
  style: 'merge' | 'diff3' | 'zdiff3'
  favor?: 'ours' | 'theirs' | 'union'
}

export interface MergedText {
  text: string
  conflicts: number
}

/** A stretch of lines that one side or both have changed. */
interface Part {
  kind: 'conflict' | 'ours' | 'theirs' | 'same'
  base: number
  baseCount: number
  ours: number
  oursCount: number
  theirs: number
  theirsCount: number
}

export function mergeTexts(
  base: string,
  ours: string,
  theirs: string,
  { labels, style, favor }: MergeStyle,
): MergedText {
  const [b, o, t] = [splitAfterLf(base), splitAfterLf(ours), splitAfterLf(theirs)]
  const inOurs = diffLines(b, o, { indentHeuristic: false })
  const inTheirs = diffLines(b, t, { indentHeuristic: false })
  let parts = partsOf(inOurs, inTheirs, o, t)
  if (style === 'merge') parts = joined(refined(parts, o, t))
  let text = ''
  let conflicts = 0
  let at = 0
  for (const part of parts) {
    if (part.kind === 'same') continue
    text += o.slice(at, part.ours).join('')
    const [mine, other] = [
      o.slice(part.ours, part.ours + part.oursCount),
      t.slice(part.theirs, part.theirs + part.theirsCount),
    ]
    at = part.ours + part.oursCount
    if (part.kind === 'ours') text += mine.join('')
    else if (part.kind === 'theirs') text += other.join('')
    else if (favor === 'ours') text += mine.join('')
    else if (favor === 'theirs') text += other.join('')
    else if (favor === 'union') text += ended(mine.join('')) + other.join('')
    else {
      conflicts += 1
      const original =
        style === 'merge'
          ? ''
          : `||||||| ${labels.base}\n${ended(b.slice(part.base, part.base + part.baseCount).join(''))}`
      text += `<<<<<<< ${labels.ours}\n${ended(mine.join(''))}${original}=======\n${ended(other.join(''))}>>>>>>> ${labels.theirs}\n`
    }
  }
  return { text: text + o.slice(at).join(''), conflicts }
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function partsOf(
  one: readonly LineChange[],
  other: readonly LineChange[],
  o: readonly string[],
  t: readonly string[],
): Part[] {
  const parts: Part[] = []
  const add = (part: Part) => {
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

function overlap(a: LineChange, c: LineChange): Part {
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

/** Lines that both sides of a conflict have in common are taken out of it. */
function refined(parts: readonly Part[], o: readonly string[], t: readonly string[]): Part[] {
  return parts.flatMap((part): Part[] => {
    if (part.kind !== 'conflict' || part.oursCount === 0 || part.theirsCount === 0) return [part]
    const mine = o.slice(part.ours, part.ours + part.oursCount)
    const other = t.slice(part.theirs, part.theirs + part.theirsCount)
    const changes = diffLines(mine, other, { indentHeuristic: false })
    if (changes.length === 0) return [{ ...part, kind: 'same' }]
    return changes.map((change) => ({
      ...part,
      ours: part.ours + change.oldStart,
      oursCount: change.oldEnd - change.oldStart,
      theirs: part.theirs + change.newStart,
      theirsCount: change.newEnd - change.newStart,
    }))
  })
}

/** Conflicts with at most three lines between them are shown as one. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = []
  for (const part of parts) {
    const last = result.at(-1)
    const isNear = last !== undefined && part.ours - (last.ours + last.oursCount) <= 3
    if (last === undefined || last.kind !== 'conflict' || part.kind !== 'conflict' || !isNear) {
      result.push({ ...part })
      continue
    }
    last.oursCount = part.ours + part.oursCount - last.ours
    last.theirsCount = part.theirs + part.theirsCount - last.theirs
  }
  return result
}
