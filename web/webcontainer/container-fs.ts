import { FsError, isFsError, relocate } from '../../src/errors.js'
import { basename, dirname, isWithin, join } from '../../src/fs/path.js'
import { checkPath } from '../../src/fs/path-rules.js'
import { serialQueue } from '../../src/fs/serial-queue.js'
import type { ByteRange, Bytes, Entry, FileChange, FileSystem, Kind, Stat, Unwatch } from '../../src/fs/types.js'
import type { RunningContainer } from './api.js'
import { fromContainer } from './errors.js'

/**
 * The working directory of a container as a file system. The container reports neither sizes, times nor modes: a size
 * is found by reading the file. Changes run one after another, so that checks stay valid; processes in the container
 * are not part of that queue.
 */
export function containerFs({ fs: api }: Pick<RunningContainer, 'fs'>): FileSystem {
  const changing = serialQueue()

  async function translated<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
    checkPath(path)
    try {
      return await run()
    } catch (error) {
      throw fromContainer(error, path)
    }
  }

  function change(path: string, run: () => Promise<void>): Promise<void> {
    return translated(path, () => changing(run))
  }

  async function entriesOf(path: string): Promise<Entry[]> {
    const entries = await api.readdir(path, { withFileTypes: true })
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
  }

  /** `undefined` when nothing exists there; fails when an ancestor is not a directory. */
  async function lookUp(path: string): Promise<Kind | undefined> {
    if (path === '/') return 'directory'
    try {
      return (await entriesOf(dirname(path))).find(({ name }) => name === basename(path))?.kind
    } catch (error) {
      // An ancestor may be missing or be a file: looking further up shows which.
      const failure = fromContainer(error, path)
      if (!isFsError(failure, 'NOT_FOUND', 'NOT_A_DIRECTORY')) throw failure
      const above = await lookUp(dirname(path)).catch((fault) => {
        throw relocate(fault, () => path)
      })
      if (above === 'directory') return undefined
      throw new FsError(above === undefined ? 'NOT_FOUND' : 'NOT_A_DIRECTORY', { path }, { cause: error })
    }
  }

  async function existing(path: string): Promise<Kind> {
    const kind = await lookUp(path)
    if (kind === undefined) throw new FsError('NOT_FOUND', { path })
    return kind
  }

  async function readable(path: string): Promise<void> {
    const kind = await existing(path)
    if (kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    if (kind !== 'file') throw new FsError('SPECIAL_FILE', { path })
  }

  async function read(path: string): Promise<Bytes> {
    await readable(path)
    return api.readFile(path)
  }

  async function stat(path: string): Promise<Stat> {
    const kind = await existing(path)
    return kind === 'file' ? { kind, size: (await api.readFile(path)).length } : { kind }
  }

  async function list(path: string): Promise<Entry[]> {
    if ((await existing(path)) !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
    return entriesOf(path)
  }

  async function rename(from: string, to: string): Promise<void> {
    for (const path of [from, to]) if (path === '/') throw new FsError('IS_ROOT', { path })
    const source = await existing(from)
    if (from === to) return
    const target = await lookUp(to)
    if (source === 'directory' && isWithin(from, to)) throw new FsError('INTO_ITSELF', { path: from, to })
    if (target === undefined && (await existing(dirname(to))) !== 'directory') {
      throw new FsError('NOT_A_DIRECTORY', { path: to })
    }
    if (source === 'directory' && target !== undefined) {
      if (target !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path: to })
      if ((await entriesOf(to)).length > 0) throw new FsError('NOT_EMPTY', { path: to })
      await api.rm(to, { recursive: true })
    }
    if (source !== 'directory' && target === 'directory') throw new FsError('IS_A_DIRECTORY', { path: to })
    await api.rename(from, to)
  }

  return {
    capabilities: {
      symlinks: false,
      atomicRename: false,
      modeBits: false,
      modified: 'none',
      watch: true,
      caseSensitive: true,
      writable: true,
      sync: false,
    },
    stat: (path) => translated(path, () => stat(path)),
    readFile: (path: string, range?: ByteRange) =>
      translated(path, async () => {
        const bytes = await read(path)
        return range === undefined ? bytes : bytes.slice(range.start, range.end)
      }),
    readDir: (path: string) => translated(path, () => list(path)),
    writeFile: (path, data, { exclusive = false } = {}) => {
      // Copied now, because the caller may reuse its buffer.
      const bytes = new Uint8Array(data)
      return change(path, async () => {
        const kind = await lookUp(path)
        if (kind !== undefined && exclusive) throw new FsError('EXISTS', { path })
        if (kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
        if (kind === 'other') throw new FsError('SPECIAL_FILE', { path })
        await api.writeFile(path, bytes)
      })
    },
    makeDir: (path) =>
      change(path, async () => {
        if ((await lookUp(path)) !== undefined) throw new FsError('EXISTS', { path })
        await api.mkdir(path)
      }),
    remove: (path) =>
      change(path, async () => {
        if (path === '/') throw new FsError('IS_ROOT', { path })
        const kind = await existing(path)
        if (kind === 'directory' && (await entriesOf(path)).length > 0) throw new FsError('NOT_EMPTY', { path })
        await api.rm(path, { recursive: kind === 'directory' })
      }),
    rename: (from, to) => {
      checkPath(to)
      return change(from, () => rename(from, to))
    },
    watch: (path, onChange) => translated(path, () => watch(path, onChange)),
  }

  async function watch(path: string, onChange: (change: FileChange) => void): Promise<Unwatch> {
    const isDirectory = (await existing(path)) === 'directory'
    let ended = false
    const watcher = api.watch(path, (_event, filename) => {
      if (ended) return
      const name = typeof filename === 'string' ? filename : new TextDecoder().decode(filename)
      onChange({ path: isDirectory ? join(path, name) : path })
    })
    return () => {
      ended = true
      watcher.close()
    }
  }
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): Kind {
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'directory' : 'other'
}
