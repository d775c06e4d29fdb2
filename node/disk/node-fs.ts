import { createHash, hash } from 'node:crypto'
import fs from 'node:fs'
import { FsError, isFsError } from '../../src/errors.js'
import { fromErrno } from '../../src/fs/errno.js'
import { encodeTarget } from '../../src/fs/link-target.js'
import { basename, dirname, join } from '../../src/fs/path.js'
import { isStagedName, lockName } from '../../src/fs/staged-name.js'
import { type SyncFileSystem, type WouldBlock, wouldBlock } from '../../src/fs/sync.js'
import type { RunningHash, StageOptions, TransactionalFileSystem } from '../../src/fs/transactional-types.js'
import type { Bytes, Entry, FileSystem, Stat } from '../../src/fs/types.js'
import { yieldWhenDue } from '../../src/fs/yield-when-due.js'
import { checkVirtual, type Place, type SharedAnchor } from './anchor.js'
import { deferredClose } from './deferred-close.js'
import { fromHostTarget, readTarget, toHostTarget } from './host-link-target.js'
import { isInUse, renameEntry, whileInUse } from './host-rename.js'
import { lstat, statBeneath, statIfThere } from './host-stat.js'
import { isCaseSensitive, mayHoldRemoved, openRoot } from './open-root.js'
import { openedFile } from './opened-file.js'
import { clip, openRegular, readBeneath, readRange } from './regular-file.js'
import { removeEntry } from './remove-entry.js'
import { type OwnerAndMode, ownerAndModeOf, stagedWrites } from './staged-write.js'
import { statAndReadAsync, statAndReadSync } from './stat-and-read.js'
import { statIn, syncReads } from './sync-reads.js'
import { watchEntry } from './watch-entry.js'

export interface NodeFsOptions {
  /** How links are refused; the default is the strongest way this machine has. See `anchor.ts`. */
  anchor?: 'descriptor' | 'walk'
  /** Wait until written bytes are on the disk (default). Otherwise a power cut may lose the newest writes; a crash of the process does not. */
  fsync?: boolean
}

export interface NodeFileSystem extends FileSystem {
  /** The real path of the directory that is `/`. */
  readonly root: string
  readonly anchor: 'descriptor' | 'walk'
  readonly sync: SyncFileSystem
  readonly transactional: TransactionalFileSystem
  /** @internal For other threads. */
  share(): SharedAnchor
  /** @internal The stats of entries of a directory, synchronously; undefined for those that are missing. */
  statsOf(directory: string, entries: readonly Pick<Entry, 'name'>[]): (Stat | undefined)[]
  /** @internal The bytes of files of a directory, synchronously; undefined for those that can't be read. */
  readsOf(directory: string, names: readonly string[]): (Bytes | undefined)[]
  /** Runs `act` with the host path of a directory, if no link leads there. The path is valid until it returns; its errors are not translated. */
  inDirectory<Result>(directory: string, act: (host: string) => Result): Result
  /** Releases the root. */
  close(): Promise<void>
}

/**
 * A directory of the real disk. Nothing outside it is ever reached; special files are refused before they are opened for
 * reading, so no call can hang on one. Writes go to a temporary name beside the target and are renamed into place.
 * Throws when `root` is missing, unreadable or no directory.
 */
export function nodeFs(root: string, options: NodeFsOptions = {}): NodeFileSystem {
  const anchor = openRoot(root, options.anchor)
  // Disk calls are mostly synchronous.
  const othersFirst = yieldWhenDue(setImmediate)
  const { fsync = true } = options
  const disposal = deferredClose({ waits: !mayHoldRemoved(anchor.root) })
  const staging = stagedWrites({ fsync, deferredClose: disposal })
  const { syncDirectory } = staging
  const reads = syncReads(anchor)
  const { atSync } = reads

  /** Runs `act` at the place that the anchor resolves, and translates errors. */
  async function at<Result>(
    virtual: string,
    act: (place: Place) => Result | Promise<Result>,
    to?: string,
  ): Promise<Result> {
    const others = othersFirst()
    if (others !== undefined) await others
    try {
      checkVirtual(virtual)
      return await anchor.at(virtual, act)
    } catch (error) {
      throw fromErrno(error, virtual, to)
    }
  }

  /** The same for one of many synchronous calls: it would block when other work is due. */
  function atUnlessDue<Result>(virtual: string, act: (place: Place) => Result): Result | WouldBlock {
    return othersFirst() === undefined ? atSync(virtual, act) : wouldBlock
  }

  /** The host path of another entry in the same directory; undefined for one elsewhere. */
  function beside(virtual: string, place: Place, other: string): Beside | undefined {
    if (dirname(virtual) !== dirname(other) || other === '/') return undefined
    checkVirtual(other)
    return { entry: `${place.parent}/${basename(other)}`, parent: place.parent }
  }

  /** The owner and mode of a staged file. */
  function likeOf(virtual: string, place: Place, { replaces, owner, mode }: StageOptions): OwnerAndMode {
    if (owner !== undefined && mode !== undefined) return { owner, mode }
    if (replaces === undefined) return { owner: undefined, mode }
    const near = beside(virtual, place, replaces)
    return ownerAndModeOf(near === undefined ? atSync(replaces, ({ entry }) => lstat(entry)) : lstat(near.entry), mode)
  }

  /** A rename replaces a file whatever its mode is, so that is checked here. */
  function refuseProtected(virtual: string, place: Place, { replaces, ifWritable = false }: StageOptions): void {
    if (!ifWritable || replaces === undefined) return
    const near = beside(virtual, place, replaces)
    const isDenied = near === undefined ? atSync(replaces, ({ entry }) => isProtected(entry)) : isProtected(near.entry)
    if (isDenied === true) throw new FsError('DENIED', { path: replaces })
  }

  function stageFileSync(virtual: string, data: Bytes, options: StageOptions): undefined | WouldBlock {
    if (!staging.canStageSync(data)) return wouldBlock
    try {
      return atUnlessDue(virtual, (place): undefined => {
        refuseProtected(virtual, place, options)
        staging.stageSync(place.entry, data, likeOf(virtual, place, options), dirname(virtual))
      })
    } catch (error) {
      // Closing deleted files may make room.
      if (isFsError(error, 'NO_SPACE') && disposal.waiting() !== undefined) return wouldBlock
      throw error
    }
  }

  function move(from: string, source: Place, to: string, target: Beside): void {
    renameEntry({ path: from, entry: source.entry }, { path: to, entry: target.entry }, disposal)
  }

  function renameSync(from: string, to: string): undefined | WouldBlock {
    if (from === '/' || to === '/') return wouldBlock
    const renamed = atUnlessDue(from, (source) => {
      const act = (target: Beside) => unlessInUse(() => move(from, source, to, target))
      const target = beside(from, source, to)
      return target === undefined ? atSync(to, act) : act(target)
    })
    if (renamed !== wouldBlock && !isStagedName(basename(from))) anchor.moved()
    return renamed
  }

  function rename(from: string, to: string, { durable }: { durable: boolean }): Promise<void> {
    return at(
      from,
      async (source) => {
        if (from === '/' || to === '/') throw new FsError('IS_ROOT', { path: '/' })
        const act = async (target: Beside) => {
          await whileInUse(() => move(from, source, to, target))
          if (durable) await syncDirectory(target.parent)
        }
        const target = beside(from, source, to)
        await (target === undefined ? at(to, act) : act(target))
        if (target === undefined && durable) await syncDirectory(source.parent)
      },
      to,
    )
  }

  function remove(virtual: string, { durable }: { durable: boolean }): Promise<void> {
    return at(virtual, async (place) => {
      if (virtual === '/') throw new FsError('IS_ROOT', { path: virtual })
      await whileInUse(() => removeEntry(place, disposal))
      if (durable) await syncDirectory(place.parent)
    })
  }

  function removeSync(virtual: string): undefined | WouldBlock {
    if (virtual === '/') return wouldBlock
    return atUnlessDue(virtual, (place) => unlessInUse(() => removeEntry(place, disposal)))
  }

  function makeDir(virtual: string, { durable, mode }: { durable: boolean; mode?: number | undefined }): Promise<void> {
    return at(virtual, async (place) => {
      if (virtual === '/') throw new FsError('EXISTS', { path: virtual })
      fs.mkdirSync(place.entry, mode === undefined ? {} : { mode: mode & 0o777 })
      // A mode that comes with the name is durable with it. Otherwise each directory takes a flush of its own.
      if (mode !== undefined && hasModes && (fs.lstatSync(place.entry).mode & 0o7777) !== mode) {
        await staging.changeMode(place, mode)
      }
      if (durable) await syncDirectory(place.parent)
    })
  }

  async function makeDurable(virtual: string): Promise<void> {
    try {
      checkVirtual(virtual)
      const directory = anchor.directory(virtual)
      try {
        await syncDirectory(directory.host)
      } finally {
        directory.close()
      }
    } catch (error) {
      throw fromErrno(error, virtual)
    }
  }

  function transactionalCalls(): TransactionalFileSystem {
    return {
      statAndRead: (virtual, maxBytes) =>
        at(virtual, (place) => {
          const found = statAndReadSync(virtual, place, maxBytes)
          return found === wouldBlock ? statAndReadAsync(virtual, place, maxBytes) : found
        }),
      stageFile: (virtual, content, options) =>
        at(virtual, (place) => {
          refuseProtected(virtual, place, options)
          return staging.stage(place, content, likeOf(virtual, place, options))
        }),
      rename: (from, to) => rename(from, to, { durable: false }),
      remove: (virtual) => remove(virtual, { durable: false }),
      makeDir: (virtual, mode) => makeDir(virtual, { durable: false, mode }),
      ...(fsync && { makeDurable }),
      sha256: (bytes) => hash('sha256', bytes, 'hex'),
      sha256InPieces: runningHash,
      sync: {
        statAndRead: (virtual, maxBytes) => atUnlessDue(virtual, (place) => statAndReadSync(virtual, place, maxBytes)),
        ...(!fsync && { stageFile: stageFileSync }),
        rename: renameSync,
        remove: removeSync,
      },
    }
  }

  /** Calls `act` with the host path of a directory to which no link leads. */
  function inside<Result>(virtual: string, act: (host: string) => Result): Result {
    try {
      checkVirtual(virtual)
      const directory = anchor.directory(virtual)
      try {
        return act(directory.host)
      } finally {
        directory.close()
      }
    } catch (error) {
      throw fromErrno(error, virtual)
    }
  }

  return {
    root: anchor.root,
    anchor: anchor.kind,
    share: () => anchor.share(),
    statsOf: (virtual, entries) => inside(virtual, (host) => entries.map(({ name }) => statBeneath(host, name))),
    readsOf: (virtual, names) => inside(virtual, (host) => names.map((name) => readBeneath(host, name))),
    inDirectory(virtual, act) {
      checkVirtual(virtual)
      return anchor.atSync(join(virtual, lockName), ({ parent }) => act(parent))
    },
    close: async () => anchor.close(),
    capabilities: {
      symlinks: true,
      atomicRename: true,
      modeBits: hasModes,
      modified: 'write',
      watch: true,
      caseSensitive: isCaseSensitive(anchor.root),
      writable: true,
      sync: false,
    },

    sync: {
      stat: (virtual) => atUnlessDue(virtual, ({ entry }) => statIn(virtual, entry)),
      find: (virtual) => atUnlessDue(virtual, ({ entry }) => statIfThere(entry)),
      readFile: reads.readFile,
      readDir: reads.readDir,
      directoryLister: reads.directoryLister,
    },

    transactional: transactionalCalls(),

    stat: (virtual) => at(virtual, ({ entry }) => statIn(virtual, entry)),

    readFile: (virtual, range) =>
      at(virtual, async (place) => {
        const file = openRegular(virtual, place)
        try {
          return await readRange(file.descriptor, clip(range, file.size))
        } finally {
          fs.closeSync(file.descriptor)
        }
      }),

    writeFile: (virtual, data, writeOptions = {}) =>
      at(virtual, (place) => staging.replace(virtual, place, data, writeOptions)),

    readDir: async (virtual) => reads.readDir(virtual),

    makeDir: (virtual) => makeDir(virtual, { durable: true }),

    remove: (virtual) => remove(virtual, { durable: true }),
    rename: (from, to) => rename(from, to, { durable: true }),

    symlink: (target, virtual, { verbatim = false } = {}) =>
      at(virtual, async (place) => {
        if (virtual === '/') throw new FsError('EXISTS', { path: virtual })
        const text = verbatim ? target : toHostTarget(anchor.root, target)
        fs.symlinkSync(text.isWellFormed() ? text : Buffer.from(encodeTarget(text)), place.entry)
        await syncDirectory(place.parent)
      }),

    readLink: (virtual, { verbatim = false } = {}) =>
      at(virtual, ({ entry }) => {
        const target = readTarget(virtual, entry)
        return verbatim ? target : fromHostTarget(virtual, anchor.root, target)
      }),

    ...(hasModes && {
      setMode: (virtual: string, mode: number) => at(virtual, (place) => staging.changeMode(place, mode)),
    }),

    setModified: (virtual, modifiedMs) =>
      at(virtual, (place) => fs.utimesSync(place.pinned(), hostTime(modifiedMs), hostTime(modifiedMs))),

    open: async (virtual) => atSync(virtual, (place) => openedFile(virtual, place)),

    watch: (virtual, onChange) => at(virtual, (place) => watchEntry(virtual, place, onChange)),
  }
}

function runningHash(): RunningHash {
  const running = createHash('sha256')
  return { add: (bytes) => running.update(bytes), end: () => running.digest('hex') }
}

/** Does what may succeed a moment later if another program has the entry open, which would block. */
function unlessInUse(act: () => void): undefined | WouldBlock {
  try {
    act()
  } catch (error) {
    if (process.platform === 'win32' && isInUse(error)) return wouldBlock
    throw error
  }
}

/** Whether the process may not write to a file. */
function isProtected(entry: string): boolean {
  try {
    fs.accessSync(entry, fs.constants.W_OK)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS'].includes(String(error.code))
  }
}

type Beside = Pick<Place, 'entry' | 'parent'>

const hasModes = process.platform !== 'win32'

/** libuv truncated times to microseconds before 1.52, and a time in seconds is often a little too small to be one. Bun does not use it. */
const truncatesTimes = process.versions.bun === undefined && isOlder(process.versions.uv ?? '', [1, 52])

/** Node reads a negative number as the present. Where times are truncated, adding half a microsecond rounds. */
function hostTime(modifiedMs: number): number | Date {
  if (modifiedMs < 0) return new Date(modifiedMs)
  return (truncatesTimes ? modifiedMs + 0.0005 : modifiedMs) / 1000
}

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
  return ownMajor < major || (ownMajor === major && ownMinor < minor)
}
