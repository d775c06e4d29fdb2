/** Opens and reads regular files, and refuses links and special files. */
import fs from 'node:fs'
import { promisify } from 'node:util'
import { FsError } from '../../src/errors.js'
import type { ByteRange, Bytes } from '../../src/fs/types.js'
import type { Place } from './anchor.js'
import { beneath } from './host-stat.js'

const { O_RDONLY } = fs.constants
/** Absent on Windows, where opening a link by mistake is caught by the kind check. */
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0

/** Up to this size, a synchronous read or write is cheaper than one in the thread pool. */
export const smallBytes = 256 * 1024

/** Never blocks: anything but a regular file is refused before it is opened, and again after, in case it was swapped. */
export function openRegular(virtual: string, { entry }: Place): { descriptor: number; size: number } {
  refuseIrregular(virtual, fs.lstatSync(entry))
  return openBeneath(entry, virtual)
}

/** Opens a file whose directory is certain. Refuses links and special files, without following or blocking on them. */
export function openBeneath(entry: string, virtual: string): { descriptor: number; size: number; stats: fs.Stats } {
  const descriptor = fs.openSync(entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stats = fs.fstatSync(descriptor)
    refuseIrregular(virtual, stats)
    return { descriptor, size: stats.size, stats }
  } catch (error) {
    fs.closeSync(descriptor)
    throw error
  }
}

/** The bytes of a file of a directory whose host path is certain; undefined if it can't be read. */
export function readBeneath(host: string, name: string): Bytes | undefined {
  try {
    const { descriptor, size } = openBeneath(beneath(host, name), name)
    try {
      return readSync(descriptor, newBytes(size), 0)
    } finally {
      fs.closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

function refuseIrregular(virtual: string, stats: fs.Stats): void {
  if (stats.isFile()) return
  if (stats.isDirectory()) throw new FsError('IS_A_DIRECTORY', { path: virtual })
  throw new FsError(stats.isSymbolicLink() ? 'IS_LINK' : 'SPECIAL_FILE', { path: virtual })
}

/** The part of a range that is inside the file. */
export function clip(range: ByteRange | undefined, size: number): ByteRange {
  const start = Math.min(range?.start ?? 0, size)
  return { start, end: Math.max(start, Math.min(range?.end ?? size, size)) }
}

/** Uninitialised memory, which the caller has to fill. */
export function newBytes(length: number): Bytes {
  const { buffer } = Buffer.allocUnsafeSlow(length)
  return new Uint8Array(buffer)
}

/** Fills the bytes, or returns fewer if the file has shrunk since its size was read. */
export function readSync(descriptor: number, bytes: Bytes, start: number): Bytes {
  for (let filled = 0; filled < bytes.length; ) {
    const count = fs.readSync(descriptor, bytes, filled, bytes.length - filled, start + filled)
    if (count === 0) return bytes.subarray(0, filled)
    filled += count
  }
  return bytes
}

/** The bytes of a range, or fewer if the file has shrunk. Small ranges are read synchronously. */
export function readRange(descriptor: number, { start, end }: ByteRange): Bytes | Promise<Bytes> {
  const bytes = new Uint8Array(end - start)
  return bytes.length <= smallBytes ? readSync(descriptor, bytes, start) : readLater(descriptor, bytes, start)
}

async function readLater(descriptor: number, bytes: Bytes, start: number): Promise<Bytes> {
  for (let filled = 0; filled < bytes.length; ) {
    const length = Math.min(bytes.length - filled, mostAtOnce)
    const { bytesRead } = await readAsync(descriptor, bytes, filled, length, start + filled)
    if (bytesRead === 0) return bytes.slice(0, filled)
    filled += bytesRead
  }
  return bytes
}

/** A single read has to be shorter than 2 GiB. */
const mostAtOnce = 1 << 30

const readAsync = promisify(fs.read)
