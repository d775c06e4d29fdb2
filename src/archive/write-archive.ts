import { FsError } from '../errors.js'
import type { Bytes } from '../fs/types.js'
import { joinBytes } from '../text/join-bytes.js'
import { bad, tooLarge } from './entries.js'
import { type ArchiveLimits, defaultArchiveLimits } from './limits.js'
import { nameFault } from './names.js'
import { loadZipJs, pieceWriter, writerOptions } from './zip-js.js'

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

/** When there is no time to tell; the format has no way to leave it out. */
const earliest = new Date(1980, 0, 1)

/** A zip archive of entries in the order they come. The same entries make the same bytes. */
export async function writeArchive(
  entries: Iterable<ArchiveInput> | AsyncIterable<ArchiveInput>,
  options: WriteArchiveOptions = {},
): Promise<Bytes> {
  const { signal } = options
  const limits = { ...defaultArchiveLimits, ...options.limits }
  const zip = await loadZipJs()
  const pieces: Bytes[] = []
  const writer = new zip.ZipWriter(
    pieceWriter(zip, (piece) => void pieces.push(new Uint8Array(piece))),
    { ...writerOptions, ...(signal && { signal }) },
  )
  let [count, total] = [0, 0]

  async function add({ path, kind, bytes = new Uint8Array(), mode, modifiedMs }: ArchiveInput): Promise<void> {
    const fault = nameFault(path, 'relative')
    if (fault !== undefined) throw bad(fault, path)
    count += 1
    total += bytes.length
    if (count > limits.maxEntries) throw tooLarge('entries', limits.maxEntries)
    if (new TextEncoder().encode(path).length > limits.maxNameBytes) throw bad('name-too-long', path)
    if (bytes.length > limits.maxEntryBytes) throw tooLarge('entry', limits.maxEntryBytes, path)
    if (total > limits.maxTotalBytes) throw tooLarge('total', limits.maxTotalBytes)
    const directory = kind === 'directory'
    await writer.add(
      directory ? `${path}/` : path,
      directory || bytes.length === 0 ? null : new zip.Uint8ArrayReader(bytes),
      {
        directory,
        lastModDate: modifiedMs === undefined ? earliest : new Date(modifiedMs),
        extendedTimestamp: modifiedMs !== undefined,
        ...(mode !== undefined && { unixMode: (directory ? 0o040000 : 0o100000) | (mode & 0o777) }),
        ...(signal && { signal }),
      },
    )
  }

  try {
    for await (const entry of entries) {
      signal?.throwIfAborted()
      await add(entry)
    }
    await writer.close()
  } catch (error) {
    if (signal?.aborted) throw new FsError('ABORTED', {}, { cause: error })
    throw error
  }
  return joinBytes(pieces)
}
