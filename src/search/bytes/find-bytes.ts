import type { Bytes } from '../../fs/types.js'
import { rarestByte } from './byte-frequency.js'
import type { ByteSequences } from './byte-sequences.js'

/** The first offset of `needle` at or after `from`; -1 for none. A platform may provide a faster implementation, with more functions. */
export interface FindBytes {
  (haystack: Bytes, needle: Bytes, from: number): number
  /** Whether the haystack lies in memory that is searched fastest. */
  holds?: (haystack: Bytes) => boolean
  /** Ignores the case of ASCII letters; the needle is in lower case. */
  folded?: (haystack: Bytes, needle: Bytes, from: number) => number
  /** Counts the line feeds between two offsets. */
  lineFeeds?: (bytes: Bytes, from: number, until: number) => number
  /** As `findSequences`. */
  sequences?: (haystack: Bytes, sequences: ByteSequences, from: number) => number
  /** The first offset of a byte before `until`. */
  place?: (haystack: Bytes, byte: number, until: number) => number
  /** The next lines that contain the needle; undefined where this haystack can't be searched so. See `Kernels`. */
  lines?: (
    haystack: Bytes,
    needle: Bytes,
    from: number,
    options: { folded: boolean; max: number },
  ) => NeedleLines | undefined
  /** The last line feed before an offset, and the first at or after it; -1 for none. */
  feedBefore?: (bytes: Bytes, at: number) => number
  feedAfter?: (bytes: Bytes, at: number) => number
  /** True if the bytes between two offsets are known to be ASCII. */
  isAscii?: (bytes: Bytes, from: number, until: number) => boolean
  decode?: (bytes: Bytes, start: number, end: number) => string
  isUtf8?: (bytes: Bytes) => boolean
}

export interface NeedleLines {
  count: number
  /** Four for each line: line feeds since the line before, and the offsets of its start, its line feed and the needle. */
  numbers: Int32Array
}

/** Finds the needle's rarest byte with the platform's own search, and compares around each. */
export const findBytes: FindBytes = (haystack, needle, from) => {
  if (needle.length === 0) return from <= haystack.length ? from : -1
  const offset = rarestByte(needle)
  const rare = needle[offset]!
  for (let at = haystack.indexOf(rare, from + offset); at >= 0; at = haystack.indexOf(rare, at + 1)) {
    const start = at - offset
    if (start + needle.length > haystack.length) return -1
    if (sameBytes(haystack, start, needle)) return start
  }
  return -1
}

/** The first offset of a byte before `until`; -1 for none. */
export function findByte(bytes: Bytes, byte: number, until: number): number {
  return (until < bytes.length ? bytes.subarray(0, until) : bytes).indexOf(byte)
}

/** As `findBytes`, ignoring the case of ASCII letters; `needle` is in lower case. `from` must not decrease between calls. */
export function findFolded(haystack: Bytes, needle: Bytes): (from: number) => number {
  const offset = rarestByte(needle)
  const lower = needle[offset]!
  const upper = isLowerLetter(lower) ? lower - 0x20 : lower
  // Both offsets are cached: the rarer of the two may be far away, and would be searched again and again.
  let nextLower = -2
  let nextUpper = -2
  return (from) => {
    for (let at = from + offset; ; at += 1) {
      if (nextLower !== -1 && nextLower < at) nextLower = haystack.indexOf(lower, at)
      if (nextUpper !== -1 && nextUpper < at) nextUpper = upper === lower ? -1 : haystack.indexOf(upper, at)
      at = nextLower < 0 ? nextUpper : nextUpper < 0 ? nextLower : Math.min(nextLower, nextUpper)
      const start = at - offset
      if (at < 0 || start + needle.length > haystack.length) return -1
      if (sameFolded(haystack, start, needle)) return start
    }
  }
}

/** Whether the needle is at this place. */
export function sameBytes(haystack: Bytes, start: number, needle: Bytes): boolean {
  for (let i = 0; i < needle.length; i += 1) if (haystack[start + i] !== needle[i]) return false
  return true
}

function sameFolded(haystack: Bytes, start: number, needle: Bytes): boolean {
  for (let i = 0; i < needle.length; i += 1) {
    const byte = haystack[start + i]!
    const expected = needle[i]!
    if (byte !== expected && !(isLowerLetter(expected) && (byte | 0x20) === expected)) return false
  }
  return true
}

function isLowerLetter(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a
}
