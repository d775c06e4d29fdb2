/**
 * Limits on what one call reads of a repository. A file of a few kilobytes can claim to hold terabytes, so each limit
 * is checked while reading.
 */
import { FsError } from '../errors.js'

const mebibyte = 1024 * 1024

export const limits = {
  /** Size of one tree; a directory with 100,000 files has about 6 MB. */
  treeBytes: 16 * mebibyte,
  /** Size of one commit or tag, with its message. */
  commitBytes: 4 * mebibyte,
  /** Size of one object that is held in memory: a file to compare or show, or one stored as a delta. */
  wholeBytes: 128 * mebibyte,
  /** Total that one call decompresses; files that are only copied do not count. */
  callBytes: 8 * 1024 * mebibyte,
  /** Total that a clone fetches, unless the workspace says otherwise: it is held in memory, several times over. */
  fetchedBytes: 256 * mebibyte,
  /** Total size of the files one call writes to the working tree. */
  checkedOutBytes: 64 * 1024 * mebibyte,
  /** Total size of the texts in one comparison. */
  comparedBytes: 64 * mebibyte,
  /** Number of files in one commit. */
  files: 500_000,
  directories: 200_000,
  /** Length of a path in a commit, as on most systems. */
  pathLength: 4096,
  /** Length of a delta chain; git creates no longer ones. */
  deltaDepth: 4095,
  /** Total size of pack indexes; a million objects take 32 MB. */
  packIndexBytes: 256 * mebibyte,
  packs: 5_000,
  packedRefsBytes: 64 * mebibyte,
  refs: 200_000,
  /** Length of a chain of symbolic refs, as in git. */
  symbolicRefs: 5,
  /** Size of `HEAD`, a single ref, a `.git` file and the like. */
  smallFileBytes: mebibyte,
  configBytes: mebibyte,
  indexBytes: 256 * mebibyte,
} as const

/** An error that names what is too large, and the limit. */
export function tooLarge(what: string, limit: number, unit: string = 'bytes'): FsError {
  const formatted = unit === 'bytes' ? inBytes(limit) : `${grouped(limit)} ${unit}`
  return new FsError('GIT_REFUSED', { reason: 'too-large', subject: `${what}, the limit is ${formatted}` })
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

function inBytes(count: number): string {
  return count % mebibyte === 0 ? `${count / mebibyte} MiB` : `${count} bytes`
}

/** Counts what one call decompresses. */
export interface Budget {
  /** Fails when the total exceeds `callBytes`. */
  spend(bytes: number): void
}

export function createBudget(): Budget {
  let left: number = limits.callBytes
  return {
    spend(bytes) {
      left -= bytes
      if (left < 0) throw tooLarge('what this call has to decompress', limits.callBytes)
    },
  }
}
