import { FsError } from '../errors.js'
import { gather } from '../fs/pieces.js'
import type { Bytes, Pieces } from '../fs/types.js'
import { yieldBetweenSteps } from '../fs/yield-between-steps.js'
import { crc32 } from '../text/crc32.js'
import { joinBytes } from '../text/join-bytes.js'
import { storedDeflate } from '../text/stored-deflate.js'
import { deflate } from './deflate.js'
import { bad, tooLarge } from './entries.js'
import { type ArchiveLimits, defaultArchiveLimits } from './limits.js'
import { nameFault } from './names.js'
import { deflated } from './stream-compression.js'
import { dataDescriptor, directoryRecord, endRecords, type LaidOut, localHeader } from './zip-layout.js'

/** A file or directory to add to an archive. */
export interface ArchiveInput {
  /** Relative, without a trailing slash. */
  path: string
  kind: 'file' | 'directory'
  bytes?: Bytes
  /** Instead of `bytes`, for content that is too large for memory. */
  pieces?: Pieces
  /** Permission bits; not stored unless given. */
  mode?: number
  /** The earliest time of the format unless given. */
  modifiedMs?: number
  /** The bytes are where a symbolic link leads. */
  isLink?: true
}

export interface WriteArchiveOptions {
  limits?: Partial<ArchiveLimits>
  signal?: AbortSignal
  /** Called with each file that compresses so well that reading the archive refuses it. */
  onTooDense?: (path: string) => void
  /** @internal Nothing is compressed and times are UTC: the same bytes on every machine. */
  isReproducible?: boolean
}

/** The platform compresses in other threads, so that several files at a time are faster. */
const concurrency = { files: 16, bytes: 16 * 1024 * 1024 }

/** The limit of an archive and of one file without the zip64 records. */
const maxArchiveBytes = 0xfffffffe

/** A zip archive of the entries in the given order. The same entries give the same bytes. */
export async function writeArchive(
  entries: Iterable<ArchiveInput> | AsyncIterable<ArchiveInput>,
  options: WriteArchiveOptions = {},
): Promise<Bytes> {
  return gather(() => archivePieces(entries, options))
}

/** The same piece by piece, for an archive that is too large for memory. */
export async function* archivePieces(
  entries: Iterable<ArchiveInput> | AsyncIterable<ArchiveInput>,
  options: WriteArchiveOptions = {},
): AsyncGenerator<Bytes> {
  const { signal, isReproducible = false } = options
  const limits = { ...defaultArchiveLimits, ...options.limits }
  const check = checker(limits)
  const directory: Bytes[] = []
  let offset = 0
  let pending: ArchiveInput[] = []

  function counted(bytes: Bytes): Bytes {
    offset += bytes.length
    if (offset > maxArchiveBytes) throw tooLarge('total', maxArchiveBytes)
    return bytes
  }

  function report(path: string, { size, compressedSize }: LaidOut): void {
    if (size > limits.ratioFromBytes && size > limits.maxRatio * compressedSize) options.onTooDense?.(path)
  }

  async function* writePending(): AsyncGenerator<Bytes> {
    const packed = await Promise.all(pending.map((input) => pack(input, isReproducible)))
    pending = []
    for (const { path, entry, content } of packed) {
      report(path, entry)
      directory.push(directoryRecord(entry, offset))
      yield counted(localHeader(entry))
      yield counted(content)
    }
  }

  async function* writeStreamed(input: ArchiveInput, pieces: Pieces): AsyncGenerator<Bytes> {
    const unknown = { crc32: 0, compressedSize: 0, size: 0, described: true }
    const entry: LaidOut = { ...named(input), method: 8, ...unknown, isUtc: isReproducible }
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
    for await (const piece of isReproducible ? storedDeflate(plain()) : deflated(plain)) {
      entry.compressedSize += piece.length
      yield counted(piece)
    }
    report(input.path, entry)
    yield counted(dataDescriptor(entry))
    directory.push(directoryRecord(entry, start))
  }

  const turn = yieldBetweenSteps()
  try {
    for await (const entry of entries) {
      const pause = turn()
      if (pause !== undefined) await pause
      signal?.throwIfAborted()
      check.entry(entry)
      if (entry.pieces !== undefined) {
        yield* writePending()
        yield* writeStreamed(entry, entry.pieces)
        continue
      }
      check.more(entry.path, entry.bytes?.length ?? 0)
      pending.push(entry)
      const pendingBytes = pending.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0)
      if (pending.length === concurrency.files || pendingBytes > concurrency.bytes) yield* writePending()
    }
    yield* writePending()
    signal?.throwIfAborted()
  } catch (error) {
    if (signal?.aborted) throw new FsError('ABORTED', {}, { cause: error })
    throw error
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  yield joinBytes([...directory, endRecords({ count: directory.length, size, offset })])
}

/** Checks names and limits. Fails for an entry that is not allowed, or that exceeds a limit. */
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
    /** Counts more bytes of an entry. */
    more(path: string, bytes: number, before = 0): void {
      total += bytes
      if (before + bytes > maxEntryBytes) throw tooLarge('entry', maxEntryBytes, path)
      if (total > limits.maxTotalBytes) throw tooLarge('total', limits.maxTotalBytes)
    },
  }
}

async function pack(
  input: ArchiveInput,
  isReproducible: boolean,
): Promise<{ path: string; entry: LaidOut; content: Bytes }> {
  const plain = input.kind === 'directory' ? new Uint8Array() : (input.bytes ?? new Uint8Array())
  const smaller = plain.length === 0 || isReproducible ? plain : await deflate(plain)
  const isSmaller = smaller.length < plain.length
  const content = isSmaller ? smaller : plain
  const entry: LaidOut = {
    ...named(input),
    method: isSmaller ? 8 : 0,
    crc32: crc32(plain),
    compressedSize: content.length,
    size: plain.length,
    isUtc: isReproducible,
  }
  return { path: input.path, entry, content }
}

function named({
  path,
  kind,
  mode,
  modifiedMs,
  isLink,
}: ArchiveInput): Pick<LaidOut, 'name' | 'unixMode' | 'modifiedMs'> {
  const isDirectory = kind === 'directory'
  const type = isDirectory ? 0o040000 : isLink ? 0o120000 : 0o100000
  const permissions = mode ?? (isLink ? 0o777 : undefined)
  return {
    name: new TextEncoder().encode(isDirectory ? `${path}/` : path),
    ...(permissions !== undefined && { unixMode: type | (permissions & 0o777) }),
    ...(modifiedMs !== undefined && { modifiedMs }),
  }
}
