/** Explains why a hunk does not fit a file, and finds a hunk for the same change that does. */
import type { PatchExplanation } from '../../errors.js'
import { matchSequences } from '../diff/match-sequences.js'
import { explainNoMatch } from '../edit/explain-no-match.js'
import { type LineTable, lineTable } from '../lines/lines.js'
import { hunkSpans, lineOfHunk } from './apply-hunks.js'
import { indentedLike } from './indent-hunk.js'
import type { HunkFailure } from './locate-hunks.js'
import type { Hunk, HunkLine } from './patch.js'
import { printHunk } from './print-hunk.js'

export interface ExplainOptions {
  /** Texts that the file had before, newest first. */
  earlierVersions?: readonly string[]
}

/** `hunks` are all of the file, of which `failure` names the one that does not fit. */
export function explainHunk(
  text: string,
  hunks: readonly Hunk[],
  failure: HunkFailure,
  options: ExplainOptions = {},
): PatchExplanation {
  const given = hunks[failure.hunk - 1]
  if (given === undefined) return {}
  const hunk = withoutLayout(given)
  const known = { patchLine: hunk.line }
  if (text.length > longestExplained) return known
  if (areApplied(text, hunks)) return { ...known, cause: 'already-applied' }
  const file: File = { text, table: lineTable(text), drift: driftBefore(hunks, failure.hunk - 1) }
  if (failure.reason === 'not-found') return { ...known, ...explainOldLines(file, hunk, options) }
  if (failure.reason === 'anchor-not-found') return { ...known, ...explainAnchor(file, hunk) }
  if (failure.reason === 'not-at-end') return { ...known, ...explainEnd(file, hunk) }
  if (failure.reason !== 'out-of-order') return known
  const line = lineOfHunk(text, hunk)
  return { ...known, ...(line !== undefined && { lines: [line] }) }
}

/** Searching a longer file for similar lines may take seconds. */
const longestExplained = 1_000_000

/** In V4A, a blank line before the next marker may be layout. */
function withoutLayout(hunk: Hunk): Hunk {
  const last = hunk.lines.at(-1)
  const isLayout = hunk.place.by === 'context' && last?.kind === 'context' && last.text === ''
  return isLayout ? { ...hunk, lines: hunk.lines.slice(0, -1) } : hunk
}

interface File {
  text: string
  table: LineTable
  /** How far the hunks before this one move its new lines. */
  drift: number
}

function driftBefore(hunks: readonly Hunk[], index: number): number {
  return hunks.slice(0, index).reduce((sum, hunk) => sum + growth(hunk), 0)
}

/** Lines added, less those removed. */
function growth({ lines }: Hunk): number {
  return lines.reduce((sum, { kind }) => sum + (kind === 'add' ? 1 : kind === 'remove' ? -1 : 0), 0)
}

/** Whether the patch is in the file already: then it fits in reverse. */
function areApplied(text: string, hunks: readonly Hunk[]): boolean {
  if (!hunks.every(showsResult)) return false
  let drift = 0
  const reversed = hunks.map((hunk): Hunk => {
    const { place } = hunk
    const lines = hunk.lines.map((line): HunkLine => ({ ...line, kind: opposite[line.kind] }))
    const there = place.by === 'number' ? { ...place, oldStart: place.oldStart + drift } : place
    drift += growth(hunk)
    return { ...hunk, place: there, lines }
  })
  return hunkSpans(text, reversed).ok
}

const opposite = { context: 'context', add: 'remove', remove: 'add' } as const

/** A hunk that only removes lines says nothing about the result, unless it has context on both sides. */
function showsResult({ lines }: Hunk): boolean {
  if (lines.some(({ kind, text }) => kind === 'add' && text.trim() !== '')) return true
  return lines[0]?.kind === 'context' && lines.at(-1)?.kind === 'context'
}

function explainOldLines(file: File, hunk: Hunk, { earlierVersions = [] }: ExplainOptions): PatchExplanation {
  const old = textsOf(hunk.lines, 'add')
  if (old.length === 0) return { cause: 'absent', ...nearestAt(file, file.table.count, file.table.count) }
  const edit = { find: old.join('\n'), replace: textsOf(hunk.lines, 'remove').join('\n') }
  const { cause, lines, nearest, suggestion } = explainNoMatch(file.text, edit, { earlierVersions })
  if (cause === 'already-applied') return { cause, ...(lines && { lines }) }
  const first = lines === undefined ? nearest?.line : closest(lines, hunk)
  if (first === undefined) return { cause, ...linesThere(file, hunk, old.length) }
  const count = nearest && lines === undefined ? nearest.endLine - nearest.line + 1 : lineCountOf(suggestion, old)
  const last = Math.min(file.table.count, first + count - 1)
  // Found, but not as whole lines: the lines of the file are longer.
  const named = cause === 'other-lines' ? 'similar-text' : cause
  return { cause: named, ...(lines && { lines: [first] }), ...instead(file, hunk, { first, last, cause: named }) }
}

/** What the file has where the hunk should be. */
function linesThere(file: File, { place }: Hunk, count: number): PatchExplanation {
  if (place.by !== 'number' || place.oldStart < 1) return {}
  return nearestAt(file, place.oldStart, Math.min(file.table.count, place.oldStart + count - 1))
}

function lineCountOf(suggestion: string | undefined, old: readonly string[]): number {
  return suggestion === undefined
    ? old.length
    : suggestion.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n').length
}

function textsOf(lines: readonly HunkLine[], without: HunkLine['kind']): string[] {
  return lines.filter(({ kind }) => kind !== without).map(({ text }) => text)
}

/** The line nearest to where the hunk should be. */
function closest(lines: readonly number[], { place }: Hunk): number | undefined {
  if (place.by !== 'number') return lines[0]
  const distance = (line: number) => Math.abs(line - place.oldStart)
  return lines.reduce<number | undefined>(
    (best, line) => (best === undefined || distance(line) < distance(best) ? line : best),
    undefined,
  )
}

interface Block {
  first: number
  last: number
  cause?: PatchExplanation['cause']
}

/** A hunk that fits at the lines, or else these lines. */
function instead(file: File, hunk: Hunk, block: Block): PatchExplanation {
  const better = fitted(file, hunk, block)
  if (better !== undefined && fits(file, better)) return { lines: [block.first], suggestion: printed(file, better) }
  const last = block.first + textsOf(hunk.lines, 'add').length - 1
  return nearestAt(file, block.first, Math.min(file.table.count, Math.max(block.last, last)))
}

function fits({ text }: File, hunk: Hunk): boolean {
  return hunkSpans(text, [hunk]).ok && hunk.lines.some(({ kind }) => kind !== 'context')
}

function printed({ drift }: File, hunk: Hunk): string {
  return printHunk(hunk, { drift })
}

/** More lines would not help. */
const maxNearest = 20

function nearestAt({ text, table }: File, first: number, last: number): PatchExplanation {
  const texts = linesBetween(text, table, first, Math.min(last, first + maxNearest - 1))
  return texts.length === 0 ? {} : { nearest: { line: first, texts } }
}

function linesBetween(text: string, table: LineTable, first: number, last: number): string[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    text.slice(table.start(first + index), table.contentEnd(first + index)),
  )
}

/** The hunk with the lines of the file in place of its old lines; undefined where it is not clear which takes the place of which. */
function fitted({ text, table }: File, hunk: Hunk, { first, last, cause }: Block): Hunk | undefined {
  const block = linesBetween(text, table, first, last)
  const oldLines = hunk.lines.filter(({ kind }) => kind !== 'add')
  const replaced = alignedLines(hunk.lines, oldLines, block)
  if (replaced === undefined) return undefined
  const isIndented = cause === 'whitespace' || cause === 'tabs-and-spaces'
  const lines = isIndented ? indentedLike(replaced, hunk.lines, { block, sample: text }) : replaced
  const place = hunk.place.by === 'number' ? { by: 'number' as const, oldStart: first } : hunk.place
  return { ...hunk, place, lines }
}

/** The hunk's lines with those of the file; undefined where it is not clear which takes the place of a removed one. */
function alignedLines(
  lines: readonly HunkLine[],
  old: readonly HunkLine[],
  block: readonly string[],
): HunkLine[] | undefined {
  const aligned = align(old, block)
  if (aligned === undefined) return undefined
  const { inPlace, before } = aligned
  const contextBefore = (at: number) => (before.get(at) ?? []).map((text): HunkLine => ({ kind: 'context', text }))
  let oldAt = -1
  const fittedLines = lines.flatMap((line): HunkLine[] => {
    if (line.kind === 'add') return [line]
    oldAt += 1
    const text = inPlace[oldAt]
    return [...contextBefore(oldAt), ...(text === undefined ? [] : [{ ...line, text }])]
  })
  return [...fittedLines, ...contextBefore(old.length)]
}

interface Aligned {
  /** For each old line the one of the file; undefined for context that the file does not have. */
  inPlace: (string | undefined)[]
  /** Lines that only the file has, by the old line they stand before. */
  before: Map<number, string[]>
}

/** Lines that are equal but for outer white space take each other's place, and so do as many lines between them. */
function align(old: readonly HunkLine[], block: readonly string[]): Aligned | undefined {
  if (old.length === block.length) return { inPlace: [...block], before: new Map() }
  const { oldMatched, newMatched } = matchSequences(
    old.map(({ text }) => text.trim()),
    block.map((text) => text.trim()),
  )
  const inPlace: (string | undefined)[] = []
  const before = new Map<number, string[]>()
  for (let at = 0; inPlace.length < old.length || at < block.length; ) {
    const oldAt = inPlace.length
    const oldGap = unmatchedFrom(oldMatched, oldAt)
    const gap = block.slice(at, at + unmatchedFrom(newMatched, at))
    if (oldGap === gap.length) inPlace.push(...gap)
    else {
      if (old.slice(oldAt, oldAt + oldGap).some(({ kind }) => kind === 'remove')) return undefined
      inPlace.push(...new Array<undefined>(oldGap))
      before.set(oldAt, gap)
    }
    at += gap.length
    for (; oldMatched[inPlace.length] && newMatched[at]; at += 1) inPlace.push(block[at])
  }
  return { inPlace, before }
}

function unmatchedFrom(matched: Uint8Array, from: number): number {
  let end = from
  while (end < matched.length && !matched[end]) end += 1
  return end - from
}

/** The first line named by `@@` that the file does not have, and what it has instead. */
function explainAnchor(file: File, hunk: Hunk): PatchExplanation {
  const { place } = hunk
  if (place.by !== 'context') return {}
  const without = { ...hunk, place: { ...place, anchors: [] } }
  for (const [index, anchor] of place.anchors.entries()) {
    const { cause, nearest, lines } = explainNoMatch(file.text, { find: anchor })
    const line = lines?.[0] ?? nearest?.line
    if (cause === 'other-lines' || line === undefined) continue
    const [text = ''] = linesBetween(file.text, file.table, line, line)
    const better = {
      ...hunk,
      place: { ...place, anchors: place.anchors.map((each, at) => (at === index ? text : each)) },
    }
    if (fits(file, better)) return { cause, lines: [line], suggestion: printed(file, better) }
    return { cause, ...(fits(file, without) ? { suggestion: printed(file, without) } : nearestAt(file, line, line)) }
  }
  return fits(file, without) ? { suggestion: printed(file, without) } : {}
}

/** The lines are there, but the file goes on after them, or ends with another final newline. */
function explainEnd(file: File, hunk: Hunk): PatchExplanation {
  const lines = hunk.lines.map(({ ending, ...line }): HunkLine => (ending ? { ...line, ending } : line))
  const place = hunk.place.by === 'context' ? { ...hunk.place, atEnd: false } : hunk.place
  const better = { ...hunk, place, lines }
  const line = lineOfHunk(file.text, better)
  if (line === undefined) return {}
  const there = better.place.by === 'number' ? { ...better, place: { ...better.place, oldStart: line } } : better
  return { lines: [line], ...(fits(file, there) && { suggestion: printed(file, there) }) }
}
