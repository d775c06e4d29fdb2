import { FsError, isFsError } from '../../errors.js'
import { openFile } from '../open.js'
import { dirname, isWithin, relative, split } from '../path.js'
import { withLister, withNow, withPieces, withReader } from '../sync-calls.js'
import type { Entry, FileChange, FileSystem, LinkOptions, Stat, WriteOptions } from '../types.js'
import { weakest } from './capabilities.js'
import { below } from './rebase.js'

/**
 * Several file systems in one tree: `mount({ '/': memory(), '/disk': nodeFs('…') })`. The deepest mount point wins.
 * Directories on the way to a mount point are shown even where no file system has them; nothing can be made in those.
 * Mount points and the directories above them can't be moved or removed, and nothing is renamed from one file system into
 * another (`CROSS_DEVICE`). An absolute link counts from the mount point of the file system it lies in.
 */
export function mount(points: Readonly<Record<string, FileSystem>>): FileSystem {
  const mounts = Object.entries(points)
    .map(([point, fs]) => ({ point, fs: below(point, fs) }))
    .sort((a, b) => b.point.length - a.point.length)
  const sha256 = mounts.find(({ fs }) => fs.sha256 !== undefined)?.fs.sha256
  const capabilities = weakest(mounts.map(({ fs }) => fs.capabilities))

  function at(path: string): FileSystem {
    const found = mounts.find(({ point }) => isWithin(point, path))
    if (found === undefined) throw new FsError(leadsToMount(dirname(path)) ? 'READ_ONLY' : 'NOT_FOUND', { path })
    return found.fs
  }

  function leadsToMount(path: string): boolean {
    return mounts.some(({ point }) => isWithin(path, point))
  }

  function holdsMount(directory: string): boolean {
    return mounts.some(({ point }) => point.length > directory.length && isWithin(directory, point))
  }

  /** Mount points, and directories on the way to one, that are entries of `directory`. */
  function shownIn(directory: string): Entry[] {
    const points = mounts.map(({ point }) => point).filter((point) => point !== directory && isWithin(directory, point))
    const names = new Set(points.map((point) => split(`/${relative(directory, point)}`)[0] as string))
    return [...names].map((name) => ({ name, kind: 'directory' }))
  }

  function withShown(directory: string, own: Entry[]): Entry[] {
    if (!holdsMount(directory)) return own
    const shown = shownIn(directory)
    const covered = new Set(shown.map(({ name }) => name))
    return [...shown, ...own.filter(({ name }) => !covered.has(name))]
  }

  function nothing(): Entry[] {
    return []
  }

  /** Asks the file system there, and falls back for a directory that is only shown. */
  async function askOr<Result>(
    path: string,
    ask: (fs: FileSystem) => Promise<Result>,
    shown: () => Result,
  ): Promise<Result> {
    try {
      return await ask(at(path))
    } catch (error) {
      return otherwise(path, error, shown)
    }
  }

  function askNowOr<Result>(path: string, ask: (fs: FileSystem) => Result, shown: () => Result): Result {
    try {
      return ask(at(path))
    } catch (error) {
      return otherwise(path, error, shown)
    }
  }

  function otherwise<Result>(path: string, error: unknown, shown: () => Result): Result {
    const isShown = leadsToMount(path) && !mounts.some(({ point }) => point === path)
    if (isShown && isFsError(error, 'NOT_FOUND', 'READ_ONLY')) return shown()
    throw error
  }

  function isADirectory(path: string) {
    return (): never => {
      throw new FsError('IS_A_DIRECTORY', { path })
    }
  }

  function aDirectory(): Stat {
    return { kind: 'directory' }
  }

  function onlyADirectory(): { stat: Stat } {
    return { stat: aDirectory() }
  }

  /** Whether all file systems have something. */
  function all(has: (fs: FileSystem) => unknown): true | undefined {
    return mounts.every(({ fs }) => has(fs) !== undefined) || undefined
  }

  /** The file system in which a file may be written. */
  function writable(path: string, options: WriteOptions | undefined): FileSystem {
    refuse(path, options?.exclusive ? 'EXISTS' : 'IS_A_DIRECTORY')
    return at(path)
  }

  /** The file system in which something may be renamed. */
  function renaming(from: string, to: string): FileSystem {
    refuse(from, 'IS_ROOT')
    refuse(to, 'IS_ROOT')
    const fs = at(from)
    if (fs !== at(to)) throw new FsError('CROSS_DEVICE', { path: from, to })
    return fs
  }

  function refuse(path: string, code: 'EXISTS' | 'IS_ROOT' | 'IS_A_DIRECTORY'): void {
    if (leadsToMount(path)) throw new FsError(code, { path })
  }

  return {
    capabilities,
    stat: withNow(
      (path) => askOr(path, (fs) => fs.stat(path), aDirectory),
      all((fs) => fs.stat.now) && ((path) => askNowOr(path, (fs) => fs.stat.now!(path), aDirectory)),
    ),
    readFile: withReader(
      withNow(
        (path, range) => askOr(path, (fs) => fs.readFile(path, range), isADirectory(path)),
        all((fs) => fs.readFile.now) &&
          ((path, range) => askNowOr(path, (fs) => fs.readFile.now!(path, range), isADirectory(path))),
      ),
      (directory) => (holdsMount(directory) ? undefined : at(directory).readFile.reader?.(directory)),
    ),
    ...(all((fs) => fs.look) && {
      look: withNow(
        (path: string, maxBytes: number) => askOr(path, (fs) => fs.look!(path, maxBytes), onlyADirectory),
        all((fs) => fs.look?.now) &&
          ((path, maxBytes) => askNowOr(path, (fs) => fs.look!.now!(path, maxBytes), onlyADirectory)),
      ),
    }),
    open: withNow(
      (path) => askOr(path, (fs) => openFile(fs, path), isADirectory(path)),
      all((fs) => fs.open?.now) && ((path) => askNowOr(path, (fs) => fs.open!.now!(path), isADirectory(path))),
    ),

    readDir: withLister(
      withNow(
        async (path) => withShown(path, await askOr(path, (fs) => fs.readDir(path), nothing)),
        all((fs) => fs.readDir.now) &&
          ((path) =>
            withShown(
              path,
              askNowOr(path, (fs) => fs.readDir.now!(path), nothing),
            )),
      ),
      (directory) => (holdsMount(directory) ? undefined : at(directory).readDir.lister?.(directory)),
    ),

    writeFile: withPieces(
      withNow(
        async (path, data, options) => writable(path, options).writeFile(path, data, options),
        all((fs) => fs.writeFile.now) &&
          ((path, data, options) => writable(path, options).writeFile.now!(path, data, options)),
      ),
      all((fs) => fs.writeFile.pieces) &&
        (async (path, pieces, options) => writable(path, options).writeFile.pieces!(path, pieces, options)),
    ),

    async makeDir(path) {
      refuse(path, 'EXISTS')
      await at(path).makeDir(path)
    },

    async remove(path, options) {
      refuse(path, 'IS_ROOT')
      await at(path).remove(path, options)
    },

    rename: withNow(
      async (from, to, options) => renaming(from, to).rename(from, to, options),
      all((fs) => fs.rename.now) && ((from, to, options) => renaming(from, to).rename.now!(from, to, options)),
    ),

    ...(mounts.some(({ fs }) => fs.makeDurable) && {
      async makeDurable(directory: string) {
        await at(directory).makeDurable?.(directory)
      },
    }),

    ...(capabilities.symlinks && {
      async symlink(target: string, path: string, options?: LinkOptions) {
        refuse(path, 'EXISTS')
        await at(path).symlink?.(target, path, options)
      },
      async readLink(path: string, options?: LinkOptions) {
        return (await at(path).readLink?.(path, options)) ?? ''
      },
    }),
    ...(capabilities.modeBits && {
      async setMode(path: string, mode: number) {
        await at(path).setMode?.(path, mode)
      },
    }),
    ...(capabilities.modified === 'write' && {
      async setModified(path: string, modifiedMs: number) {
        await at(path).setModified?.(path, modifiedMs)
      },
    }),
    ...(sha256 && { sha256 }),
    ...(capabilities.watch && {
      async watch(path: string, onChange: (change: FileChange) => void) {
        return (await at(path).watch?.(path, onChange)) ?? (() => {})
      },
    }),
  }
}
