/** Values that file systems take and return. */

export type Bytes = Uint8Array

export type Kind = 'file' | 'directory' | 'symlink' | 'other'

/** Metadata of an entry. A value that the backend does not know is absent, never `0`. */
export interface Stat {
  kind: Kind
  /** Bytes of a file; absent for anything else. */
  size?: number
  modifiedMs?: number
  createdMs?: number
  accessedMs?: number
  /** When content, mode or owner last changed. Unlike `modifiedMs`, it can't be set. */
  changedMs?: number
  /** Identifies the file itself: another file under the same name has another number. */
  inode?: number
  userId?: number
  groupId?: number
  /** Permission bits only, `0o7777` at most. */
  mode?: number
}

export interface Entry {
  name: string
  kind: Kind
}

/** `start` inclusive, `end` exclusive; cut off at the end of the file, never an error. */
export interface ByteRange {
  start: number
  end: number
}

/** Content that is too large for memory, in pieces. Every call starts at the beginning. */
export type Pieces = () => AsyncIterable<Bytes>
