/** The one interface every backend implements, small on purpose: anything that can be composed from it is written once elsewhere. */
import type { SyncFileSystem } from './sync.js'
import type { TransactionalFileSystem } from './transactional-types.js'
import type { ByteRange, Bytes, Entry, Stat } from './values.js'

export type { ByteRange, Bytes, Entry, Kind, Pieces, Stat } from './values.js'

export interface WriteOptions {
  /** Fail with `EXISTS` rather than replace. */
  exclusive?: boolean
  /** Permission bits of a file that is new; an existing file keeps its own. Ignored where `modeBits` is false. */
  mode?: number
}

/** An open file, for content that is too large for memory. */
export interface ByteSource {
  readonly size: number
  read(range: ByteRange): Promise<Bytes>
  /** Reads and counts line breaks in one call, where that is faster. The bytes are valid until the next call. */
  readCounted?(range: ByteRange): Promise<{ bytes: Bytes; lineFeeds: number; hasReturns: boolean }>
  close(): Promise<void>
}

/** `verbatim`: the target exactly as the backend stores it, even if it leads out of the tree. Only for restoring a link unchanged. */
export interface LinkOptions {
  verbatim?: boolean
}

export interface FileChange {
  path: string
}

export type Unwatch = () => void

/** What a backend can do. Where an ability has a method, the flag is true exactly when the method exists. */
export interface Capabilities {
  /** `symlink` and `readLink` exist. Otherwise no entry is ever a link. */
  symlinks: boolean
  /** A rename and a replacing write are seen whole or not at all, even after a crash. Otherwise a change is recoverable, not atomic. */
  atomicRename: boolean
  /** `setMode` exists and `Stat.mode` is known. Otherwise modes are neither reported nor stored. */
  modeBits: boolean
  /** `write`: `setModified` exists. `read`: only reported. `none`: `Stat.modifiedMs` is absent for directories and files. */
  modified: 'none' | 'read' | 'write'
  /** `watch` exists. Otherwise callers poll. */
  watch: boolean
  /** Names that differ in case are different names. Otherwise locks and protected names are compared folded. */
  caseSensitive: boolean
  /** Otherwise every mutation fails with `READ_ONLY`, and tools that mutate are not offered. */
  writable: boolean
  /** Operations are done when they return, with no other work in between. Otherwise several steps need a lock. */
  sync: boolean
}

/**
 * A tree of files. Paths are absolute POSIX paths, already normalised: `/`, `/a/b`; no `.`, no `..`, no empty component.
 *
 * **Links are never followed.** A path that leads through a symbolic link fails with `IS_LINK`, checked at the moment of
 * acting. Only `stat`, `remove`, `rename`, `readLink` and `readDir` entries see a final link, and they see the link itself. Following
 * is done once for all backends, by `confine`.
 *
 * Errors are `FsError`s whose facts carry the path as given.
 *
 * An implementation is a plain object of functions: wrappers spread it and call its methods without `this`.
 */
export interface FileSystem {
  readonly capabilities: Capabilities
  /** The same reads without promises, where the backend can. A wrapper that changes what is read replaces it too. */
  readonly sync?: SyncFileSystem
  /** Used by transactions; where it is absent, `transactional` composes it. A wrapper that changes writes replaces it too. */
  readonly transactional?: TransactionalFileSystem
  stat(path: string): Promise<Stat>
  /** Reads only the range's bytes, whatever the file's size. A special file fails immediately. */
  readFile(path: string, range?: ByteRange): Promise<Bytes>
  /** Creates or replaces; the parent must exist. Readers see the old bytes or the new ones. */
  writeFile(path: string, data: Bytes, options?: WriteOptions): Promise<void>
  /** In no particular order. */
  readDir(path: string): Promise<Entry[]>
  /** One level; an existing entry fails with `EXISTS`. */
  makeDir(path: string): Promise<void>
  /** A file, a link or an empty directory. */
  remove(path: string): Promise<void>
  /** As `rename(2)`: replaces a file with a file, an empty directory with a directory, nothing else. */
  rename(from: string, to: string): Promise<void>
  /** `target` is stored as text; where it leads is decided when it is followed. */
  symlink?(target: string, path: string, options?: LinkOptions): Promise<void>
  /** A target that leads out of this tree fails with `OUTSIDE`, unless it is read verbatim. */
  readLink?(path: string, options?: LinkOptions): Promise<string>
  setMode?(path: string, mode: number): Promise<void>
  setModified?(path: string, modifiedMs: number): Promise<void>
  /** Absent: `openFile` falls back to ranged reads. */
  open?(path: string): Promise<ByteSource>
  /** Reports changes directly in a directory, or to a file. Never calls back after the returned function was called. */
  watch?(path: string, onChange: (change: FileChange) => void): Promise<Unwatch>
  /** @internal True for an entry that `remove` and `rename` always refuse, such as a mount point. A change is refused for it before it begins. */
  isFixed?(path: string): boolean
  /** @internal A copy that takes no time, where the backend has a way; not enumerable, because a wrapper must not pass it on. */
  branch?(options: BranchOptions): Branch
  /** @internal The tree as it is now, to be compared with later. Not enumerable, for the same reason. */
  moment?(): Moment
}

/** @internal A tree as it was, which takes no time to keep, and tells what differs from an earlier one without looking at everything. */
export interface Moment {
  /** The same object for all moments that can be compared. */
  readonly family: object
  /** Whatever differs from the earlier moment, also only in time, with all entries of directories that are gone or new. */
  since(earlier: Moment): { gone: string[]; there: string[] }
  /** An entry as it was, whatever rights its mode gives. What it returns is shared and must not be changed. */
  entry(path: string): { stat: Stat; bytes?: Bytes; target?: string; names?: readonly string[] } | undefined
}

/** @internal */
export interface BranchOptions {
  /** For backends that store branches by name. Default: a new one. */
  name?: string | undefined
  /** The most bytes that the branch may hold in memory for itself; more fails with `NO_SPACE`. */
  maxBytes: number
}

/** @internal A tree that starts as a copy of another one, with what is needed to merge it back. */
export interface Branch {
  readonly fs: FileSystem
  /** What was there at the start. Only paths that may have changed are asked for. */
  readonly start: FileSystem
  /**
   * True for a copy that nothing changes but what is done to it. Otherwise the branch shows what others change in the original, up to the
   * moment when it changes the same entry itself; `start` then has the entry of that moment.
   */
  readonly isApart: boolean
  /** The paths of all entries that may differ from the start, in no particular order. */
  changedPaths(): Promise<Iterable<string>>
  /** Frees what only the branch has. It can't be used any more. */
  drop(): void
}

/** The part of a file system that a walk needs. */
export type Tree = Pick<FileSystem, 'stat' | 'readFile' | 'readDir' | 'sync'> & {
  readonly capabilities: Pick<Capabilities, 'caseSensitive'>
}
