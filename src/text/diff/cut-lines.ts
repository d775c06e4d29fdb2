/** Shortens long lines of a diff around what has changed in them. */
import type { LineChange, LineDiff } from './diff-lines.js'
import { matchSequences } from './match-sequences.js'

export interface CutDiff {
  diff: LineDiff
  /** Indexes of the lines that were cut. */
  oldCut: ReadonlySet<number>
  newCut: ReadonlySet<number>
}

export interface CutOptions {
  longest: number
  context: number
  budget: CuttingBudget
}

/** How much of long lines is still compared in detail, of all parts of a diff. */
export interface CuttingBudget {
  units: number
}

export function cuttingBudget(): CuttingBudget {
  return { units: maxComparedUnits }
}

/**
 * The diff with no line longer than `longest` characters, up to the marks `…` where something is left out, among those that changed and
 * `context` lines around them. A changed line shows what has changed and some of the text around it; any other its beginning and end.
 */
export function cutLongLines(diff: LineDiff, { longest, context, budget }: CutOptions): CutDiff {
  const oldCut = new Set<number>()
  const newCut = new Set<number>()
  const hasLong = (lines: readonly string[], start: number, end: number) =>
    lines.slice(Math.max(0, start - context), end + context).some(({ length }) => length > longest)
  const isLong = ({ oldStart, oldEnd, newStart, newEnd }: LineChange) =>
    hasLong(diff.oldLines, oldStart, oldEnd) || hasLong(diff.newLines, newStart, newEnd)
  if (!diff.changes.some(isLong)) return { diff, oldCut, newCut }
  const oldLines = [...diff.oldLines]
  const newLines = [...diff.newLines]
  const partners = pairs(diff.changes)
  const cut = (lines: string[], cuts: Set<number>, at: number, parts: readonly Part[] | undefined) => {
    const { text, ending } = withoutEnding(lines[at] as string)
    if (text.length <= longest) return
    cuts.add(at)
    lines[at] = (parts === undefined ? withoutMiddle(text, longest) : around(text, parts, longest)) + ending
  }
  for (const [oldAt, newAt] of partners) {
    const [one, other] = [diff.oldLines[oldAt] as string, diff.newLines[newAt] as string].map(withoutEnding) as [
      BareLine,
      BareLine,
    ]
    if (Math.max(one.text.length, other.text.length) <= longest) continue
    const { oldParts, newParts } = changedParts(one.text, other.text, budget)
    cut(oldLines, oldCut, oldAt, oldParts)
    cut(newLines, newCut, newAt, newParts)
  }
  const cutNew = new Set(partners.values())
  for (const at of oldLines.keys()) if (!partners.has(at)) cut(oldLines, oldCut, at, undefined)
  for (const at of newLines.keys()) if (!cutNew.has(at)) cut(newLines, newCut, at, undefined)
  return { diff: { ...diff, oldLines, newLines }, oldCut, newCut }
}

/** The n-th removed line of a change is compared with its n-th added one. */
function pairs(changes: readonly LineChange[]): Map<number, number> {
  const partners = new Map<number, number>()
  for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
    for (let n = 0; n < Math.min(oldEnd - oldStart, newEnd - newStart); n += 1) partners.set(oldStart + n, newStart + n)
  }
  return partners
}

interface BareLine {
  text: string
  ending: string
}

function withoutEnding(line: string): BareLine {
  const ending = line.endsWith('\r\n') ? '\r\n' : line.endsWith('\n') ? '\n' : ''
  return { text: line.slice(0, line.length - ending.length), ending }
}

/** A part of a line, possibly empty: where something was inserted or removed. */
interface Part {
  start: number
  end: number
}

/** Words are compared up to this length of a differing middle, and of all; beyond it, the whole middle is one change. */
const longestCompared = 20_000
const maxComparedUnits = 500_000

function changedParts(one: string, other: string, budget: CuttingBudget): { oldParts: Part[]; newParts: Part[] } {
  const most = Math.min(one.length, other.length)
  let head = 0
  while (head < most && one[head] === other[head]) head += 1
  let tail = 0
  while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1
  const [oldMiddle, newMiddle] = [one.slice(head, one.length - tail), other.slice(head, other.length - tail)]
  budget.units -= oldMiddle.length + newMiddle.length
  if (budget.units < 0 || Math.max(oldMiddle.length, newMiddle.length) > longestCompared) {
    return {
      oldParts: [{ start: head, end: one.length - tail }],
      newParts: [{ start: head, end: other.length - tail }],
    }
  }
  const [oldWords, newWords] = [words(oldMiddle), words(newMiddle)]
  const { oldMatched, newMatched } = matchSequences(oldWords, newWords)
  const oldParts: Part[] = []
  const newParts: Part[] = []
  let [oldAt, newAt, oldEnd, newEnd] = [0, 0, head, head]
  while (oldAt < oldWords.length || newAt < newWords.length) {
    const [oldStart, newStart] = [oldEnd, newEnd]
    for (; oldAt < oldWords.length && !oldMatched[oldAt]; oldAt += 1) oldEnd += (oldWords[oldAt] as string).length
    for (; newAt < newWords.length && !newMatched[newAt]; newAt += 1) newEnd += (newWords[newAt] as string).length
    oldParts.push({ start: oldStart, end: oldEnd })
    newParts.push({ start: newStart, end: newEnd })
    for (; oldMatched[oldAt] && newMatched[newAt]; oldAt += 1, newAt += 1) {
      oldEnd += (oldWords[oldAt] as string).length
      newEnd += (newWords[newAt] as string).length
    }
  }
  return { oldParts, newParts }
}

function words(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|./gsu) ?? []
}

/** How much of the line is shown on either side of a change. */
const surroundings = 40

/** The first changes that fit, with their surroundings. */
function around(text: string, parts: readonly Part[], longest: number): string {
  const windows: Part[] = []
  for (const { start, end } of parts) {
    const window = { start: Math.max(0, start - surroundings), end: Math.min(text.length, end + surroundings) }
    const last = windows.at(-1)
    if (last && window.start <= last.end) last.end = window.end
    else windows.push(window)
  }
  let shown = ''
  let at = 0
  for (const { start, end } of windows) {
    const room = longest - shown.length
    if (shown !== '' && end - start > room) break
    const [from, to] = [wholeFrom(text, start), wholeTo(text, end)]
    shown += (from > at ? '…' : '') + withoutMiddle(text.slice(from, to), room)
    at = to
  }
  return at < text.length ? `${shown}…` : shown
}

/** The beginning and the end of a text, together about `longest` characters. */
function withoutMiddle(text: string, longest: number): string {
  if (text.length <= longest) return text
  const end = Math.floor(longest / 4)
  return `${text.slice(0, wholeFrom(text, longest - end))}…${text.slice(wholeTo(text, text.length - end))}`
}

/** The place, or the one before it where it would split a character of two units. */
function wholeFrom(text: string, at: number): number {
  return splitsPair(text, at) ? at - 1 : at
}

function wholeTo(text: string, at: number): number {
  return splitsPair(text, at) ? at + 1 : at
}

function splitsPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1))
}
