import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { FsError } from '../src/errors.js'
import { fromErrno } from '../src/fs/errno.js'
import { immediate, withNow } from '../src/fs/immediate.js'
import { basename, dirname, isWithin, join, split } from '../src/fs/path.js'
import { checkPath } from '../src/fs/path-rules.js'
import { isStagedName, stagedName } from '../src/fs/staged-name.js'
import type { ByteRange, Bytes, Entry, FileSystem, Kind, Stat, WriteOptions } from '../src/fs/types.js'
import { countBreaks } from '../src/text/count-breaks.js'
import {
  type Anchor,
  anchorByDescriptor,
  anchorByWalk,
  canAnchorByDescriptor,
  type Place,
  type SharedAnchor,
} from './anchor.js'
import { createKernels, type Kernels } from './kernels.js'

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

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY } = fs.constants
/** Absent on Windows, where opening a link by mistake is caught by the kind check. */
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0

/** Up to here a read is cheaper done at once than handed to the thread pool. */
const smallReadBytes = 256 * 1024

/** How long reading may keep other work waiting. */
const longestTurnMs = 20

/**
 * A directory of the real disk. Nothing outside it is ever reached; special files are refused before they are opened for
 * reading, so no call can hang on one. Writes go to a temporary name beside the target and are renamed into place.
 * Throws when `root` is missing, unreadable or no directory.
 */
export function nodeFs(root: string, options: NodeFsOptions = {}): NodeFileSystem {
  const { fsync = true } = options
  const anchor = openRoot(root, options.anchor)

  /** Everything passes here: the anchor gives the place, and every foreign error gets its code. */
  async function at<Result>(
    virtual: string,
    act: (place: Place) => Result | Promise<Result>,
    to?: string,
  ): Promise<Result> {
    try {
      checkVirtual(virtual)
      return await anchor.at(virtual, act)
    } catch (error) {
      throw fromErrno(error, virtual, to)
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
    try {
      checkVirtual(virtual)
      return anchor.atNow(virtual, (place) => {
        const file = openRegular(virtual, place)
        try {
          const { start, end } = clip(range, file.size)
          return readNow(file.descriptor, new Uint8Array(end - start), start)
        } finally {
          fs.closeSync(file.descriptor)
        }
      })
    } catch (error) {
      throw fromErrno(error, virtual)
    }
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

  async function syncDirectory(parent: string): Promise<void> {
    // Windows can't open a directory to flush it.
    if (!fsync || process.platform === 'win32') return
    const descriptor = fs.openSync(`${parent}/.`, O_RDONLY | O_DIRECTORY)
    try {
      await flush(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
  }

  /** Writes a new file, with the owner and, unless given, the mode of the one it will replace; a failure leaves nothing behind. */
  async function stage(
    place: Place,
    data: Bytes,
    previous: fs.Stats | undefined,
    mode = previous?.isFile() ? previous.mode & 0o7777 : undefined,
  ): Promise<void> {
    const descriptor = fs.openSync(place.entry, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode ?? 0o666)
    try {
      try {
        await writeAll(descriptor, data)
        if (previous?.isFile()) keepOwner(descriptor, previous)
        if (mode !== undefined) fs.fchmodSync(descriptor, mode)
        if (fsync) await flush(descriptor)
      } finally {
        fs.closeSync(descriptor)
      }
    } catch (error) {
      fs.rmSync(place.entry, { force: true })
      throw error
    }
  }

  async function replace(virtual: string, place: Place, data: Bytes, { exclusive, mode }: WriteOptions): Promise<void> {
    const previous = lstat(place.entry)
    if (previous?.isDirectory()) throw new FsError('IS_A_DIRECTORY', { path: virtual })
    if (previous !== undefined && exclusive) throw new FsError('EXISTS', { path: virtual })
    if (previous?.isSymbolicLink()) throw new FsError('IS_LINK', { path: virtual })
    if (previous !== undefined && !previous.isFile()) throw new FsError('SPECIAL_FILE', { path: virtual })

    const staged = `${place.parent}/${stagedName()}`
    await stage({ ...place, entry: staged }, data, previous, previous === undefined ? mode : undefined)
    try {
      // A hard link never replaces: of several exclusive writers exactly one gets the name.
      if (exclusive) fs.linkSync(staged, place.entry)
      else fs.renameSync(staged, place.entry)
    } catch (error) {
      fs.rmSync(staged, { force: true })
      throw error
    }
    if (exclusive) fs.unlinkSync(staged)
    await syncDirectory(place.parent)
  }

  /** Either mode may keep us from opening the entry to flush it; where both do, its directory has to serve. */
  async function changeMode(place: Place, mode: number): Promise<void> {
    const entry = place.pinned()
    const before = fsync ? openToFlush(entry) : undefined
    let after: number | undefined
    try {
      fs.chmodSync(entry, mode)
      if (!fsync) return
      after = before ?? openToFlush(entry)
      await (after === undefined ? syncDirectory(place.parent) : flush(after))
    } finally {
      const descriptor = before ?? after
      if (descriptor !== undefined) fs.closeSync(descriptor)
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

    writeFile: (virtual, data, writeOptions = {}) =>
      at(virtual, async (place) => {
        const { staged, mode } = writeOptions
        if (staged === undefined) return replace(virtual, place, data, writeOptions)
        const previous = staged.replaces && (await beside(virtual, place, staged.replaces, ({ entry }) => lstat(entry)))
        await stage(place, data, previous || undefined, mode)
        if (!staged.more) await syncDirectory(place.parent)
      }),

    readDir: immediate(readDirNow),

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
          const kind = kindOf(fs.lstatSync(source.entry))
          if (kind === 'directory' && from !== to && isWithin(from, to)) {
            throw new FsError('INTO_ITSELF', { path: from, to })
          }
          await beside(from, source, to, async (target) => {
            const replaced = lstat(target.entry)
            if (replaced?.isDirectory() && kind !== 'directory') throw new FsError('IS_A_DIRECTORY', { path: to })
            if (replaced !== undefined && !replaced.isDirectory() && kind === 'directory') {
              throw new FsError('NOT_A_DIRECTORY', { path: to })
            }
            fs.renameSync(source.entry, target.entry)
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

    open: (virtual) =>
      at(virtual, (place) => {
        const { descriptor, size } = openRegular(virtual, place)
        let paused = Date.now()
        let kernels: Kernels | undefined

        /** Short reads are done at once; whoever makes many of them must not keep others waiting. */
        async function told<Result>(run: () => Result | Promise<Result>): Promise<Result> {
          if (Date.now() - paused > longestTurnMs) {
            await new Promise<void>((resume) => setImmediate(resume))
            paused = Date.now()
          }
          try {
            return await run()
          } catch (error) {
            throw fromErrno(error, virtual)
          }
        }

        return {
          size,
          read: (range) => told(() => readRange(descriptor, clip(range, size))),
          readCounted: (range) =>
            told(async () => {
              const { start, end } = clip(range, size)
              kernels ??= createKernels(smallReadBytes)
              if (kernels === undefined || end - start > smallReadBytes) {
                const bytes = await readRange(descriptor, { start, end })
                return { bytes, ...countBreaks(bytes) }
              }
              const bytes = readNow(descriptor, kernels.buffer.subarray(0, end - start), start)
              return { bytes, ...kernels.countBreaks(bytes) }
            }),
          close: async () => fs.closeSync(descriptor),
        }
      }),

    watch: (virtual, onChange) =>
      at(virtual, (place) => {
        const entry = place.pinned()
        const isDirectory = fs.statSync(entry).isDirectory()
        // A write replaces the file, and a watch of the file itself would stay with the one that is gone.
        const watcher = fs.watch(isDirectory ? entry : place.parent, { persistent: false })
        watcher.on('change', (_event, name) => {
          if (!isDirectory && name !== null && name !== basename(virtual)) return
          const changed = isDirectory && name !== null ? join(virtual, String(name)) : virtual
          if (!isStagedName(basename(changed))) onChange({ path: changed })
        })
        // What is watched may vanish; that is not the server's end.
        watcher.on('error', () => watcher.close())
        return () => watcher.close()
      }),
  }
}

/** Opens the real directory behind `root`, wherever a link at `root` itself leads. */
function openRoot(root: string, kind: Anchor['kind'] | undefined): Anchor {
  let real: string
  try {
    real = fs.realpathSync.native(path.resolve(root))
    fs.readdirSync(real)
    return (kind ?? (canAnchorByDescriptor() ? 'descriptor' : 'walk')) === 'descriptor'
      ? anchorByDescriptor(real)
      : anchorByWalk(real)
  } catch (error) {
    throw fromErrno(error, root)
  }
}

/** Refuses what no normalised path is; the last place that could. */
export function checkVirtual(virtual: string): void {
  checkPath(virtual)
  if (virtual.includes('..') && split(virtual).includes('..')) throw new FsError('OUTSIDE', { path: virtual })
}

function entriesOf(listed: readonly fs.Dirent[]): Entry[] {
  const entries: Entry[] = []
  for (const entry of listed) {
    if (!isStagedName(entry.name)) entries.push({ name: entry.name, kind: kindOf(entry) })
  }
  return entries
}

/** Never blocks: what is no regular file is refused before it is opened, and again after, in case it was swapped. */
function openRegular(virtual: string, { entry }: Place): { descriptor: number; size: number } {
  refuseIrregular(virtual, fs.lstatSync(entry))
  return openBeneath(entry, virtual)
}

/** Opens a file whose directory is certain. Neither follows a link nor waits for a special file, and gives out neither. */
export function openBeneath(entry: string, virtual: string): { descriptor: number; size: number } {
  const descriptor = fs.openSync(entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stats = fs.fstatSync(descriptor)
    refuseIrregular(virtual, stats)
    return { descriptor, size: stats.size }
  } catch (error) {
    fs.closeSync(descriptor)
    throw error
  }
}

function refuseIrregular(virtual: string, stats: fs.Stats): void {
  if (stats.isFile()) return
  if (stats.isDirectory()) throw new FsError('IS_A_DIRECTORY', { path: virtual })
  throw new FsError(stats.isSymbolicLink() ? 'IS_LINK' : 'SPECIAL_FILE', { path: virtual })
}

function clip(range: ByteRange | undefined, size: number): ByteRange {
  const start = Math.min(range?.start ?? 0, size)
  return { start, end: Math.max(start, Math.min(range?.end ?? size, size)) }
}

/** Fills the bytes, or as many of them as there still are. */
export function readNow(descriptor: number, bytes: Bytes, start: number): Bytes {
  for (let filled = 0; filled < bytes.length; ) {
    const count = fs.readSync(descriptor, bytes, filled, bytes.length - filled, start + filled)
    if (count === 0) return bytes.subarray(0, filled)
    filled += count
  }
  return bytes
}

async function readRange(descriptor: number, { start, end }: ByteRange): Promise<Bytes> {
  const bytes = new Uint8Array(end - start)
  const small = bytes.length <= smallReadBytes
  let filled = 0
  while (filled < bytes.length) {
    const rest = bytes.length - filled
    const count = small
      ? fs.readSync(descriptor, bytes, filled, rest, start + filled)
      : (await readAsync(descriptor, bytes, filled, rest, start + filled)).bytesRead
    // The file shrank since its size was taken.
    if (count === 0) break
    filled += count
  }
  return filled === bytes.length ? bytes : bytes.slice(0, filled)
}

async function writeAll(descriptor: number, data: Bytes): Promise<void> {
  let written = 0
  while (written < data.length) {
    const rest = data.length - written
    written +=
      rest <= smallReadBytes
        ? fs.writeSync(descriptor, data, written, rest)
        : (await writeAsync(descriptor, data, written, rest)).bytesWritten
  }
}

const flush = promisify(fs.fsync)
const readAsync = promisify(fs.read)
const writeAsync = promisify(fs.write)

/** Undefined for what may not be read, and for special files, which are not opened for that. */
function openToFlush(entry: string): number | undefined {
  const stats = fs.statSync(entry)
  if (!stats.isFile() && !stats.isDirectory()) return undefined
  try {
    return fs.openSync(entry, O_RDONLY | O_NONBLOCK)
  } catch (error) {
    if (!isErrno(error, 'EACCES')) throw error
    return undefined
  }
}

/** Best effort: only root may give files away. */
function keepOwner(descriptor: number, previous: fs.Stats): void {
  const staged = fs.fstatSync(descriptor)
  if (staged.uid === previous.uid && staged.gid === previous.gid) return
  try {
    fs.fchownSync(descriptor, previous.uid, previous.gid)
  } catch (error) {
    if (!isErrno(error, 'EPERM')) throw error
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function lstat(entry: string): fs.Stats | undefined {
  return fs.lstatSync(entry, { throwIfNoEntry: false })
}

function kindOf(stats: fs.Stats | fs.Dirent): Kind {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'symlink' : 'other'
}

function statFrom(stats: fs.Stats): Stat {
  const stat: Stat = { kind: kindOf(stats), modifiedMs: stats.mtimeMs, accessedMs: stats.atimeMs }
  if (stat.kind === 'file') stat.size = stats.size
  // Where the file system does not record it, Node reports 0 or the change time.
  if (stats.birthtimeMs > 0) stat.createdMs = stats.birthtimeMs
  if (process.platform !== 'win32') stat.mode = stats.mode & 0o7777
  return stat
}

/** Node takes a negative number for the present, and cuts the others off to microseconds: half of one more rounds them. */
function hostTime(modifiedMs: number): number | Date {
  return modifiedMs < 0 ? new Date(modifiedMs) : (modifiedMs + 0.0005) / 1000
}

/** An absolute target is a path of the host; in this tree it counts from the root, or leads out of it. */
function fromHostTarget(virtual: string, root: string, target: string): string {
  if (!path.isAbsolute(target)) return target.replaceAll(path.sep, '/')
  const inside = path.relative(root, target)
  if (inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)) {
    throw new FsError('OUTSIDE', { path: virtual })
  }
  return `/${inside.replaceAll(path.sep, '/')}`
}

function toHostTarget(root: string, target: string): string {
  return target.startsWith('/') ? path.join(root, target) : target
}

/** Asks the disk: the same directory is found under another spelling of its name, or it is not. */
function isCaseSensitive(root: string): boolean {
  const name = path.basename(root)
  const swapped = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
  if (swapped === name) return process.platform !== 'win32' && process.platform !== 'darwin'
  const other = lstat(path.join(path.dirname(root), swapped))
  return other === undefined || other.ino !== fs.lstatSync(root).ino
}
