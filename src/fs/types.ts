/** The one interface every backend implements, small on purpose: what can be composed from it is written once elsewhere. */
import type { SyncFileSystem } from './sync.js'

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

export interface Looked {
  stat: Stat
  bytes?: Bytes
  /** In the backend's own words: good to be given to another file, and for nothing else. */
  owner?: string
}

/** `start` inclusive, `end` exclusive; past the end of the file is cut off, never an error. */
export interface ByteRange {
  start: number
  end: number
}

export interface WriteOptions {
  /** Fail with `EXISTS` rather than replace. */
  exclusive?: boolean
  /** Permission bits of a file that is new; an existing file keeps its own. Ignored where `modeBits` is false. */
  mode?: number
  /**
   * The file is new, under a name nobody looks at, and will be renamed: it need not appear all at once. It takes the owner of
   * the file it `replaces`, where it does, and its mode unless one is given. An `owner` that `look` told need not be looked for.
   * With `more`, its name need not be durable yet: `makeDurable`, or a later write or rename in the same directory makes it so.
   */
  staged?: { replaces?: string; owner?: string; more?: boolean }
}

export interface RenameOptions {
  /** The names need not be durable yet: whoever renames makes their directories so, with `makeDurable`. */
  more?: boolean
}

export interface RemoveOptions {
  /** That it is gone need not be durable: `makeDurable` makes it so, or whoever finds it again after a power cut removes it again. */
  more?: boolean
}

/** A file held open, for what is too large to hold in memory. */
export interface ByteSource {
  readonly size: number
  read(range: ByteRange): Promise<Bytes>
  /** Reads and counts at once, where that is quicker. The bytes are good until the next call. */
  readCounted?(range: ByteRange): Promise<{ bytes: Bytes; lineFeeds: number; hasReturns: boolean }>
  close(): Promise<void>
}

/** `verbatim`: the text as the backend stores it, wherever that leads; good for nothing but to be put back as it was. */
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
  /** `setMode` exists and `Stat.mode` is known. Otherwise modes are neither reported nor kept. */
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
 * A way to read or to change something. Where the backend can do it without waiting, `now` does: same results, same errors; what it
 * gives may be shared and must not be changed. It goes with the function, so that a wrapper which replaces the one has replaced the
 * other. A `now` that would follow a link, or that can't do it just now, has done nothing and fails with `IS_LINK`; then the function
 * itself has to be called. See `soonest`.
 */
export interface Call<Given extends unknown[], Result> {
  (...given: Given): Promise<Result>
  now?: (...given: Given) => Result
}

/**
 * Lists one of the directories below another, by the names that lead there, at once. Meant for walks, depth first: what is on the way may be
 * held open for a moment, so that a directory moved meanwhile is still listed. Fails for whatever is in the way, a link too, with any
 * error: `readDir` then tells what it is.
 */
export type Lister = (names: readonly string[]) => Entry[]

/**
 * Reads files of one directory by their names, at once and whole; the bytes are shared as those of `now` are. Fails for a name that
 * `posixRules` would not take as it is, and for whatever is no file that can be read so, with any error: `readFile` then tells.
 */
export type Reader = (name: string) => Bytes

/** `reader` goes with the function as `now` does, and is absent where it would be no quicker. */
export interface ReadFile extends Call<[path: string, range?: ByteRange], Bytes> {
  reader?: (directory: string) => Reader | undefined
}

/** Content that is too large to hold in memory, piece by piece. Every call starts at the beginning. */
export type Pieces = () => AsyncIterable<Bytes>

/**
 * `pieces` goes with the function as `now` does. It writes a file that is `staged` without ever holding all of it, and leaves nothing
 * behind when the pieces fail. Where it is absent, whoever writes has to gather them.
 */
export interface WriteFile extends Call<[path: string, data: Bytes, options?: WriteOptions], void> {
  pieces?: (path: string, pieces: Pieces, options: WriteOptions) => Promise<void>
}

/** A hash of content that comes in pieces. */
export interface RunningHash {
  add(bytes: Bytes): void
  /** In hexadecimal. Nothing can be added after. */
  end(): string
}

/** `inPieces` goes with the function as `now` does. */
export interface Sha256 {
  (bytes: Bytes): string
  inPieces?: () => RunningHash
}

/** `lister` goes with the function as `now` does, and is absent where it would be no quicker. */
export interface ReadDir extends Call<[path: string], Entry[]> {
  lister?: (directory: string) => Lister | undefined
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
  readonly stat: Call<[path: string], Stat>
  /** Reads only the range's bytes, whatever the file's size. A special file fails at once. */
  readonly readFile: ReadFile
  /** What `stat` tells, and the bytes of a file that has no more than that many; of one and the same file, found once. */
  readonly look?: Call<[path: string, maxBytes: number], Looked>
  /** Creates or replaces; the parent must exist. Readers see the old bytes or the new ones. */
  readonly writeFile: WriteFile
  /** In no particular order. */
  readonly readDir: ReadDir
  /** One level; an existing entry fails with `EXISTS`. */
  makeDir(path: string): Promise<void>
  /** A file, a link or an empty directory. */
  remove(path: string, options?: RemoveOptions): Promise<void>
  /** As `rename(2)`: replaces a file with a file, an empty directory with a directory, nothing else. */
  readonly rename: Call<[from: string, to: string, options?: RenameOptions], void>
  /** What was done in a directory so far is durable when it returns. Absent where every change is by itself, or none ever. */
  makeDurable?(directory: string): Promise<void>
  /** `target` is kept as text; where it leads is decided when it is followed. */
  symlink?(target: string, path: string, options?: LinkOptions): Promise<void>
  /** A target that leads out of this tree fails with `OUTSIDE`, unless it is read verbatim. */
  readLink?(path: string, options?: LinkOptions): Promise<string>
  setMode?(path: string, mode: number): Promise<void>
  setModified?(path: string, modifiedMs: number): Promise<void>
  /** Absent: `openFile` falls back to ranged reads. */
  readonly open?: Call<[path: string], ByteSource>
  /** SHA-256 in hexadecimal at once, where the platform behind the files has it; for what is small. */
  readonly sha256?: Sha256
  /** Tells of changes directly in a directory, or to a file. Never called after the returned function. */
  watch?(path: string, onChange: (change: FileChange) => void): Promise<Unwatch>
}

/** What of a file system is enough to walk it. */
export type Tree = Pick<FileSystem, 'stat' | 'readFile' | 'readDir' | 'sync'> & {
  readonly capabilities: Pick<Capabilities, 'caseSensitive'>
}
