/** Finds the changes that made lines what they are now. */

import { changedLines } from '../../text/diff/changed-lines.js'
import { splitAfterLf } from '../../text/diff/diff-lines.js'
import type { LineRange } from '../../text/merge/merge-texts.js'

/** A text, and the change that made it from the one before; absent for what no change made. */
export interface Version {
  text: string
  by?: string
}

/** The changes that made or removed something in these lines of the last version since the first one, in the order of the versions. */
export function whoChanged(versions: readonly Version[], ranges: readonly LineRange[]): string[] {
  const [first, ...later] = versions
  let lines = splitAfterLf(first?.text ?? '')
  /** Who made each line, and who removed something before it; one more for the end. */
  let made: (string | undefined)[] = lines.map(() => undefined)
  let removed: (string | undefined)[] = [...made, undefined]
  /** Who made the lines that are gone: they may come back. */
  const gone = new Map<string, string | undefined>()
  for (const { text, by } of later) {
    const next = splitAfterLf(text)
    const [nextMade, nextRemoved]: [typeof made, typeof removed] = [[], []]
    let at = 0
    const keepUntil = (end: number) => {
      for (; at < end; at += 1) {
        nextMade.push(made[at])
        nextRemoved.push(removed[at])
      }
    }
    for (const { oldStart, oldEnd, newStart, newEnd } of changedLines(lines, next)) {
      keepUntil(oldStart)
      for (let line = oldStart; line < oldEnd; line += 1) gone.set(lines[line] as string, made[line])
      for (let line = newStart; line < newEnd; line += 1) {
        nextMade.push(by ?? gone.get(next[line] as string))
        nextRemoved.push(line === newStart ? by : undefined)
      }
      if (newStart === newEnd) removed[oldEnd] = by
      at = oldEnd
    }
    keepUntil(lines.length)
    nextRemoved.push(removed[lines.length])
    lines = next
    made = nextMade
    removed = nextRemoved
  }
  const found = new Set<string | undefined>()
  for (const { start, end } of ranges) {
    for (let line = start; line < end; line += 1) found.add(made[line])
    for (let line = start; line <= end; line += 1) found.add(removed[line])
  }
  return versions.flatMap(({ by }) => (by !== undefined && found.has(by) ? by : []))
}

/** Lines of one text as lines of another: what changed in between is included whole. */
export function sameLines(from: string, to: string, { start, end }: LineRange): LineRange {
  if (from === to) return { start, end }
  let [shiftStart, shiftEnd] = [0, 0]
  let [first, last] = [start, end]
  for (const { oldStart, oldEnd, newStart, newEnd } of changedLines(splitAfterLf(from), splitAfterLf(to))) {
    const grown = newEnd - oldEnd - (newStart - oldStart)
    if (oldEnd <= start) shiftStart += grown
    else if (oldStart < start) first = Math.min(first, oldStart)
    if (oldStart <= end) shiftEnd += grown
    if (oldStart <= end && oldEnd > last) last = oldEnd
  }
  return { start: first + shiftStart, end: Math.max(first + shiftStart, last + shiftEnd) }
}
