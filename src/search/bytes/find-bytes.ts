import type { Bytes } from '../../fs/types.js'
import { rarestByte } from './byte-frequency.js'
import type { ByteSequences } from './byte-sequences.js'

/** Where `needle` stands first at or after `from`, -1 for nowhere. A platform may have a quicker one than ours. */
export interface FindBytes {
  (haystack: Bytes, needle: Bytes, from: number): number
  /** Whether this haystack is where it is searched soonest. */
  holds?: (haystack: Bytes) => boolean
  /** With ASCII letters in either case; the needle has them small. */
  folded?: (haystack: Bytes, needle: Bytes, from: number) => number
  /** How many line feeds there are between two places. */
  lineFeeds?: (bytes: Bytes, from: number, until: number) => number
  /** Where one of the sequences stands; see `findSequences`. */
  sequences?: (haystack: Bytes, sequences: ByteSequences, from: number) => number
  /** Where a byte stands first before `until`. */
  place?: (haystack: Bytes, byte: number, until: number) => number
  /** The next lines with the needle in them; undefined where this haystack can't be searched so. See `Kernels`. */
  lines?: (
    haystack: Bytes,
    needle: Bytes,
    from: number,
    options: { folded: boolean; max: number },
  ) => NeedleLines | undefined
  /** Where the line feed before a place stands, and the next one from there on; -1 for none. */
  feedBefore?: (bytes: Bytes, at: number) => number
  feedAfter?: (bytes: Bytes, at: number) => number
  /** Whether the bytes between two places are known to be all ASCII. */
  isAscii?: (bytes: Bytes, from: number, until: number) => boolean
  /** The text of some bytes. */
  decode?: (bytes: Bytes, start: number, end: number) => string
}

export interface NeedleLines {
  count: number
  /** Four for each line: the line feeds since the line before, where it starts, where its feed is, where the needle stands. */
  numbers: Int32Array
}

/** Looks for the needle's rarest byte with the platform's own search, and compares around each. */
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

/** As `findBytes`, with ASCII letters in either case; `needle` has them small. Places asked for must not go back. */
export function findFolded(haystack: Bytes, needle: Bytes): (from: number) => number {
  const offset = rarestByte(needle)
  const small = needle[offset]!
  const large = isSmallLetter(small) ? small - 0x20 : small
  // Both are remembered: the rarer of the two may be far away, and would be searched for again and again.
  let nextSmall = -2
  let nextLarge = -2
  return (from) => {
    for (let at = from + offset; ; at += 1) {
      if (nextSmall !== -1 && nextSmall < at) nextSmall = haystack.indexOf(small, at)
      if (nextLarge !== -1 && nextLarge < at) nextLarge = large === small ? -1 : haystack.indexOf(large, at)
      at = nextSmall < 0 ? nextLarge : nextLarge < 0 ? nextSmall : Math.min(nextSmall, nextLarge)
      const start = at - offset
      if (at < 0 || start + needle.length > haystack.length) return -1
      if (sameFolded(haystack, start, needle)) return start
    }
  }
}

function sameBytes(haystack: Bytes, start: number, needle: Bytes): boolean {
  for (let i = 0; i < needle.length; i += 1) if (haystack[start + i] !== needle[i]) return false
  return true
}

function sameFolded(haystack: Bytes, start: number, needle: Bytes): boolean {
  for (let i = 0; i < needle.length; i += 1) {
    const byte = haystack[start + i]!
    const expected = needle[i]!
    if (byte !== expected && !(isSmallLetter(expected) && (byte | 0x20) === expected)) return false
  }
  return true
}

function isSmallLetter(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a
}
