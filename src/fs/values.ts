/** What file systems take and return. */

export type Bytes = Uint8Array

export type Kind = 'file' | 'directory' | 'symlink' | 'other'

/** What is known of an entry. What a backend does not know is absent, never `0`. */
export interface Stat {
  kind: Kind
  /** Bytes of a file; absent for anything else. */
  size?: number
  modifiedMs?: number
  createdMs?: number
  accessedMs?: number
  /** When content, mode or owner last changed. Nobody can set it, as they can `modifiedMs`. */
  changedMs?: number
  /** The number of the file itself: another file that takes its name has another one. */
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

/** `start` inclusive, `end` exclusive; past the end of the file is cut off, never an error. */
export interface ByteRange {
  start: number
  end: number
}

/** Content that is too large to hold in memory, piece by piece. Every call starts at the beginning. */
export type Pieces = () => AsyncIterable<Bytes>
