/** A workspace of a key-value store as a file system. */

import { FsError } from '../../../errors.js'
import { copiedBytes } from '../../../text/copied-bytes.js'
import { sha256, sha256InPieces } from '../../digests/sha256.js'
import { checkPath } from '../../path-rules.js'
import type { RunningHash, StageOptions, TransactionalFileSystem } from '../../transactional-types.js'
import type { ByteRange, ByteSource, Bytes, Capabilities, FileSystem, Pieces } from '../../types.js'
import { checkedPath } from '../memory-nodes.js'
import { accessibleDirectory, listingOf, ownerReads, readableFile, statOf } from '../tree/entries.js'
import { type Mutations, mutationsOf, perform } from '../tree/mutations.js'
import { type Blobs, LostBlob, openBlobs } from './blobs.js'
import { type CollectedValues, type Collector, collectorOf } from './collect.js'
import { type Content, type Contents, hashOf, openContents } from './contents.js'
import type { FileEntry, TreeEntry } from './directories.js'
import { openHeads } from './head.js'
import { placesOf } from './places.js'
import { guarded, type KeyValueStore, keyPrefix, StoreFailure } from './store.js'
import { openStoredTree, type StoredTree, type Transaction, type View } from './tree.js'

export interface KeyValueOptions {
  /** The name of the workspace. Nothing is written until it is changed for the first time. Default: `main`. */
  workspace?: string
  /** The time, in milliseconds, for the times of files. Default: that of the machine. */
  now?: () => number
  /** SHA-256 in hexadecimal, where the platform has a faster one than ours. */
  sha256?: (bytes: Bytes) => string
  sha256InPieces?: () => RunningHash
  /** A request to the store that takes longer fails with `IO`; 30 seconds by default. */
  timeoutMs?: number
  /** A read may miss what another process changed in the last milliseconds; saves requests. Default: 0, every read asks the store. */
  staleMs?: number
  /**
   * The store may return an old value for so long after a new one was written. The first change waits until this time has passed, so that it
   * begins with the last one of the process before. Default: 0, for a store whose reads are current.
   */
  settleMs?: number
}

/** A tree in a key-value store. */
export interface KeyValueFileSystem extends FileSystem {
  readonly workspace: string
  /** Removes values that nothing refers to, also what crashes left behind. What changes replace is removed now and then anyway. */
  collect(): Promise<CollectedValues>
  /** Removes the workspace with its history. Other processes must have ended. */
  drop(): Promise<void>
  /** @internal For a journal and a lock in the same store. */
  readonly place: KeyValuePlace
}

/** @internal */
export interface KeyValuePlace {
  readonly store: KeyValueStore
  readonly prefix: string
  readonly tree: StoredTree
  readonly blobs: Blobs
  readonly contents: Contents
  readonly collector: Collector
  readonly sha256: (bytes: Bytes) => string
}

/**
 * A workspace in a key-value store. Every change replaces one value, the head of the workspace, so that it is seen whole or not at all. A
 * store that is damaged, or has another layout, fails with `IO` and is left as it is.
 */
export function keyValue(given: KeyValueStore, options: KeyValueOptions = {}): KeyValueFileSystem {
  const { workspace = 'main', now = Date.now, timeoutMs = 30_000, staleMs = 0, settleMs = 0 } = options
  const hashes = { sha256: options.sha256 ?? sha256, sha256InPieces: options.sha256InPieces ?? sha256InPieces }
  const prefix = keyPrefix(workspace)
  const store = guarded(given, timeoutMs)
  const blobs = openBlobs(store, { prefix, hashes, settleMs })
  const contents = openContents(blobs, hashes)
  const heads = openHeads(store, prefix, hashes)
  const clock = () => performance.now()
  const tree = openStoredTree({ blobs, heads, hashes, now, clock, staleMs, settleMs })
  const collector = collectorOf(tree, blobs, contents)
  const places = placesOf()

  const reading = <Result>(path: string, look: (view: View, path: string) => Result): Promise<Result> =>
    at(path, (normal) => tree.read((view) => look(view, normal)))

  function writing(
    path: string,
    work: (changes: Mutations<Content>, path: string) => void,
    around: { before?(): void | Promise<void>; after?(): void } = {},
  ): Promise<void> {
    return at(path, async (normal) => {
      await tree.change((transaction) => {
        work(mutationsIn(transaction), normal)
        around.after?.()
      }, around.before)
      if (collector.isDue()) await collector.collect().catch(() => {})
    })
  }

  function mutationsIn({ draft, batch }: Transaction): Mutations<Content> {
    const put = (bytes: Bytes, hash: string) => contents.put(batch, bytes, hash)
    return mutationsOf(draft, { now, contents: { put, hashOf, sha256: hashes.sha256 } })
  }

  /** Content may be collected after the entry was read, when somebody replaced it: then the path leads to newer content. */
  async function withContent<Result>(path: string, use: (entry: TreeEntry) => Promise<Result>): Promise<Result> {
    const find = () => reading(path, (view, normal) => existing(view, normal))
    const entry = await find()
    return at(path, async () => {
      try {
        return await use(entry)
      } catch (error) {
        if (!(error instanceof LostBlob)) throw error
        const newer = await find()
        if (newer.kind === 'file' && entry.kind === 'file' && newer.content === entry.content) throw error
        return use(newer)
      }
    })
  }

  function readFile(path: string, range?: ByteRange): Promise<Bytes> {
    return withContent(path, async (entry) => copiedBytes(await bytesOf(readableFile(entry, path), range)))
  }

  function bytesOf({ content, size }: FileEntry, range?: ByteRange): Promise<Bytes> {
    return contents.read(content, size, range)
  }

  async function open(path: string): Promise<ByteSource> {
    const entry = await reading(path, (view, normal) => readableFile(existing(view, normal), normal))
    const read = (range: ByteRange) => at(path, async () => copiedBytes(await bytesOf(entry, range)))
    return { size: entry.size, read, close: async () => {} }
  }

  /** Pieces are stored as they come; the file appears with the last. */
  async function stagePieces(path: string, pieces: Pieces, options: StageOptions): Promise<void> {
    await at(path, async () => {
      const { generation } = await tree.head()
      const batch = blobs.batch(generation)
      const staged = await contents.putPieces(batch, pieces)
      await batch.flush()
      await tree.change((transaction) => {
        // Garbage was collected meanwhile, and the chunks may have been taken for it.
        if (transaction.head.generation !== generation) throw new FsError('CONFLICT', { path })
        mutationsIn(transaction).stage(path, staged, options)
      })
    })
  }

  const rename = (from: string, to: string) =>
    writing(from, (changes, source) => {
      changes.rename(source, checkedPath(to))
    })

  const transactional: TransactionalFileSystem = {
    statAndRead: (path, maxBytes) =>
      withContent(path, async (entry) => {
        const stat = statOf(entry)
        if (entry.kind !== 'file' || entry.size > maxBytes) return { stat }
        return { stat, bytes: copiedBytes(await bytesOf(readableFile(entry, path))) }
      }),
    stageFile: (path, content, options) =>
      content instanceof Uint8Array
        ? writing(path, (changes, normal) => changes.stage(normal, { bytes: content }, options))
        : stagePieces(path, content, options),
    rename,
    remove: (path) => writing(path, (changes, normal) => changes.remove(normal)),
    sha256: hashes.sha256,
    sha256InPieces: hashes.sha256InPieces,
    atomic: {
      unit: tree,
      async apply(actions, around) {
        for (const { path } of actions) checkPath(path)
        const first = actions[0]?.path ?? '/'
        const paths = actions.flatMap((action) => (action.do === 'rename' ? [action.path, action.to] : [action.path]))
        await at(first, () => preload(paths))
        await writing(
          first,
          (changes) => {
            for (const action of actions) perform(changes, { ...action, path: checkedPath(action.path) })
          },
          around,
        )
      },
    },
  }

  /** Loads the directories on the way to each path: a change starts again for each one that it misses. */
  async function preload(paths: readonly string[]): Promise<void> {
    const parents = new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/'))))
    for (const parent of parents) {
      await tree.read(({ find }) => {
        try {
          find(`${parent}/x`)
        } catch (error) {
          if (!(error instanceof FsError)) throw error
        }
      })
    }
  }

  return {
    workspace,
    capabilities,
    transactional,
    stat: (path) => reading(path, (view, normal) => statOf(existing(view, normal))),
    readFile,
    readDir: (path) =>
      reading(path, (view, normal) => {
        const directory = accessibleDirectory(view.find(normal), ownerReads, normal)
        const entries = view.entries(directory)
        places.list(directory.child, { path: normal, root: view.head.root.child, entries: entries.size })
        return listingOf(entries)
      }),
    readLink: (path) =>
      reading(path, (view, normal) => {
        const entry = existing(view, normal)
        if (entry.kind !== 'symlink') throw new FsError('NOT_A_LINK', { path: normal })
        return entry.target
      }),
    open,
    writeFile: (path, data, options = {}) => writing(path, (changes, normal) => changes.write(normal, data, options)),
    makeDir: (path) => writing(path, (changes, normal) => changes.makeDir(normal)),
    remove: transactional.remove,
    rename,
    symlink: (target, path, options) =>
      writing(path, (changes, normal) => {
        // As in memory: a verbatim target comes from another tree, and would lead somewhere else here.
        if (options?.verbatim) throw new FsError('OUTSIDE', { path: normal })
        changes.symlink(target, normal)
      }),
    setMode: (path, mode) => writing(path, (changes, normal) => changes.amend(normal, { mode: mode & 0o7777 })),
    setModified: (path, modifiedMs) => writing(path, (changes, normal) => changes.amend(normal, { modifiedMs })),
    collect: () => at('/', () => collector.collect({ leftovers: true })),
    drop: () =>
      at('/', async () => {
        await heads.remove()
        for (const key of await store.keys(prefix)) await store.remove(key)
        tree.forget()
      }),
    place: { store: given, prefix, tree, blobs, contents, collector, sha256: hashes.sha256 },
  }
}

function existing(view: View, path: string): TreeEntry {
  const entry = view.find(path)
  if (entry === undefined) throw new FsError('NOT_FOUND', { path })
  return entry
}

/** Checks a path and runs a call on it; failures of the store get the path. */
async function at<Result>(path: string, run: (normal: string) => Promise<Result>): Promise<Result> {
  const normal = checkedPath(path)
  try {
    return await run(normal)
  } catch (error) {
    throw error instanceof StoreFailure ? error.at(path) : error
  }
}

const capabilities: Capabilities = {
  symlinks: true,
  atomicRename: true,
  modeBits: true,
  modified: 'write',
  watch: false,
  caseSensitive: true,
  writable: true,
  sync: false,
}
