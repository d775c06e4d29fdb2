import { FsError, isFsError } from '../../errors.js'
import { openFile } from '../open.js'
import { dirname, isWithin, relative, split } from '../path.js'
import { orWouldBlock, type SyncFileSystem, type WouldBlock, wouldBlock } from '../sync.js'
import { transactional } from '../transactional.js'
import type { StatAndBytes, SyncTransactional, TransactionalFileSystem } from '../transactional-types.js'
import type { Entry, FileChange, FileSystem, LinkOptions, Stat } from '../types.js'
import { weakest } from './capabilities.js'
import { rebase } from './rebase.js'

/**
 * Several file systems in one tree: `mount({ '/': memory(), '/disk': nodeFs('…') })`. The deepest mount point wins.
 * Directories above a mount point are listed even if no file system has them; nothing can be created in those.
 * Mount points and the directories above them can't be moved or removed, and nothing is renamed from one file system into
 * another (`CROSS_DEVICE`). An absolute link starts at the mount point of the file system that contains it.
 */
export function mount(points: Readonly<Record<string, FileSystem>>): FileSystem {
  const mounts = Object.entries(points)
    .map(([point, fs]) => ({ point, fs: rebase(point, fs) }))
    .map(({ point, fs }): Mount => ({ point, fs, transactions: transactional(fs) }))
    .sort((a, b) => b.point.length - a.point.length)
  const capabilities = weakest(mounts.map(({ fs }) => fs.capabilities))

  function mountAt(path: string): Mount {
    const found = mounts.find(({ point }) => isWithin(point, path))
    if (found === undefined) throw new FsError(leadsToMount(dirname(path)) ? 'READ_ONLY' : 'NOT_FOUND', { path })
    return found
  }

  function at(path: string): FileSystem {
    return mountAt(path).fs
  }

  function leadsToMount(path: string): boolean {
    return mounts.some(({ point }) => isWithin(path, point))
  }

  function holdsMount(directory: string): boolean {
    return mounts.some(({ point }) => point.length > directory.length && isWithin(directory, point))
  }

  /** The entries of `directory` that are mount points or lead to one. */
  function entriesToMounts(directory: string): Entry[] {
    const points = mounts.map(({ point }) => point).filter((point) => point !== directory && isWithin(directory, point))
    const names = new Set(points.map((point) => split(`/${relative(directory, point)}`)[0] as string))
    return [...names].map((name) => ({ name, kind: 'directory' }))
  }

  function withMounts(directory: string, own: Entry[]): Entry[] {
    if (!holdsMount(directory)) return own
    const mounted = entriesToMounts(directory)
    const covered = new Set(mounted.map(({ name }) => name))
    return [...mounted, ...own.filter(({ name }) => !covered.has(name))]
  }

  function noEntries(): Entry[] {
    return []
  }

  /** Calls the file system at the path; `virtual` gives the result for a directory that only leads to a mount point. */
  async function askOr<Result>(
    path: string,
    ask: (mount: Mount) => Promise<Result>,
    virtual: () => Result,
  ): Promise<Result> {
    try {
      return await ask(mountAt(path))
    } catch (error) {
      return otherwise(path, error, virtual)
    }
  }

  function askSyncOr<Result>(
    path: string,
    ask: (mount: Mount) => Result | WouldBlock,
    virtual: () => Result,
  ): Result | WouldBlock {
    try {
      return ask(mountAt(path))
    } catch (error) {
      return otherwise(path, error, virtual)
    }
  }

  function isVirtual(path: string): boolean {
    return leadsToMount(path) && !mounts.some(({ point }) => point === path)
  }

  function otherwise<Result>(path: string, error: unknown, virtual: () => Result): Result {
    if (isVirtual(path) && isFsError(error, 'NOT_FOUND', 'READ_ONLY')) return virtual()
    throw error
  }

  function isADirectory(path: string) {
    return (): never => {
      throw new FsError('IS_A_DIRECTORY', { path })
    }
  }

  function directoryStat(): Stat {
    return { kind: 'directory' }
  }

  function noBytes(): StatAndBytes {
    return { stat: directoryStat() }
  }

  /** Refuses to write a file over a directory that leads to a mount point. */
  function writableAt(path: string, exclusive = false): Mount {
    refuse(path, exclusive ? 'EXISTS' : 'IS_A_DIRECTORY')
    return mountAt(path)
  }

  /** The mount that holds both ends of a rename. */
  function renamingAt(from: string, to: string): Mount {
    refuse(from, 'IS_ROOT')
    refuse(to, 'IS_ROOT')
    const found = mountAt(from)
    if (found !== mountAt(to)) throw new FsError('CROSS_DEVICE', { path: from, to })
    return found
  }

  function refuse(path: string, code: 'EXISTS' | 'IS_ROOT' | 'IS_A_DIRECTORY'): void {
    if (leadsToMount(path)) throw new FsError(code, { path })
  }

  /** Present where every mount has it. */
  function syncReads(): SyncFileSystem | undefined {
    if (mounts.some(({ fs }) => fs.sync === undefined)) return undefined
    const canFind = mounts.every(({ fs }) => fs.sync?.find !== undefined)
    return {
      ...(canFind && {
        find: (path: string) =>
          askSyncOr(path, ({ fs }) => fs.sync!.find!(path), directoryStat) ??
          (isVirtual(path) ? directoryStat() : undefined),
      }),
      stat: (path) => askSyncOr(path, ({ fs }) => fs.sync!.stat(path), directoryStat),
      readFile: (path, range) => askSyncOr(path, ({ fs }) => fs.sync!.readFile(path, range), isADirectory(path)),
      readDir(path) {
        const entries = askSyncOr(path, ({ fs }) => fs.sync!.readDir(path), noEntries)
        return entries === wouldBlock ? wouldBlock : withMounts(path, entries)
      },
      directoryLister: (directory) => belowMounts(directory, (sync) => sync.directoryLister?.(directory)),
      fileReader: (directory) => belowMounts(directory, (sync) => sync.fileReader?.(directory)),
    }
  }

  /** Asks a single mount; would block for a directory that contains another mount point. */
  function belowMounts<Result>(directory: string, ask: (sync: SyncFileSystem) => Result | undefined) {
    return holdsMount(directory) ? wouldBlock : orWouldBlock(() => ask(at(directory).sync!) ?? wouldBlock)
  }

  /** Present where any mount has it. */
  function transactionalCalls(): TransactionalFileSystem | undefined {
    if (mounts.every(({ fs }) => fs.transactional === undefined)) return undefined
    const sync = syncTransactional()
    const { sha256, sha256InPieces } = mounts.find(({ transactions }) => transactions.sha256)?.transactions ?? {}
    return {
      statAndRead: (path, maxBytes) =>
        askOr(path, ({ transactions }) => transactions.statAndRead(path, maxBytes), noBytes),
      stageFile: async (path, content, options) => writableAt(path).transactions.stageFile(path, content, options),
      rename: async (from, to) => renamingAt(from, to).transactions.rename(from, to),
      async remove(path) {
        refuse(path, 'IS_ROOT')
        await mountAt(path).transactions.remove(path)
      },
      async makeDir(path, mode) {
        refuse(path, 'EXISTS')
        const { fs, transactions } = mountAt(path)
        if (transactions.makeDir !== undefined) return transactions.makeDir(path, mode)
        await fs.makeDir(path)
        if (mode !== undefined) await fs.setMode?.(path, mode)
      },
      async makeDurable(directory) {
        await mountAt(directory).transactions.makeDurable?.(directory)
      },
      ...(sha256 && { sha256 }),
      ...(sha256InPieces && { sha256InPieces }),
      ...(sync && { sync }),
    }
  }

  /** Present where every mount has it; a call that one lacks would block there. */
  function syncTransactional(): SyncTransactional | undefined {
    if (mounts.some(({ transactions }) => transactions.sync === undefined)) return undefined
    return {
      statAndRead: (path, maxBytes) =>
        askSyncOr(path, ({ transactions }) => transactions.sync!.statAndRead(path, maxBytes), noBytes),
      stageFile(path, content, options) {
        const { stageFile } = writableAt(path).transactions.sync!
        return stageFile ? stageFile(path, content, options) : wouldBlock
      },
      rename(from, to) {
        const { rename } = renamingAt(from, to).transactions.sync!
        return rename ? rename(from, to) : wouldBlock
      },
      remove(path) {
        refuse(path, 'IS_ROOT')
        const { remove } = mountAt(path).transactions.sync!
        return remove ? remove(path) : wouldBlock
      },
    }
  }

  function isFixed(path: string): boolean {
    return leadsToMount(path) || mounts.find(({ point }) => isWithin(point, path))?.fs.isFixed?.(path) === true
  }

  const sync = syncReads()
  const transactionalHere = transactionalCalls()
  return {
    capabilities,
    isFixed,
    ...(sync && { sync }),
    ...(transactionalHere && { transactional: transactionalHere }),
    stat: (path) => askOr(path, ({ fs }) => fs.stat(path), directoryStat),
    readFile: (path, range) => askOr(path, ({ fs }) => fs.readFile(path, range), isADirectory(path)),
    open: (path) => askOr(path, ({ fs }) => openFile(fs, path), isADirectory(path)),
    readDir: async (path) => withMounts(path, await askOr(path, ({ fs }) => fs.readDir(path), noEntries)),
    writeFile: async (path, data, options) => writableAt(path, options?.exclusive).fs.writeFile(path, data, options),

    async makeDir(path) {
      refuse(path, 'EXISTS')
      await at(path).makeDir(path)
    },

    async remove(path) {
      refuse(path, 'IS_ROOT')
      await at(path).remove(path)
    },

    rename: async (from, to) => renamingAt(from, to).fs.rename(from, to),

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
    ...(capabilities.watch && {
      async watch(path: string, onChange: (change: FileChange) => void) {
        return (await at(path).watch?.(path, onChange)) ?? (() => {})
      },
    }),
  }
}

interface Mount {
  point: string
  fs: FileSystem
  transactions: TransactionalFileSystem
}
