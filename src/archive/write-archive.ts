import { FsError } from '../errors.js'
import type { Bytes } from '../fs/types.js'
import { crc32 } from '../text/crc32.js'
import { joinBytes } from '../text/join-bytes.js'
import { deflate } from './deflate.js'
import { bad, tooLarge } from './entries.js'
import { type ArchiveLimits, defaultArchiveLimits } from './limits.js'
import { nameFault } from './names.js'
import { directoryRecord, endRecords, type LaidOut, localHeader } from './zip-layout.js'

/** What goes into an archive. */
export interface ArchiveInput {
  /** Relative, without a slash at the end. */
  path: string
  kind: 'file' | 'directory'
  bytes?: Bytes
  /** Permission bits; the archive says nothing of them unless given. */
  mode?: number
  /** The first moment the format knows, unless given. */
  modifiedMs?: number
}

export interface WriteArchiveOptions {
  limits?: Partial<ArchiveLimits>
  signal?: AbortSignal
}

/** Compressing is handed to other threads, so a few at once are quicker. */
const atOnce = { files: 16, bytes: 16 * 1024 * 1024 }

/** The format has more room, for an archive and for one file, only in records that nobody needs up to here. */
const maxArchiveBytes = 0xfffffffe

/** A zip archive of entries in the order they come. The same entries make the same bytes. */
export async function writeArchive(
  entries: Iterable<ArchiveInput> | AsyncIterable<ArchiveInput>,
  options: WriteArchiveOptions = {},
): Promise<Bytes> {
  const { signal } = options
  const check = checker({ ...defaultArchiveLimits, ...options.limits })
  const pieces: Bytes[] = []
  const directory: Bytes[] = []
  let offset = 0
  let waiting: ArchiveInput[] = []

  async function writeWaiting(): Promise<void> {
    const packed = await Promise.all(waiting.map(pack))
    waiting = []
    for (const { entry, content } of packed) {
      directory.push(directoryRecord(entry, offset))
      const header = localHeader(entry)
      pieces.push(header, content)
      offset += header.length + content.length
      if (offset > maxArchiveBytes) throw tooLarge('total', maxArchiveBytes)
    }
  }

  try {
    for await (const entry of entries) {
      signal?.throwIfAborted()
      check(entry)
      waiting.push(entry)
      const held = waiting.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0)
      if (waiting.length === atOnce.files || held > atOnce.bytes) await writeWaiting()
    }
    await writeWaiting()
    signal?.throwIfAborted()
  } catch (error) {
    if (signal?.aborted) throw new FsError('ABORTED', {}, { cause: error })
    throw error
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  return joinBytes([...pieces, ...directory, endRecords({ count: directory.length, size, offset })])
}

/** Fails for an entry that may not be, or that is too much after those before it. */
function checker(limits: ArchiveLimits): (entry: ArchiveInput) => void {
  const maxEntryBytes = Math.min(limits.maxEntryBytes, maxArchiveBytes)
  let [count, total] = [0, 0]
  return ({ path, bytes = new Uint8Array() }) => {
    const fault = nameFault(path, 'relative')
    if (fault !== undefined) throw bad(fault, path)
    count += 1
    total += bytes.length
    if (count > limits.maxEntries) throw tooLarge('entries', limits.maxEntries)
    if (new TextEncoder().encode(path).length > limits.maxNameBytes) throw bad('name-too-long', path)
    if (bytes.length > maxEntryBytes) throw tooLarge('entry', maxEntryBytes, path)
    if (total > limits.maxTotalBytes) throw tooLarge('total', limits.maxTotalBytes)
  }
}

async function pack(input: ArchiveInput): Promise<{ entry: LaidOut; content: Bytes }> {
  const { path, kind, bytes = new Uint8Array(), mode, modifiedMs } = input
  const isDirectory = kind === 'directory'
  const plain = isDirectory ? new Uint8Array() : bytes
  const deflated = plain.length === 0 ? plain : await deflate(plain)
  const isSmaller = deflated.length < plain.length
  const content = isSmaller ? deflated : plain
  const entry: LaidOut = {
    name: new TextEncoder().encode(isDirectory ? `${path}/` : path),
    method: isSmaller ? 8 : 0,
    crc32: crc32(plain),
    compressedSize: content.length,
    size: plain.length,
    ...(mode !== undefined && { unixMode: (isDirectory ? 0o040000 : 0o100000) | (mode & 0o777) }),
    ...(modifiedMs !== undefined && { modifiedMs }),
  }
  return { entry, content }
}
