import { createHash, hash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { FsError, isFsError } from '../../src/errors.js'
import { fromErrno } from '../../src/fs/errno.js'
import { encodeTarget } from '../../src/fs/link-target.js'
import { basename, dirname, join } from '../../src/fs/path.js'
import { isStagedName, lockName } from '../../src/fs/staged-name.js'
import { immediate, notNow, withNow, withPieces } from '../../src/fs/sync-calls.js'
import type { Bytes, FileSystem, RenameOptions, RunningHash, Stat, WriteOptions } from '../../src/fs/types.js'
import { type Anchor, checkVirtual, type Place, type SharedAnchor } from './anchor.js'
import { lettingGo } from './deferred-close.js'
import { turns } from './event-loop-yield.js'
import { fromHostTarget, readTarget, toHostTarget } from './host-link-target.js'
import { renameEntry } from './host-rename.js'
import { lstat, statFrom } from './host-stat.js'
import { isCaseSensitive, isInMemory, openRoot } from './open-root.js'
import { openedFile } from './opened-file.js'
import { clip, openRegular, readRange } from './regular-file.js'
import { removeDirectory } from './remove-directory.js'
import { type Like, likeness, stagedWrites } from './staged-write.js'
import { lookLater, lookNow } from './stat-and-read.js'
import { readings } from './sync-reads.js'
import { watchEntry } from './watch-entry.js'

export interface NodeFsOptions {
  /** How links are kept out; the default is the strongest this machine has. See `anchor.ts`. */
  anchor?: Anchor['kind']
  /** Wait until written bytes are on the disk (default). Without it a power cut may lose the newest writes, a crash may not. */
  fsync?: boolean
}

export interface NodeFileSystem extends FileSystem {
  /** The real path of the directory that is `/`. */
  readonly root: string
  readonly anchor: Anchor['kind']
  /** For other threads. */
  share(): SharedAnchor
  /** What is known of those of the named entries of a directory that are there, at once. */
  statsOf(directory: string, names: readonly string[]): Map<string, Stat>
  /** Runs `act` with a path of a directory on the host, if no link leads there; good until it returns. Its errors are passed on as they are. */
  inDirectory<Result>(directory: string, act: (host: string) => Result): Result
  /** Releases the root. */
  close(): void
}

/**
 * A directory of the real disk. Nothing outside it is ever reached; special files are refused before they are opened for
 * reading, so no call can hang on one. Writes go to a temporary name beside the target and are renamed into place.
 * Throws when `root` is missing, unreadable or no directory.
 */
export function nodeFs(root: string, options: NodeFsOptions = {}): NodeFileSystem {
  const anchor = openRoot(root, options.anchor)
  const othersFirst = turns()
  const { fsync = true } = options
  const disposal = lettingGo({ waits: isInMemory(anchor.root) })
  const staging = stagedWrites({ fsync, lettingGo: disposal })
  const { syncDirectory } = staging
  const { atNow, readFileNow, readDirNow, lister } = readings(anchor)

  /** Everything passes here: the anchor gives the place, and every foreign error gets its code. */
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

  /** The same for one of many: when others should have their turn, they have. */
  function atOnce<Result>(virtual: string, act: (place: Place) => Result): Result {
    if (othersFirst() !== undefined) throw notNow(virtual)
    return atNow(virtual, act)
  }

  /** Another entry: in the same directory it needs no anchor of its own. */
  function beside(virtual: string, place: Place, other: string): Beside | undefined {
    if (dirname(virtual) !== dirname(other) || other === '/') return undefined
    checkVirtual(other)
    return { entry: `${place.parent}/${basename(other)}`, parent: place.parent }
  }

  /** What a staged file takes after. */
  function likeOf(virtual: string, place: Place, { staged, mode }: WriteOptions): Like {
    const { replaces, owner } = staged ?? {}
    if (owner !== undefined && mode !== undefined) return { owner, mode }
    if (replaces === undefined) return { owner: undefined, mode }
    const near = beside(virtual, place, replaces)
    return likeness(near === undefined ? atNow(replaces, ({ entry }) => lstat(entry)) : lstat(near.entry), mode)
  }

  function writeStagedNow(virtual: string, data: Bytes, writeOptions: WriteOptions = {}): void {
    if (writeOptions.staged === undefined || !staging.canStageNow(data)) throw notNow(virtual)
    try {
      atOnce(virtual, (place) => {
        staging.stageNow(place.entry, data, likeOf(virtual, place, writeOptions), dirname(virtual))
      })
    } catch (error) {
      // There may be room in a moment.
      throw isFsError(error, 'NO_SPACE') && disposal.waiting() !== undefined ? notNow(virtual) : error
    }
  }

  function move(from: string, source: Place, to: string, target: Beside): void {
    renameEntry({ path: from, entry: source.entry }, { path: to, entry: target.entry }, disposal)
  }

  function renameNow(from: string, to: string, { more = false }: RenameOptions = {}): void {
    if ((fsync && !more) || dirname(from) !== dirname(to) || from === '/' || to === '/') throw notNow(from)
    atOnce(from, (source) => {
      const target = beside(from, source, to)
      if (target === undefined) throw notNow(from)
      move(from, source, to, target)
    })
    if (!isStagedName(basename(from))) anchor.moved()
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

  function statsOf(virtual: string, names: readonly string[]): Map<string, Stat> {
    try {
      checkVirtual(virtual)
      const directory = anchor.directory(virtual)
      try {
        const stats = new Map<string, Stat>()
        for (const name of names) {
          if (name === '..' || name.includes('/') || name.includes(path.sep))
            throw new FsError('OUTSIDE', { path: name })
          const found = lstat(`${directory.host}/${name}`)
          if (found !== undefined) stats.set(name, statFrom(found))
        }
        return stats
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
    statsOf,
    inDirectory(virtual, act) {
      checkVirtual(virtual)
      return anchor.atNow(join(virtual, lockName), ({ parent }) => act(parent))
    },
    close: () => anchor.close(),
    capabilities: {
      symlinks: true,
      atomicRename: true,
      modeBits: process.platform !== 'win32',
      modified: 'write',
      watch: true,
      caseSensitive: isCaseSensitive(anchor.root),
      writable: true,
      sync: false,
    },

    stat: withNow(
      (virtual) => at(virtual, ({ entry }) => statOf(virtual, entry)),
      (virtual) => atOnce(virtual, ({ entry }) => statOf(virtual, entry)),
    ),

    readFile: withNow(
      (virtual, range) =>
        at(virtual, async (place) => {
          const file = openRegular(virtual, place)
          try {
            return await readRange(file.descriptor, clip(range, file.size))
          } finally {
            fs.closeSync(file.descriptor)
          }
        }),
      readFileNow,
    ),

    look: withNow(
      (virtual, maxBytes) =>
        at(virtual, (place) => lookNow(virtual, place, maxBytes) ?? lookLater(virtual, place, maxBytes)),
      (virtual, maxBytes) =>
        atOnce(virtual, (place) => {
          const looked = lookNow(virtual, place, maxBytes)
          if (looked === undefined) throw notNow(virtual)
          return looked
        }),
    ),

    writeFile: withPieces(
      withNow(
        (virtual, data, writeOptions = {}) =>
          at(virtual, async (place) => {
            const { staged } = writeOptions
            if (staged === undefined) return staging.replace(virtual, place, data, writeOptions)
            await staging.stage(place, data, likeOf(virtual, place, writeOptions))
            if (!staged.more) await syncDirectory(place.parent)
          }),
        fsync ? undefined : writeStagedNow,
      ),
      (virtual, pieces, writeOptions) =>
        at(virtual, async (place) => {
          await staging.stagePieces(place, pieces, likeOf(virtual, place, writeOptions))
          if (!writeOptions.staged?.more) await syncDirectory(place.parent)
        }),
    ),

    readDir: Object.assign(immediate(readDirNow), { lister }),

    makeDir: (virtual) =>
      at(virtual, async (place) => {
        if (virtual === '/') throw new FsError('EXISTS', { path: virtual })
        fs.mkdirSync(place.entry)
        await syncDirectory(place.parent)
      }),

    remove: (virtual, { more = false } = {}) =>
      at(virtual, async (place) => {
        if (virtual === '/') throw new FsError('IS_ROOT', { path: virtual })
        if (fs.lstatSync(place.entry).isDirectory()) removeDirectory(place)
        else disposal.letGo(place.entry, () => fs.unlinkSync(place.entry))
        if (!more) await syncDirectory(place.parent)
      }),

    rename: withNow(
      (from, to, { more = false } = {}) =>
        at(
          from,
          async (source) => {
            if (from === '/' || to === '/') throw new FsError('IS_ROOT', { path: '/' })
            const act = async (target: Beside) => {
              move(from, source, to, target)
              if (!more) await syncDirectory(target.parent)
            }
            const target = beside(from, source, to)
            await (target === undefined ? at(to, act) : act(target))
            if (target === undefined && !more) await syncDirectory(source.parent)
          },
          to,
        ),
      renameNow,
    ),

    ...(fsync && { makeDurable }),

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

    ...(process.platform !== 'win32' && {
      setMode: (virtual: string, mode: number) => at(virtual, (place) => staging.changeMode(place, mode)),
    }),

    setModified: (virtual, modifiedMs) =>
      at(virtual, (place) => fs.utimesSync(place.pinned(), hostTime(modifiedMs), hostTime(modifiedMs))),

    open: immediate((virtual) => atNow(virtual, (place) => openedFile(virtual, place))),

    sha256: Object.assign((bytes: Bytes) => hash('sha256', bytes, 'hex'), { inPieces: runningHash }),

    watch: (virtual, onChange) => at(virtual, (place) => watchEntry(virtual, place, onChange)),
  }
}

/** Often nothing is there, and one error costs half of two. */
function statOf(virtual: string, entry: string): Stat {
  const found = lstat(entry)
  if (found === undefined) throw new FsError('NOT_FOUND', { path: virtual })
  return statFrom(found)
}

function runningHash(): RunningHash {
  const running = createHash('sha256')
  return { add: (bytes) => running.update(bytes), end: () => running.digest('hex') }
}

type Beside = Pick<Place, 'entry' | 'parent'>

/** Node takes a negative number for the present, and cuts the others off to microseconds: half of one more rounds them. */
function hostTime(modifiedMs: number): number | Date {
  return modifiedMs < 0 ? new Date(modifiedMs) : (modifiedMs + 0.0005) / 1000
}
