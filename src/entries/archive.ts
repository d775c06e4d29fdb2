/** polyfs/archive: zip archives of a workspace, and as file systems. */
export type { ArchiveEntry, ArchiveWarning, ArchiveWarningKind } from '../archive/entries.js'
export { type ArchiveLimits, defaultArchiveLimits } from '../archive/limits.js'
export type { NameRules } from '../archive/names.js'
export {
  type ArchivedFile,
  type ArchiveListing,
  type ArchiveSource,
  listArchive,
  type ReadArchiveOptions,
  readArchive,
} from '../archive/read-archive.js'
export { type ArchiveInput, type WriteArchiveOptions, writeArchive } from '../archive/write-archive.js'
export { unpacked as unpackZip, zipFs } from '../archive/zip-fs.js'
export type { ExtractedArchive } from '../ops/archive/extract-archive.js'
export { type ExportZipOptions, exportZip, type ImportZipOptions, importZip } from '../ops/archive/import-export-zip.js'
