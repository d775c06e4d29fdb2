/** A tree in memory, whose changes are written to its store a little later, in order. */

import { FsError } from '../../errors.js'
import { copiedBytes } from '../../text/copied-bytes.js'
import { inBatches } from '../in-batches.js'
import { join } from '../path.js'
import { type SyncFileSystem, type WouldBlock, wouldBlock } from '../sync.js'
import type { Bytes, FileChange, FileSystem, Stat, Unwatch, WriteOptions } from '../types.js'
import { weakest } from './capabilities.js'
import { memory } from './memory.js'
import { type WriteBehind, writeBehind } from './write-behind.js'

export interface MirrorOptions {
  /** Shared by trees whose changes must be written in one order, such as files and their journal. */
  behind?: WriteBehind
  /** Loading a larger tree fails with `TOO_LARGE`. */
  maxBytes?: number
  onProgress?: (progress: { files: number; bytes: number }) => void
  /** All entries of the store, parents first, if there is a faster way than reading each. */
  entries?: () => AsyncIterable<StoredEntry>
  /** Throws for a path that the store would refuse, so that memory does not accept what can't be stored. */
  checkPath?: (path: string) => void
  signal?: AbortSignal
}

/** An entry with its metadata and content. */
export interface StoredEntry extends Pick<Stat, 'kind' | 'modifiedMs' | 'mode'> {
  path: string
  /** The content of a file. */
  bytes?: Bytes
  /** The target of a link. */
  target?: string
}

export interface MirroredFileSystem extends FileSystem {
  /** Resolves when all changes so far are in the store. A failure, such as `NO_SPACE`, loses nothing: call again. */
  flush(): Promise<void>
  /**
   * Flushes pending changes, and then sends every call to the store: for when someone else starts to change it. From then on, reads
   * guarantee no more than the store does.
   */
  release(): Promise<void>
  /** Changes that are not in the store yet. */
  readonly waiting: number
}

const loadsAtOnce = 32

/** Loads the whole tree. Nobody else may change the store until `release`. */
export async function mirror(store: FileSystem, options: MirrorOptions = {}): Promise<MirroredFileSystem> {
  const { behind = writeBehind(), checkPath = () => {} } = options
  const held = memory()
  await loadTree(options.entries ?? (() => entriesOf(store)), held, options)
  const { modeBits, symlinks } = store.capabilities
  /** Set by `release`: resolves when the store has everything. */
  let released: Promise<void> | undefined
  const watchers = new Set<{ path: string; onChange: (change: FileChange) => void; unwatch: Unwatch }>()

  async function read<Result>(run: (fs: FileSystem) => Promise<Result>): Promise<Result> {
    if (released === undefined) return run(held)
    await released
    return run(store)
  }

  /** Memory may be out of date once the store is released. */
  function unlessReleased<Result>(run: () => Result | WouldBlock): Result | WouldBlock {
    return released === undefined ? run() : wouldBlock
  }

  function syncReads(sync: SyncFileSystem): SyncFileSystem {
    const { find, fileReader } = sync
    return {
      ...(find && {
        find: (path: string) =>
          unlessReleased(() => {
            const stat = find(path)
            return stat === undefined || stat === wouldBlock ? stat : storedStat(stat)
          }),
      }),
      stat: (path) =>
        unlessReleased(() => {
          const stat = sync.stat(path)
          return stat === wouldBlock ? wouldBlock : storedStat(stat)
        }),
      readFile: (path, range) => unlessReleased(() => sync.readFile(path, range)),
      readDir: (path) => unlessReleased(() => sync.readDir(path)),
      ...(fileReader && {
        fileReader: (directory) => {
          const read = unlessReleased(() => fileReader(directory))
          return read === wouldBlock ? wouldBlock : (name) => unlessReleased(() => read(name))
        },
      }),
    }
  }

  async function change(
    paths: readonly string[],
    run: (fs: FileSystem) => Promise<void>,
    task: { independent?: string; bytes?: number } = {},
  ): Promise<void> {
    for (const path of paths) checkPath(path)
    if (released === undefined) await behind.room()
    if (released !== undefined) {
      await released
      return run(store)
    }
    const after = run(held)
    behind.add({ ...task, after, run: () => run(store) })
    return after
  }

  /** The stat that the store would return. */
  function storedStat(stat: Stat): Stat {
    const { kind, size, modifiedMs, mode } = stat
    return {
      kind,
      ...(size !== undefined && { size }),
      ...(modifiedMs !== undefined && (kind === 'file' || modeBits) && { modifiedMs }),
      ...(mode !== undefined && modeBits && { mode }),
    }
  }

  return {
    capabilities: {
      ...weakest([store.capabilities, held.capabilities]),
      watch: true,
      sync: false,
    },
    ...(held.sync && { sync: syncReads(held.sync) }),
    stat: (path) => read(async (fs) => (fs === held ? storedStat(await held.stat(path)) : store.stat(path))),
    readFile: (path, range) => read((fs) => fs.readFile(path, range)),
    readDir: (path) => read((fs) => fs.readDir(path)),
    writeFile(path, data: Bytes, writeOptions: WriteOptions = {}) {
      // The store writes it after the caller may have reused its buffer.
      const copy = copiedBytes(data)
      const task = { independent: path, bytes: copy.length }
      return change([path], (fs) => fs.writeFile(path, copy, writeOptions), task)
    },
    makeDir: (path) => change([path], (fs) => fs.makeDir(path)),
    remove: (path) => change([path], (fs) => fs.remove(path)),
    rename: (from, to) => change([from, to], (fs) => fs.rename(from, to)),
    ...(symlinks && {
      symlink: (target: string, path: string) => change([path], (fs) => fs.symlink!(target, path)),
      readLink: (path: string) => read((fs) => fs.readLink!(path)),
    }),
    ...(modeBits && { setMode: (path: string, mode: number) => change([path], (fs) => fs.setMode!(path, mode)) }),
    ...(store.setModified && {
      setModified: (path: string, ms: number) => change([path], (fs) => fs.setModified!(path, ms)),
    }),
    async watch(path, onChange) {
      const unwatch = await read(async (fs) => fs.watch?.(path, onChange) ?? (() => {}))
      const watcher = { path, onChange, unwatch }
      watchers.add(watcher)
      return () => {
        watchers.delete(watcher)
        watcher.unwatch()
      }
    },
    flush: () => behind.flush(),
    async release() {
      released ??= behind.flush().then(watchStore)
      try {
        await released
      } catch (error) {
        // Changes that could not be written are only in memory, so memory stays in use.
        released = undefined
        throw error
      }
    },
    get waiting() {
      return behind.waiting
    },
  }

  async function watchStore(): Promise<void> {
    for (const watcher of watchers) {
      watcher.unwatch()
      watcher.unwatch = (await store.watch?.(watcher.path, watcher.onChange).catch(() => undefined)) ?? (() => {})
    }
  }
}

/** Fills an empty tree. */
export async function loadTree(
  entries: () => AsyncIterable<StoredEntry>,
  held: FileSystem,
  { maxBytes = 512_000_000, onProgress, signal }: Pick<MirrorOptions, 'maxBytes' | 'onProgress' | 'signal'>,
): Promise<void> {
  const progress = { files: 0, bytes: 0 }
  for await (const { path, kind, bytes = new Uint8Array(), target = '', modifiedMs, mode } of entries()) {
    signal?.throwIfAborted()
    if (kind === 'directory') await held.makeDir(path)
    if (kind === 'symlink') await held.symlink?.(target, path)
    if (kind === 'file') {
      progress.files += 1
      progress.bytes += bytes.length
      if (progress.bytes > maxBytes) {
        throw new FsError('TOO_LARGE', { path: '/', size: progress.bytes, limit: maxBytes })
      }
      await held.writeFile(path, bytes)
      if (modifiedMs !== undefined) await held.setModified?.(path, modifiedMs)
      onProgress?.({ ...progress })
    }
    if (mode !== undefined && kind !== 'symlink') await held.setMode?.(path, mode)
  }
}

async function* entriesOf(store: FileSystem): AsyncGenerator<StoredEntry> {
  async function read(path: string, { kind }: { kind: Stat['kind'] }): Promise<StoredEntry> {
    if (kind === 'symlink') return { path, kind, target: (await store.readLink?.(path)) ?? '' }
    if (kind === 'directory' && !store.capabilities.modeBits) return { path, kind }
    const { modifiedMs, mode } = await store.stat(path)
    const known = { ...(modifiedMs !== undefined && { modifiedMs }), ...(mode !== undefined && { mode }) }
    return kind === 'file' ? { path, kind, bytes: await store.readFile(path), ...known } : { path, kind, ...known }
  }

  let level = ['/']
  while (level.length > 0) {
    const listings = await inBatches(level, loadsAtOnce, async (directory) => {
      return (await store.readDir(directory)).map(({ name, kind }) => ({ path: join(directory, name), kind }))
    })
    const found = listings.flat()
    for (let start = 0; start < found.length; start += loadsAtOnce) {
      yield* await Promise.all(found.slice(start, start + loadsAtOnce).map((entry) => read(entry.path, entry)))
    }
    level = found.filter(({ kind }) => kind === 'directory').map(({ path }) => path)
  }
}
