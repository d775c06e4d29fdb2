/** What committing a change needs. */
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import type { Journal } from './journal/journal.js'

/** The gate, opened for the change, and the journal it is recorded in. */
export interface CommitContext {
  gate: ConfinedFileSystem
  journal: Journal
  /** From this size on, replaced content is stored while the new files are staged, where the journal supports it. */
  storeWhileStagingBytes: number
}

/** How a caller aborts a change and follows its progress. */
export interface ProgressOptions {
  /** Aborts the change with `ABORTED` while files are still being staged. Later it has no effect. */
  signal?: AbortSignal
  /** Called for every file that is staged and every step that is done; `done` equals `total` at the end. */
  onProgress?: (progress: { done: number; total: number }) => void
}

export interface CommitOptions extends ProgressOptions {
  /** Replace files that the process may not write to. */
  replacesProtected?: boolean
}
