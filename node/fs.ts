import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { FsError } from '../src/errors.js'
import { fromErrno } from '../src/fs/errno.js'
import { immediate, withNow } from '../src/fs/immediate.js'
import { basename, dirname, isWithin } from '../src/fs/path.js'
import type { ByteRange, Bytes, Entry, FileSystem, Lister, Stat } from '../src/fs/types.js'
import { type Anchor, checkVirtual, type Place, type SharedAnchor } from './anchor.js'
import { entriesOf, lstat, statFrom } from './host-stat.js'
import { fromHostTarget, toHostTarget } from './host-target.js'
import { isCaseSensitive, openRoot } from './open-root.js'
import { openedFile } from './opened-file.js'
import { clip, openBeneath, openRegular, readNow, readRange } from './regular-file.js'
import { stagedWrites } from './staged-write.js'
import { turns } from './turns.js'
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
  const { stage, replace, changeMode, syncDirectory } = stagedWrites({ fsync: options.fsync ?? true })

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

  /** The same without waiting. */
  function atNow<Result>(virtual: string, act: (place: Place) => Result): Result {
    try {
      checkVirtual(virtual)
      return anchor.atNow(virtual, act)
    } catch (error) {
      throw fromErrno(error, virtual)
    }
  }

  /** Another entry: in the same directory it needs no anchor of its own. */
  async function beside<Result>(
    virtual: string,
    place: Place,
    other: string,
    act: (place: Pick<Place, 'entry' | 'parent'>) => Result | Promise<Result>,
  ): Promise<Result> {
    if (dirname(virtual) !== dirname(other) || other === '/') return at(other, act)
    checkVirtual(other)
    return act({ entry: `${place.parent}/${basename(other)}`, parent: place.parent })
  }

  function readFileNow(virtual: string, range?: ByteRange): Bytes {
    return atNow(virtual, (place) => {
      const file = openRegular(virtual, place)
      try {
        const { start, end } = clip(range, file.size)
        return readNow(file.descriptor, new Uint8Array(end - start), start)
      } finally {
        fs.closeSync(file.descriptor)
      }
    })
  }

  function readDirNow(virtual: string): Entry[] {
    try {
      checkVirtual(virtual)
      const directory = anchor.directory(virtual)
      try {
        return entriesOf(fs.readdirSync(directory.host, { withFileTypes: true }))
      } finally {
        directory.close()
      }
    } catch (error) {
      throw fromErrno(error, virtual)
    }
  }

  /** A walk asks for directories by the thousand: each is opened from the one it lies in, and no path is looked at. */
  function listerBelow(virtual: string): Lister | undefined {
    checkVirtual(virtual)
    const host = anchor.below?.(virtual)
    return host && ((names) => entriesOf(fs.readdirSync(host(names), { withFileTypes: true })))
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

    stat: (virtual) => at(virtual, ({ entry }) => statFrom(fs.lstatSync(entry))),

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

    look: (virtual, maxBytes) =>
      at(virtual, async (place) => {
        const seen = fs.lstatSync(place.entry)
        if (!seen.isFile() || seen.size > maxBytes) return { stat: statFrom(seen) }
        const { descriptor, stats } = openBeneath(place.entry, virtual)
        try {
          const stat = statFrom(stats)
          return stats.size > maxBytes
            ? { stat }
            : { stat, bytes: await readRange(descriptor, clip(undefined, stats.size)) }
        } finally {
          fs.closeSync(descriptor)
        }
      }),

    writeFile: (virtual, data, writeOptions = {}) =>
      at(virtual, async (place) => {
        const { staged, mode } = writeOptions
        if (staged === undefined) return replace(virtual, place, data, writeOptions)
        const previous = staged.replaces && (await beside(virtual, place, staged.replaces, ({ entry }) => lstat(entry)))
        await stage(place, data, previous || undefined, mode)
        if (!staged.more) await syncDirectory(place.parent)
      }),

    readDir: Object.assign(immediate(readDirNow), { lister: listerBelow }),

    makeDir: (virtual) =>
      at(virtual, async (place) => {
        if (virtual === '/') throw new FsError('EXISTS', { path: virtual })
        fs.mkdirSync(place.entry)
        await syncDirectory(place.parent)
      }),

    remove: (virtual) =>
      at(virtual, async (place) => {
        if (virtual === '/') throw new FsError('IS_ROOT', { path: virtual })
        if (fs.lstatSync(place.entry).isDirectory()) fs.rmdirSync(place.entry)
        else fs.unlinkSync(place.entry)
        await syncDirectory(place.parent)
      }),

    rename: (from, to) =>
      at(
        from,
        async (source) => {
          if (from === '/' || to === '/') throw new FsError('IS_ROOT', { path: '/' })
          await beside(from, source, to, async (target) => {
            const ends = [
              { path: from, entry: source.entry },
              { path: to, entry: target.entry },
            ] as const
            // Elsewhere the kernel refuses by itself what this refuses, and is only asked for the reason.
            if (process.platform === 'win32') refuseRename(...ends)
            try {
              fs.renameSync(source.entry, target.entry)
            } catch (error) {
              refuseRename(...ends)
              throw error
            }
            await syncDirectory(target.parent)
          })
          if (dirname(from) !== dirname(to)) await syncDirectory(source.parent)
        },
        to,
      ),

    symlink: (target, virtual, { verbatim = false } = {}) =>
      at(virtual, async (place) => {
        if (virtual === '/') throw new FsError('EXISTS', { path: virtual })
        fs.symlinkSync(verbatim ? target : toHostTarget(anchor.root, target), place.entry)
        await syncDirectory(place.parent)
      }),

    readLink: (virtual, { verbatim = false } = {}) =>
      at(virtual, ({ entry }) => {
        if (!fs.lstatSync(entry).isSymbolicLink()) throw new FsError('NOT_A_LINK', { path: virtual })
        const target = fs.readlinkSync(entry)
        return verbatim ? target : fromHostTarget(virtual, anchor.root, target)
      }),

    ...(process.platform !== 'win32' && {
      setMode: (virtual: string, mode: number) => at(virtual, (place) => changeMode(place, mode)),
    }),

    setModified: (virtual, modifiedMs) =>
      at(virtual, (place) => fs.utimesSync(place.pinned(), hostTime(modifiedMs), hostTime(modifiedMs))),

    open: immediate((virtual) => atNow(virtual, (place) => openedFile(virtual, place))),

    sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),

    watch: (virtual, onChange) => at(virtual, (place) => watchEntry(virtual, place, onChange)),
  }
}

interface Named {
  path: string
  entry: string
}

/** What `rename(2)` does not do, told by its reason. */
function refuseRename(from: Named, to: Named): void {
  const isDirectory = fs.lstatSync(from.entry).isDirectory()
  if (isDirectory && from.path !== to.path && isWithin(from.path, to.path)) {
    throw new FsError('INTO_ITSELF', { path: from.path, to: to.path })
  }
  const replaced = lstat(to.entry)
  if (replaced?.isDirectory() && !isDirectory) throw new FsError('IS_A_DIRECTORY', { path: to.path })
  if (replaced !== undefined && !replaced.isDirectory() && isDirectory) {
    throw new FsError('NOT_A_DIRECTORY', { path: to.path })
  }
}

/** Node takes a negative number for the present, and cuts the others off to microseconds: half of one more rounds them. */
function hostTime(modifiedMs: number): number | Date {
  return modifiedMs < 0 ? new Date(modifiedMs) : (modifiedMs + 0.0005) / 1000
}
