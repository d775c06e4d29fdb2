/** A workspace of a database as a file system. */

import { FsError } from '../../../errors.js'
import { copiedBytes } from '../../../text/copied-bytes.js'
import { randomHex } from '../../../text/random-hex.js'
import { posixRules } from '../../path-rules.js'
import { type FileReader, isPromise, orWouldBlock, type SyncFileSystem } from '../../sync.js'
import type { StageOptions, TransactionalFileSystem } from '../../transactional-types.js'
import type {
  Branch,
  BranchOptions,
  ByteRange,
  ByteSource,
  Bytes,
  Capabilities,
  FileSystem,
  Pieces,
  Stat,
} from '../../types.js'
import { checkedPath } from '../memory-nodes.js'
import { accessibleDirectory, ownerEnters, ownerReads, readableFile, statOf } from '../tree/entries.js'
import { mutationsOf, perform } from '../tree/mutations.js'
import { DatabaseFailure } from './database.js'
import { type FileEntry, listingOf, type TreeEntry } from './entries.js'
import type { Store } from './store.js'
import { openTree, type SqliteTree } from './tree.js'

/** A tree in a database. */
export interface SqliteFileSystem extends FileSystem {
  /** The name of the workspace. */
  readonly workspace: string
  /** A new workspace with the same tree and no history. Takes the same short time for any size; each is copied as far as it is changed. */
  fork(name: string): SqliteFileSystem
  /** Names the tree as it is now, for `restore` and `diff`. */
  snapshot(name: string): void
  /** Makes the tree what it was at a snapshot. The history does not contain this change; take a snapshot first to keep the current tree. */
  restore(name: string): void
  /** @internal For a journal in the same database. */
  readonly place: SqlitePlace
}

/** @internal */
export interface SqlitePlace {
  readonly store: Store
  readonly tree: SqliteTree
}

interface Branches extends Pick<SqliteFileSystem, 'fork' | 'snapshot' | 'restore'> {
  branch(name: string): Branch
}

export function sqliteFileSystem(store: Store, id: number, branches: Branches): SqliteFileSystem {
  const tree = openTree(store, id)
  const { contents, hashes } = store
  const changes = mutationsOf(tree, store)

  function existing(path: string): TreeEntry {
    const entry = tree.find(path)
    if (entry === undefined) throw new FsError('NOT_FOUND', { path })
    return entry
  }

  function fileAt(path: string): FileEntry {
    return readableFile(tree.find(path), path)
  }

  /** Content may be collected between two statements, after another process replaced it: then the path leads to newer content. */
  function readShared(path: string, range?: ByteRange): Bytes {
    const file = fileAt(path)
    const bytes = contents.read(file.content, file.size, range)
    if (bytes !== undefined) return bytes
    tree.refresh()
    const again = fileAt(path)
    return contents.read(again.content, again.size, range) ?? lost(path)
  }

  function list(path: string) {
    return listingOf(tree.directory(accessibleDirectory(tree.find(path), ownerReads, path)))
  }

  /** Runs a read: sees what others changed, and translates failures of the database. */
  function reading<Result>(path: string, run: (at: string) => Result): Result {
    return at(path, (normal) => tree.read(() => run(normal)))
  }

  function writing<Result>(path: string, run: (at: string) => Result): Result {
    if (tree.frozen) throw new FsError('READ_ONLY', { path })
    return at(path, (normal) => tree.change(() => run(normal)))
  }

  /** Looks for changes of other processes once in a while, not before each file: a search reads thousands in a row. */
  function fileReader(path: string): FileReader {
    let directory = accessibleDirectory(tree.find(path), ownerEnters, path)
    let { entries } = tree.directory(directory)
    let seen = tree.revision
    let lookedMs = performance.now()

    function look(): void {
      const isLate = performance.now() - lookedMs > unseenMs
      // After a failed change nothing in memory is right.
      if (seen === tree.revision && seen >= 0 && !isLate) return
      lookedMs = performance.now()
      tree.read(() => {
        if (seen === tree.revision) return
        directory = accessibleDirectory(tree.find(path), ownerEnters, path)
        entries = tree.directory(directory).entries
        seen = tree.revision
      })
    }

    function read(name: string): Bytes {
      look()
      if (!posixRules.isPlain?.(`/${name}`)) throw new FsError('OUTSIDE', { path: name })
      const { content, size } = readableFile(entries.get(name), name)
      const known = contents.cached(content, size)
      if (known !== undefined) return known
      contents.readAhead(directory.child, name)
      return contents.read(content, size) ?? lost(name)
    }

    return (name) => orWouldBlock(() => atName(name, read))
  }

  async function open(path: string): Promise<ByteSource> {
    const { content, size } = reading(path, fileAt)
    const read = async (range: ByteRange) =>
      at(path, () => copiedBytes(contents.read(content, size, range) ?? lost(path)))
    return { size, read, close: async () => {} }
  }

  const sync: SyncFileSystem = {
    stat: (path) => reading(path, (at) => statOf(existing(at))),
    readFile: (path, range) => reading(path, (at) => readShared(at, range)),
    readDir: (path) => reading(path, list),
    fileReader: (directory) => orWouldBlock(() => reading(directory, fileReader)),
  }

  function statAndRead(path: string, maxBytes: number): { stat: Stat; bytes?: Bytes } {
    return reading(path, (at) => {
      const stat = statOf(existing(at))
      return stat.kind === 'file' && (stat.size ?? 0) <= maxBytes ? { stat, bytes: readShared(at) } : { stat }
    })
  }

  function stage(path: string, bytes: Bytes, options: StageOptions): void {
    writing(path, (at) => changes.stage(at, { bytes }, options))
  }

  /** Pieces are stored as they come; the file appears with the last. */
  async function stagePieces(path: string, pieces: Pieces, options: StageOptions): Promise<void> {
    const writer = contents.writer()
    try {
      for await (const piece of pieces()) at(path, () => writer.add(piece))
      writing(path, (normal) => changes.stage(normal, writer.end(), options))
    } catch (error) {
      at(path, writer.discard)
      throw error
    }
  }

  const transactional: TransactionalFileSystem = {
    statAndRead: async (path, maxBytes) => statAndRead(path, maxBytes),
    stageFile: async (path, content, options) =>
      content instanceof Uint8Array ? stage(path, content, options) : stagePieces(path, content, options),
    rename: async (from, to) => rename(from, to),
    remove: async (path) => writing(path, changes.remove),
    sha256: contents.sha256,
    sha256InPieces: hashes.sha256InPieces,
    sync: {
      statAndRead,
      stageFile: (path, bytes, options) => void stage(path, bytes, options),
      rename: (from, to) => void rename(from, to),
    },
    atomic: {
      unit: store,
      apply(actions, { before, after } = {}) {
        writing(actions[0]?.path ?? '/', () => {
          // A promise would end after the transaction.
          if (before !== undefined && isPromise(before()))
            throw new FsError('CONFLICT', { path: actions[0]?.path ?? '/' })
          for (const action of actions) at(action.path, (path) => perform(changes, { ...action, path }))
          after?.()
        })
      },
    },
  }

  function rename(from: string, to: string): void {
    writing(from, (source) => at(to, (target) => changes.rename(source, target)))
  }

  const reads: Pick<FileSystem, 'sync' | 'stat' | 'readFile' | 'readDir' | 'readLink' | 'open'> = {
    sync,
    stat: async (path) => reading(path, (at) => statOf(existing(at))),
    readFile: async (path, range) => reading(path, (at) => copiedBytes(readShared(at, range))),
    readDir: async (path) => reading(path, (at) => [...list(at)]),
    readLink: async (path) =>
      reading(path, (at) => {
        const entry = existing(at)
        if (entry.kind !== 'symlink') throw new FsError('NOT_A_LINK', { path: at })
        return entry.target
      }),
    open,
  }

  const { branch, ...named } = branches
  const fs: SqliteFileSystem = {
    get workspace() {
      return tree.name
    },
    capabilities: tree.frozen ? { ...capabilities, writable: false, modified: 'read' } : capabilities,
    ...reads,
    ...(!tree.frozen && { transactional }),
    writeFile: async (path, data, options = {}) => writing(path, (at) => changes.write(at, data, options)),
    makeDir: async (path) => writing(path, changes.makeDir),
    remove: async (path) => writing(path, changes.remove),
    rename: async (from, to) => rename(from, to),
    symlink: async (target, path, options) =>
      writing(path, (at) => {
        // As in memory: a verbatim target comes from another tree, and would lead somewhere else here.
        if (options?.verbatim) throw new FsError('OUTSIDE', { path: at })
        changes.symlink(target, at)
      }),
    setMode: async (path, mode) => writing(path, (at) => changes.amend(at, { mode: mode & 0o7777 })),
    ...(!tree.frozen && {
      setModified: async (path: string, modifiedMs: number) => writing(path, (at) => changes.amend(at, { modifiedMs })),
    }),
    ...named,
    place: { store, tree },
  }
  const branchNamed = ({ name }: BranchOptions) => branch(name ?? `${tree.name}@${randomHex(4)}`)
  return Object.defineProperty(fs, 'branch', { value: branchNamed })
}

/** For that long a search may not see what another process has changed. */
const unseenMs = 2

function atName<Result>(name: string, run: (name: string) => Result): Result {
  try {
    return run(name)
  } catch (error) {
    throw error instanceof DatabaseFailure ? error.at(name) : error
  }
}

/** Checks a path and runs a call on it; failures of the database get the path. */
function at<Result>(path: string, run: (normal: string) => Result): Result {
  const normal = checkedPath(path)
  try {
    return run(normal)
  } catch (error) {
    throw error instanceof DatabaseFailure ? error.at(path) : error
  }
}

function lost(path: string): never {
  throw new FsError('IO', { path, detail: 'the database has lost the content of this file' })
}

const capabilities: Capabilities = {
  symlinks: true,
  atomicRename: true,
  modeBits: true,
  modified: 'write',
  watch: false,
  caseSensitive: true,
  writable: true,
  sync: true,
}
