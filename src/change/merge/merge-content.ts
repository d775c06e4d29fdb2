/** Merges one file or link of which ours and theirs started with the same base. */

import { areEqual } from '../../fs/backends/memory-differences.js'
import type { Bytes } from '../../fs/types.js'
import { openText } from '../../text/decode/document.js'
import { openShown } from '../../text/decode/shown-text.js'
import { splitAfterLf } from '../../text/diff/diff-lines.js'
import { mergeBytes } from '../../text/merge/merge-bytes.js'
import type { LineRange, Overlap } from '../../text/merge/merge-texts.js'
import type { EntryState } from '../entry-image.js'
import type { Image } from '../journal/record.js'
import type { MergeConflict, MergeSide } from './types.js'

export interface Versions {
  /** Absent for an entry that both sides made. */
  base: EntryState
  ours: EntryState
  theirs: EntryState
}

export type MergedContent =
  | { from: 'ours' | 'theirs' }
  | { from: 'merged'; bytes: Bytes }
  /** `favored` merges once more, with one side where they overlap; absent where there are no lines. */
  | { from: 'conflict'; rows: ConflictRow[]; favored?: (side: MergeSide) => Bytes }

/** A conflict whose place is known to the caller. */
export type ConflictRow = Omit<MergeConflict, 'path' | 'theirPath'>

export function mergeContent({ base, ours, theirs }: Versions): MergedContent {
  if (sameContent(ours.image, theirs.image) || sameContent(base.image, theirs.image)) return { from: 'ours' }
  if (sameContent(base.image, ours.image)) return { from: 'theirs' }
  const before = base.image.kind === 'absent' ? new Uint8Array() : base.bytes
  const [own, other] = [ours.bytes, theirs.bytes]
  const areFiles = before !== undefined && own !== undefined && other !== undefined
  const merged = areFiles ? mergeBytes(before, own, other) : undefined
  if (!areFiles || merged === undefined)
    return { from: 'conflict', rows: [{ reason: 'content', ...textsOf({ base, ours, theirs }) }] }
  if (merged.overlaps.length === 0) {
    // Ours may have it all already, by way of another fork.
    return areEqual(merged.bytes, own) ? { from: 'ours' } : { from: 'merged', bytes: merged.bytes }
  }
  return {
    from: 'conflict',
    rows: rowsOf(merged.overlaps, before, own, other),
    // The same three were merged just now.
    favored: (favor) => mergeBytes(before, own, other, { favor })!.bytes,
  }
}

/** True where at most the mode differs. */
export function sameContent(a: Image, b: Image): boolean {
  if (a.kind === 'file') return b.kind === 'file' && a.hash === b.hash
  if (a.kind === 'symlink') return b.kind === 'symlink' && a.target === b.target && a.verbatim === b.verbatim
  return a.kind === b.kind
}

/** The mode that results; undefined where both sides changed it. */
export function mergeMode({ base, ours, theirs }: Versions): { mode: number | undefined } | undefined {
  const [before, own, other] = [modeOf(base), modeOf(ours), modeOf(theirs)]
  if (own === undefined || other === undefined || own === other) return { mode: own ?? other }
  if (before === other) return { mode: own }
  return before === own ? { mode: other } : undefined
}

export function modeOf({ image }: EntryState): number | undefined {
  return 'mode' in image ? image.mode : undefined
}

/** The whole text of each side that has one. */
export function textsOf({ base, ours, theirs }: Versions): Pick<ConflictRow, 'ours' | 'theirs' | 'base'> {
  const [own, other, before] = [textOf(ours), textOf(theirs), textOf(base)]
  return {
    ...(own !== undefined && { ours: own }),
    ...(other !== undefined && { theirs: other }),
    ...(before !== undefined && { base: before }),
  }
}

const maxShownBytes = 64 * 1024

function textOf({ image, bytes }: EntryState): string | undefined {
  if (image.kind === 'symlink') return image.target
  return bytes === undefined || bytes.length > maxShownBytes ? undefined : openShown(bytes)?.text
}

function rowsOf(overlaps: readonly Overlap[], base: Bytes, ours: Bytes, theirs: Bytes): ConflictRow[] {
  const [b, o, t] = [linesOf(base), linesOf(ours), linesOf(theirs)]
  return overlaps.map((overlap) => ({
    reason: 'lines',
    lines: { first: overlap.ours.start + 1, last: overlap.ours.end },
    ours: cut(o, overlap.ours),
    theirs: cut(t, overlap.theirs),
    base: cut(b, overlap.base),
  }))
}

function linesOf(bytes: Bytes): string[] {
  return splitAfterLf(openShown(bytes)?.text ?? openText(bytes).text)
}

function cut(lines: readonly string[], { start, end }: LineRange): string {
  return lines.slice(start, end).join('')
}
