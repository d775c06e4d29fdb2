/** What a file's bytes are: text in which encoding, or binary. One rule for all tools that name or show it. */
import { type Encoding, isUtf8, looksBinary, sniffEncoding } from './decode.js'
import { sequenceLength } from './document.js'
import { wholeCharacters } from './utf8-range.js'

export type TextEncoding = Encoding | 'windows-1252'

export interface TextFormat {
  encoding: TextEncoding
  /** There is a byte-order mark; it is not part of the text. */
  bom: boolean
  /** UTF-8 except for some bytes, each of which is shown as the Windows-1252 character of that byte. */
  hasStrayBytes?: true
  /** The encoding is not certain: `probable`, or `unknown` where the bytes look like another encoding of one byte per character. */
  guess?: 'probable' | 'unknown'
}

/** A NUL this close to either end makes a file binary, unless it is UTF-16. */
export const binaryWindow = 8000

/**
 * A byte-order mark decides. Without one a file is: UTF-16, if that is clear; binary, if a NUL is near either end; UTF-8, if it is valid; UTF-8
 * with stray bytes, if it has characters of several bytes that are hardly there by accident; Windows-1252, if it has no NUL and few control
 * characters; else binary.
 */
export function detectFormat(bytes: Uint8Array): TextFormat | 'binary' {
  const marked = sniffEncoding(bytes)
  if (marked.encoding !== 'utf-8') return marked
  if (looksBinary(bytes, binaryWindow)) return marked.bom ? 'binary' : (unmarkedUtf16(bytes) ?? 'binary')
  return isUtf8(bytes) ? marked : formatOfInvalid(bytes)
}

/** Bytes at the beginning of a large file that tell its format. */
export const sampleBytes = 64 * 1024

/** The same by the beginning of a file, which may end within a character. */
export function detectFromStart(bytes: Uint8Array): TextFormat | 'binary' {
  const marked = sniffEncoding(bytes)
  if (marked.encoding !== 'utf-8') return marked
  const wide = marked.bom || !looksBinary(bytes, binaryWindow) ? undefined : unmarkedStart(bytes)
  return wide ?? detectFormat(bytes.subarray(0, wholeCharacters(bytes, { first: true, last: false }).end))
}

/** The last character may be cut within a surrogate pair. */
function unmarkedStart(bytes: Uint8Array): TextFormat | undefined {
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2))
  return unmarkedUtf16(even) ?? unmarkedUtf16(even.subarray(0, -2))
}

/** As `detectFormat`, for bytes that are known to be neither UTF-16 nor valid UTF-8, and have no NUL near their ends. */
export function formatOfInvalid(bytes: Uint8Array): TextFormat | 'binary' {
  const { bom } = sniffEncoding(bytes)
  const { sequences, strays, controls, nuls, high, undefinedBytes } = countBytes(bytes)
  // In encodings of two bytes per character, such as Shift-JIS, there is an accidental sequence for about every four other bytes.
  const isMostlyUtf8 = sequences > 0 && sequences * 2 >= strays
  const hasFewControls = controls * 50 <= bytes.length
  if (hasFewControls && (bom || isMostlyUtf8)) {
    return { encoding: 'utf-8', bom, hasStrayBytes: true }
  }
  if (nuls > 0 || !hasFewControls) return 'binary'
  const isForeign = undefinedBytes > 0 || (high > 8 && high * 3 > bytes.length)
  return { encoding: 'windows-1252', bom: false, guess: isForeign ? 'unknown' : 'probable' }
}

interface ByteCounts {
  /** Characters of several bytes in UTF-8 that would hardly be there by accident. */
  sequences: number
  /** Bytes beyond ASCII that belong to no character of UTF-8. */
  strays: number
  controls: number
  nuls: number
  /** Bytes beyond ASCII. */
  high: number
  /** Bytes that have no character of their own in Windows-1252. */
  undefinedBytes: number
}

function countBytes(bytes: Uint8Array): ByteCounts {
  const counts = { sequences: 0, strays: 0, controls: 0, nuls: 0, high: 0, undefinedBytes: 0 }
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at]!
    if (byte < 0x80) {
      // Nearly all are neither, and to find that out takes one comparison.
      if (byte < 0x20 || byte === 0x7f) {
        if (byte === 0) counts.nuls += 1
        else if (isControl(byte)) counts.controls += 1
      }
      at += 1
      continue
    }
    const size = sequenceLength(bytes, at) || 1
    counts.high += size
    if (size === 1) counts.strays += 1
    else if (!isPunctuatedLetter(bytes, at, size)) counts.sequences += 1
    for (const end = at + size; at < end; at += 1) if (isUndefined(bytes[at]!)) counts.undefinedBytes += 1
  }
  return counts
}

/** Control characters that text does not have: all but the usual white space, backspace and escape. */
function isControl(byte: number): boolean {
  return (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) || byte === 0x7f
}

function isUndefined(byte: number): boolean {
  return byte === 0x81 || byte === 0x8d || byte === 0x8f || byte === 0x90 || byte === 0x9d
}

/**
 * Whether a sequence is more likely a letter and punctuation of Windows-1252, as in `café »`: no-break space, closing quotes, dashes, dots.
 * The lead bytes of Latin letters, of punctuation and of no-break space are much more frequent in UTF-8.
 */
function isPunctuatedLetter(bytes: Uint8Array, at: number, size: number): boolean {
  const lead = bytes[at] as number
  if (lead === 0xc2 || lead === 0xc3 || lead === 0xe2) return false
  for (let next = at + 1; next < at + size; next += 1) if (!punctuation.has(bytes[next] as number)) return false
  return true
}

const punctuation: ReadonlySet<number> = new Set([0x85, 0x92, 0x94, 0x96, 0x97, 0xa0, 0xbb])

/** Fewer characters are not enough to tell. */
const leastUnits = 4

/**
 * UTF-16 without a byte-order mark, if that is clear: at least half of the characters are Latin, and none is a control character, half a
 * surrogate pair or no character at all. Ends at the first that is.
 */
export function unmarkedUtf16(bytes: Uint8Array): TextFormat | undefined {
  const units = bytes.length / 2
  if (units < leastUnits || bytes.length % 2 !== 0) return undefined
  const high = nulsAt(1, bytes) > nulsAt(0, bytes) ? 1 : 0
  let latin = 0
  let isPairOpen = false
  for (let at = 0; at < bytes.length; at += 2) {
    const upper = bytes[at + high] as number
    const lower = bytes[at + 1 - high] as number
    const isTrail = (upper & 0xfc) === 0xdc
    if (isTrail !== isPairOpen) return undefined
    isPairOpen = (upper & 0xfc) === 0xd8
    if (upper === 0 ? lower === 0 || isControl(lower) : upper === 0xff && lower >= 0xfe) return undefined
    if (upper === 0) latin += 1
  }
  if (isPairOpen || latin * 2 < units) return undefined
  return { encoding: high === 1 ? 'utf-16le' : 'utf-16be', bom: false }
}

/** Counts NULs at even or at odd offsets, near the start. */
function nulsAt(parity: 0 | 1, bytes: Uint8Array): number {
  let count = 0
  for (let at: number = parity; at < bytes.length && at < 512; at += 2) if (bytes[at] === 0) count += 1
  return count
}
