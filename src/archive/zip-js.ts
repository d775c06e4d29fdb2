/** The library that knows the format: loaded with the first archive, and never with a worker or WebAssembly, which a page may forbid. */
import type { Entry, FileEntry, Reader, Writer, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js'
import type { ArchiveFault } from '../errors.js'
import type { ByteRange, Bytes } from '../fs/types.js'

export type ZipEntry = Entry
export type OpenZip = ZipReader<unknown>

type ZipJs = typeof import('@zip.js/zip.js/lib/zip-core-custom.js')

/** What each entry is looked at with: everything it says of itself is checked. */
export const checks = {
  useWebWorkers: false,
  checkLocalDirectory: true,
  // Names are checked by our own rules, which say what is wrong.
  filenameValidation: 'tolerant',
  decodeText: asAscii,
} as const

/** The library takes a control character of a name in the old encoding of DOS for a picture; others take it for what it is. */
function asAscii(bytes: Uint8Array): string | undefined {
  return bytes.every((byte) => byte < 0x80) ? String.fromCharCode(...bytes) : undefined
}

let loading: Promise<ZipJs> | undefined

export function loadZipJs(): Promise<ZipJs> {
  loading ??= import('@zip.js/zip.js/lib/zip-core-custom.js')
  return loading
}

/** What the library reads an archive through. */
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

/** Where the bytes of a file begin, once what is said of it there has been checked. */
export async function dataOffset(zip: ZipJs, entry: FileEntry): Promise<number> {
  const unused = new (zip.Writer as new () => Writer<undefined>)()
  await entry.getData(unused, { ...checks, checkOverlappingEntryOnly: true })
  if (entry.localDirectory === undefined) throw new Error(zip.ERR_LOCAL_FILE_HEADER_NOT_FOUND)
  return entry.localDirectory.dataOffset
}

/** What is wrong with an archive, by what the library throws; undefined for what is not about the archive. */
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
  // Of an entry it says how the two records differ, of an archive how it could be read otherwise.
  if (error.message === zip.ERR_AMBIGUOUS_ARCHIVE) {
    const { reason } = error as { reason?: string }
    return reason?.startsWith('mismatched local') ? 'contradictory-entry' : 'ambiguous'
  }
  return faults[error.message]
}

/** What is wrong with an archive that the library would read all the same. */
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
