/** Writes files whole or not at all, and flushes them before it returns. */

import fs from 'node:fs'
import { promisify } from 'node:util'
import { FsError } from '../../src/errors.js'
import { stagedName } from '../../src/fs/staged-name.js'
import type { Bytes, Pieces, WriteOptions } from '../../src/fs/types.js'
import type { Place } from './anchor.js'
import type { DeferredClose } from './deferred-close.js'
import { flushDirectory } from './flush-directory.js'
import { whileInUse } from './host-rename.js'
import { lstat } from './host-stat.js'
import { isErrno } from './is-errno.js'
import { smallBytes } from './regular-file.js'

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY } = fs.constants
/** Absent on Windows. */
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0

export type StagedWrites = ReturnType<typeof stagedWrites>

/** Without `fsync` nothing is flushed. */
export function stagedWrites({ fsync, deferredClose }: { fsync: boolean; deferredClose: DeferredClose }) {
  async function syncDirectory(parent: string): Promise<void> {
    // Windows can't open a directory to flush it.
    if (!fsync || process.platform === 'win32') return
    await flushDirectory(fs.openSync(`${parent}/.`, O_RDONLY | O_DIRECTORY))
  }

  /** Writes a new file, with the owner and, unless given, the mode of the one it will replace; a failure leaves nothing behind. */
  async function stage({ entry, parent }: Place, content: Bytes | Pieces, like: OwnerAndMode): Promise<void> {
    await withRoom(async () => {
      if (!(content instanceof Uint8Array)) {
        await stageOnce(entry, like, (descriptor) => writePieces(descriptor, content()))
      } else if (canStageSync(content)) stageSync(entry, content, like, parent)
      else await stageOnce(entry, like, (descriptor) => writeAll(descriptor, content))
    })
  }

  /** On a full disk, tries again after the blocks of deleted files are freed. */
  async function withRoom(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      const room = isErrno(error, 'ENOSPC') ? deferredClose.waiting() : undefined
      if (room === undefined) throw error
      await room
      await write()
    }
  }

  async function stageOnce(
    entry: string,
    like: OwnerAndMode,
    fill: (descriptor: number) => Promise<void>,
  ): Promise<void> {
    const descriptor = create(entry, like)
    try {
      try {
        await fill(descriptor)
        adopt(descriptor, like)
        if (fsync) await flush(descriptor)
      } finally {
        fs.closeSync(descriptor)
      }
    } catch (error) {
      fs.rmSync(entry, { force: true })
      throw error
    }
  }

  /** True for small content that need not be flushed. */
  function canStageSync(data: Bytes): boolean {
    return !fsync && data.length <= smallBytes
  }

  /** The last file of this synchronous run that got its owner and mode by default: others in its directory get the same. */
  let alike: (OwnerAndMode & { directory: string }) | undefined

  function adoptAlike(descriptor: number, like: OwnerAndMode, directory: string): void {
    if (alike?.directory === directory && alike.owner === like.owner && alike.mode === like.mode) return
    if (adopt(descriptor, like)) return
    if (alike === undefined) {
      queueMicrotask(() => {
        alike = undefined
      })
    }
    alike = { ...like, directory }
  }

  /** As `stage`, synchronously; does not retry on a full disk. `directory` identifies the directory of the file. */
  function stageSync(entry: string, data: Bytes, like: OwnerAndMode, directory: string): void {
    const descriptor = create(entry, like)
    try {
      try {
        for (let written = 0; written < data.length; ) {
          written += fs.writeSync(descriptor, data, written, data.length - written)
        }
        adoptAlike(descriptor, like, directory)
      } finally {
        fs.closeSync(descriptor)
      }
    } catch (error) {
      fs.rmSync(entry, { force: true })
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
    await stage({ ...place, entry: staged }, data, ownerAndModeOf(previous, previous === undefined ? mode : undefined))
    try {
      // A hard link never replaces an entry: of several exclusive writers exactly one gets the name.
      if (exclusive) fs.linkSync(staged, place.entry)
      else {
        await whileInUse(() => deferredClose.withoutFreeing(place.entry, () => fs.renameSync(staged, place.entry)))
      }
    } catch (error) {
      fs.rmSync(staged, { force: true })
      throw error
    }
    if (exclusive) fs.unlinkSync(staged)
    await syncDirectory(place.parent)
  }

  /** Either mode may deny opening the entry to flush it; where both do, its directory is flushed instead. */
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

  return { stage, stageSync, canStageSync, replace, changeMode, syncDirectory }
}

/** The owner and mode that a new file gets. */
export interface OwnerAndMode {
  owner: string | undefined
  mode: number | undefined
}

/** As `OwnerAndMode` stores it. */
export function ownerOf({ uid, gid }: fs.Stats): string {
  return `${uid}:${gid}`
}

/** The owner and mode of a file that replaces another; `mode` overrides. */
export function ownerAndModeOf(previous: fs.Stats | undefined, mode: number | undefined): OwnerAndMode {
  if (!previous?.isFile()) return { owner: undefined, mode }
  return { owner: ownerOf(previous), mode: mode ?? previous.mode & 0o7777 }
}

function create(entry: string, like: OwnerAndMode): number {
  return fs.openSync(entry, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, like.mode ?? 0o666)
}

/** Sets owner and mode where the process's user or umask made them different; false where they were right. */
function adopt(descriptor: number, { owner, mode }: OwnerAndMode): boolean {
  const made = fs.fstatSync(descriptor)
  // Changing the owner clears some mode bits.
  const isGiven = owner !== undefined && owner !== ownerOf(made) && giveTo(descriptor, owner)
  const isOther = mode !== undefined && (isGiven || (made.mode & 0o7777) !== mode)
  if (isOther) fs.fchmodSync(descriptor, mode)
  return isGiven || isOther
}

/** Up to `syncBytes` are written synchronously. */
async function writeAll(descriptor: number, data: Bytes, start = 0, syncBytes = smallBytes): Promise<void> {
  for (let written = 0; written < data.length; ) {
    const rest = data.length - written
    written +=
      rest <= syncBytes
        ? fs.writeSync(descriptor, data, written, rest, start + written)
        : (await writeAsync(descriptor, data, written, rest, start + written)).bytesWritten
  }
}

/** Fewer zeros than this are written as they are. */
const holeBytes = 64 * 1024
const zeros = Buffer.alloc(holeBytes)

/** Writes runs of zeros as holes, so that the copy of a sparse file takes no more disk space than the file. */
async function writePieces(descriptor: number, pieces: AsyncIterable<Bytes>): Promise<void> {
  let size = 0
  for await (const piece of pieces) {
    // Many pieces in a row would block the event loop.
    if (!isZeros(piece)) await writeAll(descriptor, piece, size, holeBytes / 4)
    size += piece.length
  }
  if (fs.fstatSync(descriptor).size < size) fs.ftruncateSync(descriptor, size)
}

function isZeros(bytes: Bytes): boolean {
  for (let at = 0; at < bytes.length; at += holeBytes) {
    const part = bytes.subarray(at, at + holeBytes)
    if (part.length < holeBytes || zeros.compare(part) !== 0) return false
  }
  return true
}

const flush = promisify(fs.fsync)
const writeAsync = promisify(fs.write)

/** Undefined for an entry without read permission, and for special files, which are never opened. */
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

/** Best effort: only root may change owners. Returns true even if that was refused. */
function giveTo(descriptor: number, owner: string): boolean {
  const [uid, gid] = owner.split(':').map(Number)
  try {
    fs.fchownSync(descriptor, uid as number, gid as number)
  } catch (error) {
    if (!isErrno(error, 'EPERM')) throw error
  }
  return true
}
