import type { HistoryLimits } from '../change/changes.js'

export interface Limits extends HistoryLimits {
  /** The largest file that is read as a whole. */
  maxFileBytes: number
  /** A longer result is cut, with a note. */
  maxOutputBytes: number
  /** With more files, changes that commands make on a real disk are not recorded. */
  maxWatchedFiles: number
  /** The default timeout of a command. */
  commandTimeoutMs: number
  /** The longest timeout of a command. */
  maxCommandTimeoutMs: number
}

/** The defaults, except those of the history, which are in `createChanges`. */
export const defaultLimits = {
  maxFileBytes: 20_000_000,
  maxOutputBytes: 131_072,
  maxWatchedFiles: 50_000,
  commandTimeoutMs: 120_000,
  maxCommandTimeoutMs: 600_000,
}
