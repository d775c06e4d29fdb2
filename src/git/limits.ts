/** How much of a repository one call reads. A file of a few kilobytes can say that it holds terabytes, so each bound counts while reading. */
import { FsError } from '../errors.js'

const mebibyte = 1024 * 1024

export const limits = {
  /** Of one tree; a directory with 100,000 files has about 6 MB. */
  treeBytes: 16 * mebibyte,
  /** Of one commit or tag, with its message. */
  commitBytes: 4 * mebibyte,
  /** Of one object that has to be held whole: a file to compare or to show, or one that is stored as a difference to another. */
  wholeBytes: 128 * mebibyte,
  /** Of all that one call decompresses; files that are only copied do not count. */
  callBytes: 8 * 1024 * mebibyte,
  /** Of the files one call writes into the working tree. */
  checkedOutBytes: 64 * 1024 * mebibyte,
  /** Of the texts one comparison holds. */
  comparedBytes: 64 * mebibyte,
  /** Files in one commit. */
  files: 500_000,
  directories: 200_000,
  /** Of a path in a commit, as on most systems. */
  pathLength: 4096,
  /** How many differences lead to one object; git makes no more. */
  deltaDepth: 4095,
  /** Of all pack indexes together; a million objects have 32 MB. */
  packIndexBytes: 256 * mebibyte,
  packs: 5_000,
  packedRefsBytes: 64 * mebibyte,
  refs: 200_000,
  /** How many names lead to a commit, as in git. */
  symbolicRefs: 5,
  /** Of `HEAD`, a single ref, a `.git` file and the like. */
  smallFileBytes: mebibyte,
  configBytes: mebibyte,
  indexBytes: 256 * mebibyte,
} as const

/** A refusal that names what is too large, and the bound. */
export function tooLarge(what: string, limit: number, unit: string = 'bytes'): FsError {
  const shown = unit === 'bytes' ? inBytes(limit) : `${limit.toLocaleString('en')} ${unit}`
  return new FsError('GIT_REFUSED', { reason: 'too-large', subject: `${what}, the limit is ${shown}` })
}

function inBytes(count: number): string {
  return count % mebibyte === 0 ? `${count / mebibyte} MiB` : `${count} bytes`
}

/** What one call may still decompress. */
export interface Budget {
  /** Fails when no more than `callBytes` would be left. */
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
