import { Volume } from 'memfs'
import { FsError } from '../../errors.js'
import { fromErrno } from '../errno.js'
import { dirname, isWithin } from '../path.js'
import { checkPath, posixRules } from '../path-rules.js'
import { type FileReader, orWouldBlock } from '../sync.js'
import type { ByteRange, Bytes, Capabilities, Entry, FileChange, FileSystem, Stat, WriteOptions } from '../types.js'
import {
  bytesOf,
  entered,
  entriesOf,
  findLink,
  type MemoryLink,
  readableDirectory,
  readableFile,
  statOf,
} from './memory-nodes.js'

/** Files by path; a key that ends in `/` is an empty directory. Parents are made as needed. */
export type MemoryTree = Readonly<Record<string, string | Bytes>>

/**
 * A tree in memory. Every operation is finished when it returns, so nothing ever sees it half done.
 * memfs holds the nodes; the POSIX rules it lacks (what a rename may replace, name lengths, links not followed) are implemented here.
 * Reads use the nodes directly, not memfs's functions.
 */
export function memory(tree: MemoryTree = {}): FileSystem {
  const volume = Volume.fromJSON({}, '/', { process: detachedProcess() })
  const { root } = volume._core
  const watchers = new Set<{ path: string; onChange: (change: FileChange) => void }>()
  /** Cached reads by directory, until it changes: finding a file takes longer than searching it. */
  const caches = new WeakMap<MemoryLink, DirectoryCache>()
  /** Counts moves, removals and mode changes of directories: a reader then resolves its directory again. */
  let directoryChanges = 0

  function cacheOf(directory: MemoryLink): DirectoryCache {
    const known = caches.get(directory) ?? { files: new Map() }
    caches.set(directory, known)
    return known
  }

  function list(path: string): Entry[] {
    const directory = readableDirectory(findLink(root, path), path)
    const known = cacheOf(directory)
    known.entries ??= entriesOf(directory)
    return known.entries
  }

  /** Called before a change, so that no cache is stale even where memfs fails halfway. */
  function forget(path: string): void {
    const directory = findLink(root, dirname(path))
    if (directory !== undefined) caches.delete(directory)
  }

  function fileReader(path: string): FileReader {
    let directory = entered(findLink(root, path), path)
    let seen = directoryChanges

    function read(name: string): Bytes {
      if (seen !== directoryChanges) directory = entered(findLink(root, path), path)
      seen = directoryChanges
      const { files } = cacheOf(directory)
      const known = files.get(name)
      if (known !== undefined) return known
      if (!posixRules.isPlain?.(`/${name}`)) throw new FsError('OUTSIDE', { path: name })
      const bytes = bytesOf(readableFile(directory.children.get(name), name))
      files.set(name, bytes)
      return bytes
    }

    return (name) => orWouldBlock(() => read(name))
  }

  function readShared(path: string, range?: ByteRange): Bytes {
    const whole = perform(path, () => bytesOf(readableFile(findLink(root, path), path)))
    return range === undefined ? whole : whole.subarray(range.start, range.end)
  }

  function changed(...paths: string[]): void {
    for (const path of paths) {
      for (const watcher of watchers) {
        if (path === watcher.path || dirname(path) === watcher.path) watcher.onChange({ path })
      }
    }
  }

  /** The entry itself, also a link; undefined if missing. */
  function statIfThere(path: string): Stat | undefined {
    const link = findLink(root, path)
    return link && statOf(link.getNode())
  }

  function existing(path: string): Stat {
    const stat = statIfThere(path)
    if (stat === undefined) throw new FsError('NOT_FOUND', { path })
    return stat
  }

  function vacant(path: string): void {
    if (path === '/' || statIfThere(path) !== undefined) throw new FsError('EXISTS', { path })
  }

  function read(path: string, range: ByteRange | undefined): Bytes {
    const file = readableFile(findLink(root, path), path)
    const size = file.getSize()
    const start = Math.min(range?.start ?? 0, size)
    const bytes = new Uint8Array(Math.max(0, Math.min(range?.end ?? size, size) - start))
    file.read(bytes, 0, bytes.length, start)
    return bytes
  }

  function setTime(path: string, modifiedMs: number): void {
    // As a date: memfs treats a negative number as the present.
    const time = new Date(modifiedMs)
    volume.utimesSync(path, time, time)
  }

  function makeDirs(path: string): void {
    if (path !== '/') volume.mkdirSync(path, { recursive: true })
  }

  /** Runs one operation synchronously, and translates the errors of memfs. */
  function perform<Result>(path: string, run: () => Result, to?: string): Result {
    try {
      checkPath(path)
      if (to !== undefined) checkPath(to)
      return run()
    } catch (error) {
      throw fromErrno(error, path, to)
    }
  }

  async function operation<Result>(path: string, run: () => Result, to?: string): Promise<Result> {
    return perform(path, run, to)
  }

  for (const [key, content] of Object.entries(tree)) {
    const path = key.startsWith('/') ? key : `/${key}`
    if (path.endsWith('/')) makeDirs(path.slice(0, -1) || '/')
    else {
      makeDirs(dirname(path))
      volume.writeFileSync(path, content)
    }
  }

  return {
    capabilities,

    sync: {
      stat: (path) => perform(path, () => existing(path)),
      readFile: readShared,
      readDir: (path) => perform(path, () => list(path)),
      fileReader: (directory) => orWouldBlock(() => perform(directory, () => fileReader(directory))),
    },

    stat: (path) => operation(path, () => existing(path)),
    readFile: (path, range) => operation(path, () => read(path, range)),

    writeFile: (path, data: Bytes, options: WriteOptions = {}) =>
      operation(path, () => {
        const previous = statIfThere(path)
        if (previous?.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
        if (previous !== undefined && options.exclusive) throw new FsError('EXISTS', { path })
        if (previous?.kind === 'symlink') throw new FsError('IS_LINK', { path })
        const { mode = 0o644 } = options
        const isNew = previous === undefined
        forget(path)
        // memfs refuses the first bytes of a file that is created read-only, and leaves it empty.
        volume.writeFileSync(path, data, { mode: isNew ? mode | 0o200 : mode })
        if (isNew && (mode & 0o200) === 0) volume.chmodSync(path, mode)
        changed(path)
      }),

    readDir: (path) => operation(path, () => [...list(path)]),

    makeDir: (path) =>
      operation(path, () => {
        vacant(path)
        forget(path)
        volume.mkdirSync(path, { mode: 0o755 })
        changed(path)
      }),

    remove: (path) =>
      operation(path, () => {
        if (path === '/') throw new FsError('IS_ROOT', { path })
        const { kind } = existing(path)
        forget(path)
        if (kind === 'directory') {
          if (volume.readdirSync(path).length > 0) throw new FsError('NOT_EMPTY', { path })
          directoryChanges += 1
          volume.rmdirSync(path)
        } else volume.unlinkSync(path)
        changed(path)
      }),

    rename: (from, to) =>
      operation(
        from,
        () => {
          if (from === '/' || to === '/') throw new FsError('IS_ROOT', { path: '/' })
          const source = existing(from)
          if (from === to) return
          if (source.kind === 'directory' && isWithin(from, to)) throw new FsError('INTO_ITSELF', { path: from, to })
          const replaced = statIfThere(to)
          if (source.kind === 'directory') directoryChanges += 1
          forget(from)
          forget(to)
          if (replaced?.kind === 'directory') {
            if (source.kind !== 'directory') throw new FsError('IS_A_DIRECTORY', { path: to })
            if (volume.readdirSync(to).length > 0) throw new FsError('NOT_EMPTY', { path: to })
            volume.rmdirSync(to)
          } else if (replaced !== undefined) {
            if (source.kind === 'directory') throw new FsError('NOT_A_DIRECTORY', { path: to })
            volume.unlinkSync(to)
          }
          if (source.kind === 'symlink') {
            // memfs would move the target of the link.
            volume.symlinkSync(String(volume.readlinkSync(from)), to)
            volume.unlinkSync(from)
          } else volume.renameSync(from, to)
          changed(from, to)
        },
        to,
      ),

    symlink: (target, path, options) =>
      operation(path, () => {
        // No link leads out of this tree, so a verbatim target comes from another tree and would lead somewhere else here.
        if (options?.verbatim) throw new FsError('OUTSIDE', { path })
        vacant(path)
        forget(path)
        volume.symlinkSync(target, path)
        changed(path)
      }),

    readLink: (path) =>
      operation(path, () => {
        if (existing(path).kind !== 'symlink') throw new FsError('NOT_A_LINK', { path })
        return String(volume.readlinkSync(path))
      }),

    setMode: (path, mode) =>
      operation(path, () => {
        const { kind, modifiedMs } = existing(path)
        if (kind === 'symlink') throw new FsError('IS_LINK', { path })
        if (kind === 'directory') directoryChanges += 1
        forget(path)
        volume.chmodSync(path, mode)
        // memfs sets the modification time when the mode changes.
        if (modifiedMs !== undefined) setTime(path, modifiedMs)
        changed(path)
      }),

    setModified: (path, modifiedMs) =>
      operation(path, () => {
        if (existing(path).kind === 'symlink') throw new FsError('IS_LINK', { path })
        setTime(path, modifiedMs)
        changed(path)
      }),

    watch: (path, onChange) =>
      operation(path, () => {
        if (existing(path).kind === 'symlink') throw new FsError('IS_LINK', { path })
        const watcher = { path, onChange }
        watchers.add(watcher)
        return () => void watchers.delete(watcher)
      }),
  }
}

interface DirectoryCache {
  entries?: Entry[]
  /** By name. */
  files: Map<string, Bytes>
}

const capabilities: Capabilities = {
  symlinks: true,
  atomicRename: true,
  modeBits: true,
  modified: 'write',
  watch: true,
  caseSensitive: true,
  writable: true,
  sync: true,
}

/** Isolates memfs from the real process, whose working directory must not matter. It still needs its user, to check permissions. */
function detachedProcess() {
  const { uid, gid } = new Volume()._core.root.getNode()
  const user = { getuid: () => uid, getgid: () => gid }
  return { cwd: () => '/', platform: 'linux' as const, emitWarning: () => {}, env: {}, ...user }
}
