/** Reads untrusted zip archives: everything that one claims is checked before it is used. */
import { type ArchiveFault, FsError, isFsError } from '../errors.js'
import { pieceBytes } from '../fs/pieces.js'
import type { ByteRange, Bytes, Pieces } from '../fs/types.js'
import { yieldBetweenSteps } from '../fs/yield-between-steps.js'
import { checkedPieces, contentFault, inflate, inflatePieces, isSmall } from './deflate.js'
import { type ArchiveEntry, type ArchiveWarning, bad, checkEntries, type RawEntry, tooLarge } from './entries.js'
import { type ArchiveLimits, defaultArchiveLimits } from './limits.js'
import type { NameRules } from './names.js'
import {
  checks,
  dataOffset,
  faultOf,
  graveWarning,
  loadZipJs,
  methods,
  type OpenZip,
  rangeReader,
  type ZipEntry,
} from './zip-js.js'
import { fromDosTime } from './zip-layout.js'

/** The bytes of an archive: in memory, or read in ranges, as from `openFile`. */
export type ArchiveSource = Bytes | { readonly size: number; read(range: ByteRange): Promise<Bytes> }

export interface ReadArchiveOptions {
  limits?: Partial<ArchiveLimits>
  /** Which names are allowed; `portable` unless given. */
  names?: NameRules
  /** False on systems that ignore case: names that differ only in case are then refused. */
  caseSensitive?: boolean
  /** True for a caller that checks where links lead; they are refused otherwise. */
  links?: boolean
  signal?: AbortSignal
  /** The path of the archive, for errors. */
  path?: string
  /** @internal Times without a zone are UTC, not the machine's local time. */
  isReproducible?: boolean
}

export interface ArchiveListing {
  /** In the archive's order, without directories that are only implied. */
  entries: ArchiveEntry[]
  warnings: ArchiveWarning[]
}

export interface ArchivedFile extends ArchiveEntry {
  /** Of a file. */
  bytes?: Bytes
}

export interface OpenArchive extends ArchiveListing {
  /** The entries with their content, in order; all unless chosen. */
  read(choose?: (entry: ArchiveEntry) => boolean): AsyncGenerator<ArchivedFile>
  /** The content of a file in pieces; a fault is reported with the last piece at the latest. */
  pieces(file: ArchiveEntry): Pieces
}

/** The content of an archive. */
export async function listArchive(source: ArchiveSource, options: ReadArchiveOptions = {}): Promise<ArchiveListing> {
  const { entries, warnings } = await openArchive(source, options)
  return { entries, warnings }
}

/** Reads a whole archive. A fault in any entry fails the whole. */
export async function readArchive(
  source: ArchiveSource,
  options: ReadArchiveOptions = {},
): Promise<{ files: ArchivedFile[]; warnings: ArchiveWarning[] }> {
  const archive = await openArchive(source, options)
  const files: ArchivedFile[] = []
  for await (const file of archive.read()) files.push(file)
  return { files, warnings: archive.warnings }
}

/** The largest directory that the most entries allowed can have. */
const maxReadBytes = 32 * 1024 * 1024

/** The platform decompresses in other threads, so that several files at a time are faster; large files are read one at a time. */
const concurrency = { files: 16, bytes: 16 * 1024 * 1024 }

/** Checks the directory of an archive, and reads its files on demand. */
export async function openArchive(source: ArchiveSource, options: ReadArchiveOptions = {}): Promise<OpenArchive> {
  const zip = await loadZipJs()
  const { signal, names = 'portable', caseSensitive = true, links = false, isReproducible = false } = options
  const limits = { ...defaultArchiveLimits, ...options.limits }
  const bytes = source instanceof Uint8Array ? bytesSource(source) : source

  function translated(error: unknown, entry?: string): unknown {
    if (signal?.aborted) return new FsError('ABORTED', {}, { cause: error })
    const fault = faultOf(zip, error)
    const known = fault === undefined ? error : bad(fault, entry)
    const { path } = options
    if (path === undefined || !isFsError(known, 'BAD_ARCHIVE', 'ARCHIVE_TOO_LARGE')) return known
    return new FsError(known.code, { path, ...known.facts }, { cause: error })
  }

  async function guarded<Result>(run: () => Promise<Result>, entry?: string): Promise<Result> {
    try {
      signal?.throwIfAborted()
      return await run()
    } catch (error) {
      throw translated(error, entry)
    }
  }

  async function read(range: ByteRange): Promise<Bytes> {
    if (range.end - range.start > maxReadBytes) throw tooLarge('entries', limits.maxEntries)
    return bytes.read(range)
  }

  /** Finds the bytes of a file. Its local header has to agree with the directory. */
  async function place(entry: ZipEntry & { directory: false }, { path, size = 0 }: ArchiveEntry) {
    const start = await dataOffset(zip, entry)
    if (entry.compressedSize > limits.maxEntryBytes) throw tooLarge('entry', limits.maxEntryBytes, path)
    const isStored = entry.compressionMethod === methods.stored
    if (!isStored && entry.compressionMethod !== methods.deflated) throw bad('unknown-compression', path)
    // Only encrypted entries may lack a checksum, and those are refused.
    const claim = { size, crc32: entry.crc32 ?? 0 }
    return { range: { start, end: start + entry.compressedSize }, isStored, claim }
  }

  async function contentOf(entry: ZipEntry, known: ArchiveEntry): Promise<Bytes> {
    if (entry.directory) return new Uint8Array()
    const { range, isStored, claim } = await place(entry, known)
    const stored = await bytes.read(range)
    const content = isStored
      ? (contentFault(stored, claim) ?? new Uint8Array(stored))
      : await inflate(stored, claim, signal)
    if (typeof content === 'string') throw bad(content, known.path)
    return content
  }

  async function* piecesOf(entry: ZipEntry, known: ArchiveEntry): AsyncGenerator<Bytes> {
    if (entry.directory) return
    try {
      if (isSmall(entry.compressedSize, known)) {
        yield await contentOf(entry, known)
        return
      }
      const { range, isStored, claim } = await place(entry, known)
      const fault = (reason: ArchiveFault) => bad(reason, known.path)
      const content = isStored ? checkedPieces : inflatePieces
      for await (const piece of content(() => stored(range), claim, fault)) {
        signal?.throwIfAborted()
        yield piece
      }
    } catch (error) {
      throw translated(error, known.path)
    }
  }

  async function* stored({ start, end }: ByteRange): AsyncGenerator<Bytes> {
    for (let at = start; at < end; at += pieceBytes) {
      const piece = await bytes.read({ start: at, end: Math.min(end, at + pieceBytes) })
      if (piece.length < Math.min(end - at, pieceBytes)) throw bad('damaged')
      yield piece
    }
  }

  return guarded(async () => {
    const reader = new zip.ZipReader(rangeReader(zip, { size: bytes.size, read }), checks)
    const zipEntries = await entriesOf(reader, limits)
    const warnings = (reader.warnings ?? []).flatMap(({ reason, filename }): ArchiveWarning[] => {
      const fault = graveWarning(zip, reason)
      if (fault !== undefined) throw bad(fault, filename)
      return reason === zip.WARNING_APPENDED_DATA ? [{ kind: 'appended-data' }] : []
    })
    if (await hasSeveralEnds(reader, bytes)) warnings.push({ kind: 'several-directories' })
    const checked = checkEntries(
      zipEntries.map((entry) => rawEntry(entry, isReproducible)),
      { limits, names, caseSensitive, links },
    )
    const pairs = checked.entries.map((entry, index) => [entry, zipEntries[index] as ZipEntry] as const)
    const raw = new Map(pairs)
    return {
      pieces: (file) => () => piecesOf(raw.get(file) as ZipEntry, file),
      entries: checked.entries,
      warnings: [...warnings, ...checked.warnings],
      async *read(choose = () => true) {
        const chosen = pairs.filter(([entry]) => choose(entry))
        const turn = yieldBetweenSteps()
        for (const some of inBatches(chosen)) {
          await turn()
          const batch = some.map(async ([entry, zipEntry]): Promise<ArchivedFile> => {
            if (entry.kind === 'directory') return entry
            return { ...entry, bytes: await guarded(() => contentOf(zipEntry, entry), entry.path) }
          })
          // All have settled before a failure is thrown: nothing is still reading after that.
          const outcomes = await Promise.allSettled(batch)
          for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
          for (const outcome of outcomes) if (outcome.status === 'fulfilled') yield outcome.value
        }
      },
    }
  })
}

function* inBatches<Pair extends readonly [ArchiveEntry, ZipEntry]>(pairs: readonly Pair[]): Generator<Pair[]> {
  let batch: Pair[] = []
  let bytes = 0
  for (const pair of pairs) {
    const { size = 0 } = pair[0]
    if (batch.length > 0 && (batch.length === concurrency.files || bytes + size > concurrency.bytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(pair)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

async function entriesOf(reader: OpenZip, { maxEntries }: ArchiveLimits): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = []
  for await (const entry of reader.getEntriesGenerator()) {
    entries.push(entry)
    if (entries.length > maxEntries) throw tooLarge('entries', maxEntries)
  }
  return entries
}

/** The end record with the longest possible comment. */
const maxEndBytes = 22 + 0xffff

/** After the directory there is one end signature, unless another was put into the comment. */
async function hasSeveralEnds(
  { directoryOffset = 0, directoryLength = 0 }: OpenZip,
  { size, read }: Exclude<ArchiveSource, Bytes>,
): Promise<boolean> {
  const start = Math.max(directoryOffset + directoryLength, size - maxEndBytes)
  const tail = await read({ start: Math.min(start, size), end: size })
  const isEnd = (_: number, at: number) =>
    tail[at] === 0x50 && tail[at + 1] === 0x4b && tail[at + 2] === 5 && tail[at + 3] === 6
  return tail.filter(isEnd).length > 1
}

/** The time that means unknown: the format can't omit it. */
const earliestMs = Date.UTC(1980, 0, 1)

/** Extra fields with a time in UTC: of Unix, old and new, of Info-ZIP and of Windows. */
const utcFields = [0x5455, 0x000d, 0x5855, 0x000a]

function modifiedMsOf(entry: ZipEntry, isReproducible: boolean): number | undefined {
  const { rawLastModDate, extraField } = entry
  const isLocal = !utcFields.some((field) => extraField?.has(field))
  const inUtc = fromDosTime(Number(rawLastModDate))
  if (isLocal && inUtc <= earliestMs) return undefined
  const modifiedMs = isLocal && isReproducible ? inUtc : entry.lastModDate.getTime()
  return Number.isFinite(modifiedMs) ? modifiedMs : undefined
}

function rawEntry(entry: ZipEntry, isReproducible: boolean): RawEntry {
  const { filename, rawFilename, directory, encrypted, unixMode, unixExternalUpper } = entry
  const modifiedMs = modifiedMsOf(entry, isReproducible)
  const mode = unixMode ?? (unixExternalUpper || undefined)
  return {
    name: filename,
    nameBytes: rawFilename,
    isDirectory: directory,
    isEncrypted: encrypted,
    ...(mode !== undefined && { unixMode: mode }),
    size: entry.uncompressedSize,
    compressedSize: entry.compressedSize,
    offset: entry.offset,
    ...(modifiedMs !== undefined && { modifiedMs }),
  }
}

function bytesSource(bytes: Bytes): { size: number; read(range: ByteRange): Promise<Bytes> } {
  return { size: bytes.length, read: async ({ start, end }) => bytes.subarray(start, end) }
}
