import { FsError } from '../errors.js'
import { gather } from '../fs/pieces.js'
import type { Bytes, Pieces } from '../fs/types.js'
import { crc32 } from '../text/crc32.js'
import { joinBytes } from '../text/join-bytes.js'
import { deflate } from './deflate.js'
import { bad, tooLarge } from './entries.js'
import { type ArchiveLimits, defaultArchiveLimits } from './limits.js'
import { nameFault } from './names.js'
import { deflated } from './stream-compression.js'
import { dataDescriptor, directoryRecord, endRecords, type LaidOut, localHeader } from './zip-layout.js'

/** What goes into an archive. */
export interface ArchiveInput {
  /** Relative, without a slash at the end. */
  path: string
  kind: 'file' | 'directory'
  bytes?: Bytes
  /** In place of bytes that are too many to hold. */
  pieces?: Pieces
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
  return gather(() => archivePieces(entries, options))
}

/** The same piece by piece, for one that is too large to hold. */
export async function* archivePieces(
  entries: Iterable<ArchiveInput> | AsyncIterable<ArchiveInput>,
  options: WriteArchiveOptions = {},
): AsyncGenerator<Bytes> {
  const { signal } = options
  const check = checker({ ...defaultArchiveLimits, ...options.limits })
  const directory: Bytes[] = []
  let offset = 0
  let waiting: ArchiveInput[] = []

  function counted(bytes: Bytes): Bytes {
    offset += bytes.length
    if (offset > maxArchiveBytes) throw tooLarge('total', maxArchiveBytes)
    return bytes
  }

  async function* writeWaiting(): AsyncGenerator<Bytes> {
    const packed = await Promise.all(waiting.map(pack))
    waiting = []
    for (const { entry, content } of packed) {
      directory.push(directoryRecord(entry, offset))
      yield counted(localHeader(entry))
      yield counted(content)
    }
  }

  async function* writeStreamed(input: ArchiveInput, pieces: Pieces): AsyncGenerator<Bytes> {
    const entry: LaidOut = { ...named(input), method: 8, crc32: 0, compressedSize: 0, size: 0, described: true }
    const start = offset
    yield counted(localHeader(entry))
    async function* plain(): AsyncGenerator<Bytes> {
      for await (const piece of pieces()) {
        signal?.throwIfAborted()
        check.more(input.path, piece.length, entry.size)
        entry.crc32 = crc32(piece, entry.crc32)
        entry.size += piece.length
        yield piece
      }
    }
    for await (const piece of deflated(plain)) {
      entry.compressedSize += piece.length
      yield counted(piece)
    }
    yield counted(dataDescriptor(entry))
    directory.push(directoryRecord(entry, start))
  }

  try {
    for await (const entry of entries) {
      signal?.throwIfAborted()
      check.entry(entry)
      if (entry.pieces !== undefined) {
        yield* writeWaiting()
        yield* writeStreamed(entry, entry.pieces)
        continue
      }
      check.more(entry.path, entry.bytes?.length ?? 0)
      waiting.push(entry)
      const held = waiting.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0)
      if (waiting.length === atOnce.files || held > atOnce.bytes) yield* writeWaiting()
    }
    yield* writeWaiting()
    signal?.throwIfAborted()
  } catch (error) {
    if (signal?.aborted) throw new FsError('ABORTED', {}, { cause: error })
    throw error
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  yield joinBytes([...directory, endRecords({ count: directory.length, size, offset })])
}

/** Fails for an entry that may not be, or that is too much after those before it. */
function checker(limits: ArchiveLimits) {
  const maxEntryBytes = Math.min(limits.maxEntryBytes, maxArchiveBytes)
  let [count, total] = [0, 0]
  return {
    entry({ path }: ArchiveInput): void {
      const fault = nameFault(path, 'relative')
      if (fault !== undefined) throw bad(fault, path)
      count += 1
      if (count > limits.maxEntries) throw tooLarge('entries', limits.maxEntries)
      if (new TextEncoder().encode(path).length > limits.maxNameBytes) throw bad('name-too-long', path)
    },
    /** For bytes of an entry, of which there were some before. */
    more(path: string, bytes: number, before = 0): void {
      total += bytes
      if (before + bytes > maxEntryBytes) throw tooLarge('entry', maxEntryBytes, path)
      if (total > limits.maxTotalBytes) throw tooLarge('total', limits.maxTotalBytes)
    },
  }
}

async function pack(input: ArchiveInput): Promise<{ entry: LaidOut; content: Bytes }> {
  const plain = input.kind === 'directory' ? new Uint8Array() : (input.bytes ?? new Uint8Array())
  const smaller = plain.length === 0 ? plain : await deflate(plain)
  const isSmaller = smaller.length < plain.length
  const content = isSmaller ? smaller : plain
  const entry: LaidOut = {
    ...named(input),
    method: isSmaller ? 8 : 0,
    crc32: crc32(plain),
    compressedSize: content.length,
    size: plain.length,
  }
  return { entry, content }
}

function named({ path, kind, mode, modifiedMs }: ArchiveInput): Pick<LaidOut, 'name' | 'unixMode' | 'modifiedMs'> {
  const isDirectory = kind === 'directory'
  return {
    name: new TextEncoder().encode(isDirectory ? `${path}/` : path),
    ...(mode !== undefined && { unixMode: (isDirectory ? 0o040000 : 0o100000) | (mode & 0o777) }),
    ...(modifiedMs !== undefined && { modifiedMs }),
  }
}
