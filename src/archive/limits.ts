/** Limits for the content of an archive. Sizes are of decompressed data, counted while decompressing, whatever the archive claims. */
export interface ArchiveLimits {
  maxEntries: number
  /** Of all files together. */
  maxTotalBytes: number
  maxEntryBytes: number
  /** The most a file may expand, if it is larger than `ratioFromBytes`. */
  maxRatio: number
  ratioFromBytes: number
  /** Of one path. */
  maxNameBytes: number
}

export const defaultArchiveLimits: ArchiveLimits = {
  maxEntries: 10_000,
  maxTotalBytes: 1024 * 1024 * 1024,
  maxEntryBytes: 256 * 1024 * 1024,
  maxRatio: 200,
  ratioFromBytes: 10 * 1024 * 1024,
  maxNameBytes: 1024,
}
