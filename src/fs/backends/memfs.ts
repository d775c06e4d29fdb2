import { FsError } from '../../errors.js'
import { fromErrno } from '../errno.js'
import { dirname, isWithin } from '../path.js'
import { checkPath } from '../path-rules.js'
import type { ByteRange, Bytes, FileChange, FileSystem, Stat, WriteOptions } from '../types.js'
import { capabilitiesInMemory } from './capabilities.js'
import { bytesOf, entriesOf, findLink, type MemfsLink, readableDirectory, readableFile, statOf } from './memfs-nodes.js'

/** The part of a volume of memfs that is used here. Structural, so that nobody needs memfs who has no volume. */
export interface MemfsVolume {
  readonly _core: { readonly root: unknown }
  chmodSync(path: string, mode: number): void
  mkdirSync(path: string, options: { mode: number }): unknown
  readdirSync(path: string): readonly unknown[]
  readlinkSync(path: string): unknown
  renameSync(from: string, to: string): void
  rmdirSync(path: string): void
  symlinkSync(target: string, path: string): void
  unlinkSync(path: string): void
  utimesSync(path: string, accessed: Date, modified: Date): void
  writeFileSync(path: string, data: Bytes, options: { mode: number }): void
}

/**
 * A volume of memfs that somebody else holds. Every operation is finished when it returns, so nothing ever sees it half done.
 * The POSIX rules that memfs lacks (what a rename may replace, name lengths, links not followed) are implemented here.
 * Reads use the nodes directly, not memfs's functions.
 */
export function fromMemfs(volume: MemfsVolume): FileSystem {
  const root = volume._core.root as MemfsLink
  const watchers = new Set<{ path: string; onChange: (change: FileChange) => void }>()

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

  return {
    capabilities: capabilitiesInMemory,

    sync: {
      stat: (path) => perform(path, () => existing(path)),
      readFile: readShared,
      readDir: (path) => perform(path, () => entriesOf(readableDirectory(findLink(root, path), path))),
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
        // memfs refuses the first bytes of a file that is created read-only, and leaves it empty.
        volume.writeFileSync(path, data, { mode: isNew ? mode | 0o200 : mode })
        if (isNew && (mode & 0o200) === 0) volume.chmodSync(path, mode)
        changed(path)
      }),

    readDir: (path) => operation(path, () => entriesOf(readableDirectory(findLink(root, path), path))),

    makeDir: (path) =>
      operation(path, () => {
        vacant(path)
        volume.mkdirSync(path, { mode: 0o755 })
        changed(path)
      }),

    remove: (path) =>
      operation(path, () => {
        if (path === '/') throw new FsError('IS_ROOT', { path })
        const { kind } = existing(path)
        if (kind === 'directory') {
          if (volume.readdirSync(path).length > 0) throw new FsError('NOT_EMPTY', { path })
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
