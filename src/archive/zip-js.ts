/** The zip library, loaded with the first archive. Runs without workers and WebAssembly, which a page may forbid. */
import type { Entry, FileEntry, Reader, Writer, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js'
import type { ArchiveFault } from '../errors.js'
import type { ByteRange, Bytes } from '../fs/types.js'

export type ZipEntry = Entry
export type OpenZip = ZipReader<unknown>

type ZipJs = typeof import('@zip.js/zip.js/lib/zip-core-custom.js')

/** Options with which everything that an entry claims is checked. */
export const checks = {
  useWebWorkers: false,
  checkLocalDirectory: true,
  // Names are checked by our own rules, with better errors.
  filenameValidation: 'tolerant',
  decodeText: asAscii,
} as const

/** The library decodes control characters in DOS names as pictures; other programs as control characters. */
function asAscii(bytes: Uint8Array): string | undefined {
  return bytes.every((byte) => byte < 0x80) ? String.fromCharCode(...bytes) : undefined
}

let loading: Promise<ZipJs> | undefined

export function loadZipJs(): Promise<ZipJs> {
  loading ??= import('@zip.js/zip.js/lib/zip-core-custom.js')
  return loading
}

/** A reader of the library on a source of bytes. */
export function rangeReader(
  zip: ZipJs,
  { size, read }: { size: number; read(range: ByteRange): Promise<Bytes> },
): Reader<unknown> {
  const reader = new zip.Reader(undefined)
  reader.size = size
  reader.readUint8Array = (start, length) => read({ start, end: Math.min(size, start + length) })
  return reader
}

export const methods = { stored: 0, deflated: 8 }

/** The offset of a file's bytes, after checking its local header. */
export async function dataOffset(zip: ZipJs, entry: FileEntry): Promise<number> {
  const unused = new (zip.Writer as new () => Writer<undefined>)()
  await entry.getData(unused, { ...checks, checkOverlappingEntryOnly: true })
  if (entry.localDirectory === undefined) throw new Error(zip.ERR_LOCAL_FILE_HEADER_NOT_FOUND)
  return entry.localDirectory.dataOffset
}

/** The fault of an archive for an error of the library; undefined for other errors. */
export function faultOf(zip: ZipJs, error: unknown): ArchiveFault | undefined {
  if (!(error instanceof Error)) return undefined
  const faults: Record<string, ArchiveFault> = {
    [zip.ERR_BAD_FORMAT]: 'not-an-archive',
    [zip.ERR_EOCDR_NOT_FOUND]: 'not-an-archive',
    [zip.ERR_EOCDR_LOCATOR_ZIP64_NOT_FOUND]: 'damaged',
    [zip.ERR_CENTRAL_DIRECTORY_NOT_FOUND]: 'damaged',
    [zip.ERR_LOCAL_FILE_HEADER_NOT_FOUND]: 'damaged',
    [zip.ERR_EXTRAFIELD_ZIP64_NOT_FOUND]: 'damaged',
    [zip.ERR_ENTRY_DATA_OUT_OF_BOUNDS]: 'damaged',
    [zip.ERR_UNSUPPORTED_UINT64]: 'damaged',
    [zip.ERR_INVALID_COMPRESSED_DATA]: 'damaged',
    [zip.ERR_SPLIT_ZIP_FILE]: 'split',
    [zip.ERR_ENCRYPTED]: 'encrypted',
    [zip.ERR_UNSUPPORTED_ENCRYPTION]: 'encrypted',
    [zip.ERR_ENCRYPTED_CENTRAL_DIRECTORY]: 'encrypted',
    [zip.ERR_UNSUPPORTED_COMPRESSION]: 'unknown-compression',
    [zip.ERR_INVALID_CRC32]: 'wrong-checksum',
    [zip.ERR_INVALID_UNCOMPRESSED_SIZE]: 'wrong-size',
    [zip.ERR_OVERLAPPING_ENTRY]: 'overlapping-entries',
  }
  // For an entry: how its two records differ. For an archive: how else it could be read.
  if (error.message === zip.ERR_AMBIGUOUS_ARCHIVE) {
    const { reason } = error as { reason?: string }
    return reason?.startsWith('mismatched local') ? 'contradictory-entry' : 'ambiguous'
  }
  return faults[error.message]
}

/** The fault of an archive for a warning of the library that must not be ignored. */
export function graveWarning(zip: ZipJs, reason: string): ArchiveFault | undefined {
  const faults: Record<string, ArchiveFault> = {
    [zip.WARNING_TRAILING_CENTRAL_DIRECTORY_DATA]: 'damaged',
    [zip.WARNING_MISMATCHED_CENTRAL_DIRECTORY_OFFSET]: 'damaged',
    [zip.WARNING_MISSING_ZIP64_EXTRA_FIELD]: 'damaged',
    [zip.WARNING_MISMATCHED_ZIP64_END_OF_CENTRAL_DIRECTORY]: 'damaged',
    [zip.WARNING_WRAPPED_ENTRIES_COUNT]: 'damaged',
    [zip.WARNING_PREPENDED_CENTRAL_DIRECTORY]: 'ambiguous',
    [zip.WARNING_COMPRESSED_PATCHED_DATA]: 'unknown-compression',
  }
  return faults[reason]
}
