/** What transactions need of a file system beyond `FileSystem`: staged files, one flush per directory, the platform's hashes. */
import type { WouldBlock } from './sync.js'
import type { Bytes, Pieces, Stat } from './values.js'

/**
 * The transactional facet of a file system. Names that it adds or removes are durable once `makeDurable` has returned for
 * their directory; a backend without that method has no stronger guarantee.
 */
export interface TransactionalFileSystem {
  /** `stat`, and the bytes of a file of at most `maxBytes`. No bytes if the backend can't guarantee that both belong to the same file. */
  statAndRead(path: string, maxBytes: number): Promise<StatAndBytes>
  /** Writes a new file that will be renamed into place later, so others may see it half written. A failure leaves nothing behind. */
  stageFile(path: string, content: Bytes | Pieces, options: StageOptions): Promise<void>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** With exactly this mode, where one is given and the file system has modes. Absent where `makeDir` of the file system is as good. */
  makeDir?(path: string, mode?: number): Promise<void>
  makeDurable?(directory: string): Promise<void>
  /** In hexadecimal. Absent where the platform has no synchronous hash; for small content. */
  sha256?(bytes: Bytes): string
  sha256InPieces?(): RunningHash
  readonly sync?: SyncTransactional
  /** Does a whole change at once. Absent where a change takes several steps, each of which others can see. */
  readonly atomic?: AtomicChanges
}

/** Changes that a backend does whole or not at all, also after a crash, and that nobody sees half done. */
export interface AtomicChanges {
  /** What is committed together. A journal with the same unit adds its record in the transaction of the change. */
  readonly unit: object
  /** Used only with a journal of the same unit: the tree does not outlive the process, so it can't tell a journal elsewhere what was done. */
  readonly onlyTogether?: true
  /**
   * Does the actions in order, in one transaction. `before` and `after` run inside it; when one of them throws, nothing is done. An
   * entry whose content is not as `expects` says fails with `CONFLICT`. A file system whose reads are asynchronous returns a promise, and
   * waits for `before`; it may run all of it again when another process was faster.
   */
  apply(
    actions: readonly AtomicAction[],
    around?: { before?(): void | Promise<void>; after?(): void },
  ): void | Promise<void>
}

/** One part of an atomic change. `expects` is the hash of the content that is replaced or removed. */
export type AtomicAction =
  | {
      do: 'write'
      path: string
      bytes: Bytes
      hash: string
      expects?: string
      modifiedMs?: number
      mode?: number
      ifWritable?: boolean
    }
  | { do: 'remove'; path: string; expects?: string }
  | { do: 'rename'; path: string; to: string }
  | { do: 'makeDir'; path: string; mode?: number }
  | { do: 'symlink'; path: string; target: string; verbatim?: boolean }
  | { do: 'setMode'; path: string; mode: number }

/** The same calls without promises, each absent where the backend would always block. */
export interface SyncTransactional {
  statAndRead(path: string, maxBytes: number): StatAndBytes | WouldBlock
  stageFile?(path: string, content: Bytes, options: StageOptions): undefined | WouldBlock
  rename?(from: string, to: string): undefined | WouldBlock
  remove?(path: string): undefined | WouldBlock
}

export interface StatAndBytes {
  stat: Stat
  bytes?: Bytes
  /** SHA-256 of the bytes in hexadecimal, where the backend knows it. */
  hash?: string
  /** In the backend's own format, only for `StageOptions`. */
  owner?: string
}

export interface StageOptions {
  /** The file whose owner the new one gets, and whose mode unless `mode` is given. */
  replaces?: string
  /** Fail with `DENIED` if the process may not write to the file that is replaced, where the backend knows that. */
  ifWritable?: boolean
  /** The owner that `statAndRead` returned for that file, so that it need not be read again. */
  owner?: string
  mode?: number
  /** SHA-256 of the content in hexadecimal, where it is known. */
  hash?: string
}

/** A hash of content that comes in pieces. */
export interface RunningHash {
  add(bytes: Bytes): void
  /** In hexadecimal. Nothing can be added after. */
  end(): string
}
