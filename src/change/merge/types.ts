/** What a merge takes and gives. Ours is the workspace that is merged into, theirs the fork, the base what both started with. */
import type { ChangeRecord } from '../journal/record.js'

/** What is taken where both sides changed the same. `both` is for lines: ours, and theirs after them. */
export type MergeSide = 'ours' | 'theirs' | 'both'

/** A side, or what the file is to have instead. */
export type MergeResolution = MergeSide | { text: string }

export interface MergeOptions {
  /** What the history calls the change. Default: `merge` and the name of the fork. */
  label?: string
  /** Only says what would be done. */
  dryRun?: boolean
  /** By the paths of conflicts. */
  resolve?: Readonly<Record<string, MergeResolution>>
  /** For conflicts that `resolve` does not name; by default they stay, and nothing is changed. */
  favor?: 'ours' | 'theirs'
  /** Directories that are not merged. */
  leaveOut?: readonly string[]
  signal?: AbortSignal
}

export interface MergeOutcome {
  /** Absent when nothing had to change, with conflicts, and in a dry run. */
  record?: ChangeRecord
  /** What was changed or, with conflicts and in a dry run, would be. Sorted by path. */
  merged: MergedEntry[]
  /** Sorted by path. While there are any, nothing is changed. */
  conflicts: MergeConflict[]
  /** Directories that the fork removed and that stay, because they have entries of others. */
  kept: string[]
}

/** Entries of directories that are made or removed are listed too. */
export interface MergedEntry {
  path: string
  change: 'added' | 'modified' | 'deleted' | 'moved'
  /** Where a moved file was. */
  from?: string
}

/** One place at which both sides changed the same; a file may have several. */
export interface MergeConflict {
  /** Where the entry is in ours, or in theirs where ours has none. `resolve` names it by this path. */
  path: string
  reason: MergeReason
  /** In ours, counted from 1; `last` is one less than `first` where ours only lacks lines before it. Absent for the whole entry. */
  lines?: { first: number; last: number }
  /** The lines, or the whole text of a small file or link; absent where a side has none, or none that is text. */
  ours?: string
  theirs?: string
  base?: string
  /** Where the fork has it, if elsewhere. */
  theirPath?: string
}

export type MergeReason =
  /** Both changed the same lines, or lines that touch. */
  | 'lines'
  /** Both changed it, and it is not text that can be merged. */
  | 'content'
  | 'mode'
  /** Both moved it, to different places. */
  | 'moved'
  /** The fork changed it, and ours has removed it. */
  | 'removed-in-ours'
  /** The fork removed it, and ours has changed or moved it. */
  | 'removed-in-theirs'
  /** Ours has something else where the fork puts an entry. */
  | 'taken'
  /** Both changed the same git repository. It is taken from one side, as a whole. */
  | 'repository'
