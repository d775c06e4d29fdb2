import { lastAtMost } from '../lines/lines.js'
import type { Hunk, HunkLine } from './patch.js'
import { type AnchorSeeker, anchorSeeker } from './seek-anchors.js'
import { type Likeness, type LineSeeker, likenessRules, lineSeeker } from './seek-lines.js'

/** Why a hunk does not fit the file. */
export type HunkFault =
  /** Its old lines are not in the file. */
  | 'not-found'
  /** They are in the file, but only above an earlier hunk. */
  | 'out-of-order'
  /** They are in the file more than once. */
  | 'ambiguous'
  /** A line named by `@@` is not in the file. */
  | 'anchor-not-found'
  /** They are in the file, but not at its end as the patch requires, or with another final newline. */
  | 'not-at-end'
  /** The file has so many repeated lines that finding all places would take too long. */
  | 'too-repetitive'

export interface HunkFailure {
  /** Counted from 1. */
  hunk: number
  reason: HunkFault
  /** The first line of the file that differs where the hunk should be, counted from 1. */
  line?: number
  /** Lines where the hunk fits equally well, counted from 1. */
  lines?: readonly number[]
}

/** A hunk with its place: `lines` replace the `oldLength` lines of the file from `at` on, counted from 0. */
export interface LocatedHunk {
  at: number
  oldLength: number
  lines: readonly HunkLine[]
  /** How its old lines were compared with the file's, if they are not the same. */
  likeness?: Likeness
}

/** The lines of the file. */
export interface FileLines {
  count: number
  /** A line without its ending; undefined if there is none. */
  textAt(at: number): string | undefined
  /** Whether a line equals the text. */
  isAt(at: number, line: string): boolean
  /** All lines. */
  texts(): readonly string[]
  endsWithNewline: boolean
}

/** Places for all hunks, in ascending order and without overlap, or the first that has none. */
export function locateHunks(file: FileLines, hunks: readonly Hunk[], fuzz: number): LocatedHunk[] | HunkFailure {
  const seeker = lineSeeker(file.texts)
  const located: LocatedHunk[] = []
  const sought = hunks.some(({ place }) => place.by === 'context') ? seekAll(file, seeker, hunks) : []
  let cursor = 0
  let drift = 0
  for (const [index, hunk] of hunks.entries()) {
    const { place } = hunk
    const found =
      place.by === 'number'
        ? locateByNumber(file, seeker, hunk, { cursor, expected: place.oldStart + drift, fuzz })
        : chooseByContext(sought[index] as Sought, cursor)
    if ('reason' in found) return { hunk: index + 1, ...found }
    located.push(found)
    // Lines appended at the end do not affect the order of the other hunks.
    if (found.oldLength > 0 || found.at < file.count) cursor = found.at + found.oldLength
    if (place.by === 'number' && found.oldLength > 0) {
      drift = found.at + 1 - hunk.lines.indexOf(found.lines[0] as HunkLine) - place.oldStart
    }
  }
  return located.sort((a, b) => a.at - b.at)
}

type Failure = Omit<HunkFailure, 'hunk'>

/** As in git: at the line it names, moved as far as the hunk before; else at the nearest place that fits, below before above. */
function locateByNumber(
  file: FileLines,
  seeker: LineSeeker,
  hunk: Hunk,
  { cursor, expected, fuzz }: { cursor: number; expected: number; fuzz: number },
): LocatedHunk | Failure {
  const start = expected - 1
  const length = start >= cursor ? lengthAt(file, hunk.lines, start) : 0
  if (length > 0 && atEndIfRequired(file, hunk.lines, start, length)) {
    return { at: start, oldLength: length, lines: hunk.lines }
  }
  const old = oldTexts(hunk.lines)
  if (old.length === 0) {
    const fits = expected >= cursor && expected <= file.count && atEndIfRequired(file, hunk.lines, expected, 0)
    return fits ? { at: expected, oldLength: 0, lines: hunk.lines } : { reason: 'not-found' }
  }
  let reason: HunkFault = 'not-found'
  for (let dropped = 0; dropped <= fuzz; dropped += 1) {
    const { lines, lead } = withoutOuterContext(hunk.lines, dropped)
    const run = oldTexts(lines)
    if (run.length === 0) break
    const places = seeker.seek(run, 'same')
    if (seeker.isSpent) return { reason: 'too-repetitive' }
    const nearest = nearestTo(start + lead, fittingPlaces(file, lines, places, run.length), cursor)
    if (nearest !== undefined) return { at: nearest, oldLength: run.length, lines }
    const last = places.at(-1)
    if (last !== undefined) reason = last >= cursor ? 'not-at-end' : 'out-of-order'
  }
  const line = firstDifference(file, old, start)
  return { reason, ...(line !== undefined && { line }) }
}

/** The number of old lines if all of them match there, else 0. */
function lengthAt({ count, isAt }: FileLines, lines: readonly HunkLine[], start: number): number {
  let at = start
  for (const { kind, text } of lines) {
    if (kind === 'add') continue
    if (at < 0 || at >= count || !isAt(at, text)) return 0
    at += 1
  }
  return at - start
}

/** "No newline at end of file" means for both sides that the hunk is at the end of the file, and how the last line ends. */
function atEndIfRequired(file: FileLines, lines: readonly HunkLine[], at: number, oldLength: number): boolean {
  if (!lines.some(({ ending }) => ending === '')) return true
  if (at + oldLength !== file.count) return false
  const last = lines.filter(({ kind }) => kind !== 'add').at(-1)
  return last === undefined || (last.ending === '') !== file.endsWithNewline
}

/** All places, or only the one at the end of the file if the hunk has to be there. */
function fittingPlaces(
  file: FileLines,
  lines: readonly HunkLine[],
  places: readonly number[],
  oldLength: number,
): readonly number[] {
  if (!lines.some(({ ending }) => ending === '')) return places
  return places.slice(-1).filter((at) => atEndIfRequired(file, lines, at, oldLength))
}

/** The nearest place not above `cursor`; of two equally near ones the one below. */
function nearestTo(start: number, places: readonly number[], cursor: number): number | undefined {
  const before = lastAtMost(places, start)
  const above = places[before]
  const below = places[Math.max(before, lastAtMost(places, cursor - 1)) + 1]
  if (above === undefined || above < cursor) return below
  return below !== undefined && below - start <= start - above ? below : above
}

function firstDifference({ count, textAt }: FileLines, run: readonly string[], start: number): number | undefined {
  if (start < 0 || start >= count) return undefined
  const at = run.findIndex((line, index) => textAt(start + index) !== line)
  return at === -1 || start + at >= count ? undefined : start + at + 1
}

/** The hunk without up to `count` lines of context on either side. */
function withoutOuterContext(lines: readonly HunkLine[], count: number): { lines: readonly HunkLine[]; lead: number } {
  const lead = Math.min(count, keptAtStart(lines))
  const tail = Math.min(count, keptAtStart([...lines].reverse()))
  return { lines: lines.slice(lead, lines.length - tail), lead }
}

function keptAtStart(lines: readonly HunkLine[]): number {
  const changed = lines.findIndex(({ kind }) => kind !== 'context')
  return changed === -1 ? 0 : changed
}

/** All places for a V4A hunk; `latest` is the last one that leaves room for the hunks after it. */
interface Sought {
  places: readonly number[]
  anchored: readonly number[] | undefined
  lines: readonly HunkLine[]
  oldLength: number
  likeness?: Likeness
  latest: number
  fault: HunkFault
}

function seekAll(file: FileLines, seeker: LineSeeker, hunks: readonly Hunk[]): Sought[] {
  const anchors = anchorSeeker(file.texts, seeker)
  const all = hunks.map((hunk) => seekByContext(file, seeker, hunk, anchors))
  let room = file.count
  for (const sought of [...all].reverse()) {
    sought.latest = room - sought.oldLength
    const last = sought.places[lastAtMost(sought.places, sought.latest)]
    if (last !== undefined && sought.oldLength > 0) room = last
  }
  return all
}

function seekByContext(file: FileLines, seeker: LineSeeker, { place, lines }: Hunk, anchors: AnchorSeeker): Sought {
  const none: Sought = { places: [], anchored: undefined, lines, oldLength: 0, latest: 0, fault: 'not-found' }
  if (place.by !== 'context') return none
  const anchored = place.anchors.length > 0 ? anchors.places(place.anchors) : undefined
  if (seeker.isSpent) return { ...none, fault: 'too-repetitive' }
  if (anchored?.length === 0) return { ...none, fault: 'anchor-not-found' }
  const end = file.count
  // Added lines without context: right below the anchor, else at the end of the file.
  if (oldTexts(lines).length === 0) {
    return anchored && !place.atEnd
      ? { ...none, places: anchors.placesBelow(anchored), anchored }
      : { ...none, places: [end] }
  }
  let fault: HunkFault = 'not-found'
  for (const variant of variants(lines)) {
    const run = oldTexts(variant)
    if (run.length === 0) continue
    for (const rule of likenessRules) {
      const found = seeker.seek(run, rule)
      if (seeker.isSpent) return { ...none, fault: 'too-repetitive' }
      const places = place.atEnd ? found.slice(-1).filter((at) => at + run.length === end) : found
      if (places.length > 0) {
        const likeness = rule === 'same' ? {} : { likeness: rule }
        return { ...none, places, anchored, lines: variant, oldLength: run.length, ...likeness }
      }
      if (found.length > 0) fault = 'not-at-end'
    }
  }
  return { ...none, fault }
}

/** A blank line before the next marker may be layout rather than context. */
function variants(lines: readonly HunkLine[]): (readonly HunkLine[])[] {
  const last = lines.at(-1)
  return last?.kind === 'context' && last.text === '' ? [lines, lines.slice(0, -1)] : [lines]
}

/**
 * The only place that fits. Codex takes the first; here a hunk that fits in two places is refused, unless the order of the hunks or an
 * anchor decides: below an anchor, the first.
 */
function chooseByContext(sought: Sought, cursor: number): LocatedHunk | Failure {
  const { places, anchored, lines, oldLength, likeness, latest, fault } = sought
  if (places.length === 0) return { reason: fault }
  const from = lastAtMost(places, cursor - 1) + 1
  if (from === places.length) return { reason: 'out-of-order' }
  const withRoom = lastAtMost(places, latest) + 1
  const to = withRoom > from ? withRoom : places.length
  const meant = anchored ? firstBelow(anchored, places, from) : from
  const at = meant < to ? places[meant] : undefined
  if (at === undefined) return { reason: 'anchor-not-found' }
  const further = anchored ? nextBelow(anchored, places, at) : meant + 1
  if (further >= to) return { at, oldLength, lines, ...(likeness && { likeness }) }
  const all = places.slice(from, to)
  const fitting = anchored ? firstBelowEach(anchored, all) : all
  return { reason: 'ambiguous', lines: fitting.map((place) => place + 1) }
}

/** The index of the first place from `from` on that is below an anchor. */
function firstBelow(anchors: readonly number[], places: readonly number[], from: number): number {
  return Math.max(from, lastAtMost(places, (anchors[0] as number) - 1) + 1)
}

/** The index of the first place below the anchor after that of `at`. */
function nextBelow(anchors: readonly number[], places: readonly number[], at: number): number {
  const next = anchors[lastAtMost(anchors, at) + 1]
  return next === undefined ? places.length : lastAtMost(places, next - 1) + 1
}

/** A hunk may repeat its anchor as its first line, so the anchor's own line counts as below. */
function firstBelowEach(anchors: readonly number[], places: readonly number[]): number[] {
  const first = new Map<number, number>()
  for (const at of places) {
    const anchor = anchors[lastAtMost(anchors, at)]
    if (anchor !== undefined && !first.has(anchor)) first.set(anchor, at)
  }
  return [...first.values()]
}

function oldTexts(lines: readonly HunkLine[]): string[] {
  return lines.filter(({ kind }) => kind !== 'add').map(({ text }) => text)
}
