/** How much an archive may hold. Sizes are of what comes out, counted as it comes out, whatever the archive says of itself. */
export interface ArchiveLimits {
  maxEntries: number
  /** Of all files together. */
  maxTotalBytes: number
  maxEntryBytes: number
  /** How many times its compressed size a file may have, once it is larger than `ratioFromBytes`. */
  maxRatio: number
  ratioFromBytes: number
  /** Of one name, with the directories before it. */
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
