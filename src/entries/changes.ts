/** polyfs/changes: transactions, their journal and their history. */
export type { ChangeRequest, ChangeResult, Changes, HistoryLimits, Noted, Recovery } from '../change/changes.js'
export type { ProgressOptions } from '../change/commit-context.js'
export { contentHash } from '../change/content-hash.js'
export type { Draft } from '../change/draft.js'
export type { EntryState } from '../change/entry-image.js'
export type { Difference, History, ListFilter, Undone } from '../change/history/history.js'
export {
  type AtomicJournal,
  type Journal,
  type Landed,
  type MemoryJournal,
  memoryJournal,
  type Pending,
  storedJournal,
} from '../change/journal/journal.js'
export { keyValueJournal } from '../change/journal/key-value-journal.js'
export type {
  ChangeRecord,
  Contents,
  Image as EntryImage,
  LinkImage,
  Step as ChangeStep,
} from '../change/journal/record.js'
export type { Seal } from '../change/journal/record-file.js'
export { sqliteJournal } from '../change/journal/sqlite-journal.js'
export { type Locks, nestedLocks, processLocks, type Scope } from '../change/locks/locks.js'
export type {
  MergeConflict,
  MergedEntry,
  MergeOptions,
  MergeOutcome,
  MergeReason,
  MergeResolution,
  MergeSide,
} from '../change/merge/types.js'
export type { Streamed } from '../change/streamed-content.js'
export type { OverlapReason, Overlaps, UndoOverlap } from '../errors.js'
