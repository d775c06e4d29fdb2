/** Characters as the C library sees them in the locale C.UTF-8. */
import type { Bytes } from '../../../../src/fs/types.js'
import { sequenceLength } from '../../../io/byte-text.js'

const zeroWidth = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u
const unprintable = /[\p{Cc}\p{Cs}\p{Cn}\u2028\u2029]/u
const spaces = /[\t-\r \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]/u
const noBreakSpaces = /[\u00a0\u2007\u202f\u2060]/u

const wideRanges: ReadonlyArray<readonly [number, number]> = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x23e9, 0x23ec],
  [0x23f0, 0x23f0],
  [0x23f3, 0x23f3],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x267f, 0x267f],
  [0x2693, 0x2693],
  [0x26a1, 0x26a1],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x26ce, 0x26ce],
  [0x26d4, 0x26d4],
  [0x26ea, 0x26ea],
  [0x26f2, 0x26f3],
  [0x26f5, 0x26f5],
  [0x26fa, 0x26fa],
  [0x26fd, 0x26fd],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x274e, 0x274e],
  [0x2753, 0x2755],
  [0x2757, 0x2757],
  [0x2795, 0x2797],
  [0x27b0, 0x27b0],
  [0x27bf, 0x27bf],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b50],
  [0x2b55, 0x2b55],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18aff],
  [0x1b000, 0x1b2fb],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f18e],
  [0x1f191, 0x1f19a],
  [0x1f200, 0x1f320],
  [0x1f32d, 0x1f335],
  [0x1f337, 0x1f37c],
  [0x1f37e, 0x1f393],
  [0x1f3a0, 0x1f3ca],
  [0x1f3cf, 0x1f3d3],
  [0x1f3e0, 0x1f3f0],
  [0x1f3f4, 0x1f3f4],
  [0x1f3f8, 0x1f43e],
  [0x1f440, 0x1f440],
  [0x1f442, 0x1f4fc],
  [0x1f4ff, 0x1f53d],
  [0x1f54b, 0x1f54e],
  [0x1f550, 0x1f567],
  [0x1f57a, 0x1f57a],
  [0x1f595, 0x1f596],
  [0x1f5a4, 0x1f5a4],
  [0x1f5fb, 0x1f64f],
  [0x1f680, 0x1f6c5],
  [0x1f6cc, 0x1f6cc],
  [0x1f6d0, 0x1f6d2],
  [0x1f6d5, 0x1f6d7],
  [0x1f6dd, 0x1f6df],
  [0x1f6eb, 0x1f6ec],
  [0x1f6f4, 0x1f6fc],
  [0x1f7e0, 0x1f7eb],
  [0x1f7f0, 0x1f7f0],
  [0x1f90c, 0x1f93a],
  [0x1f93c, 0x1f945],
  [0x1f947, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
]

/** The columns that a character takes: 0 to 2, or -1 when it can't be printed. */
export function charWidth(codePoint: number): number {
  if (codePoint < 0x20) return -1
  if (codePoint < 0x7f) return 1
  if (codePoint < 0xa0) return -1
  if (codePoint === 0xad) return 1
  if (codePoint < 0x300) return 1
  const character = String.fromCodePoint(codePoint)
  if (unprintable.test(character)) return -1
  if (zeroWidth.test(character)) return 0
  return isWide(codePoint) ? 2 : 1
}

function isWide(codePoint: number): boolean {
  if (codePoint < 0x1100) return false
  let low = 0
  let high = wideRanges.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const [first, last] = wideRanges[middle] as readonly [number, number]
    if (codePoint < first) high = middle - 1
    else if (codePoint > last) low = middle + 1
    else return true
  }
  return false
}

/** White space, with the spaces that do not break. */
export function isSpace(codePoint: number): boolean {
  if (codePoint < 0x80) return codePoint === 0x20 || (codePoint >= 9 && codePoint <= 13)
  const character = String.fromCodePoint(codePoint)
  return spaces.test(character) || noBreakSpaces.test(character)
}

/** The code point of the valid UTF-8 sequence of `length` bytes at `at`. */
export function codePointAt(bytes: Bytes, at: number, length = sequenceLength(bytes, at)): number {
  const first = bytes[at] as number
  if (length <= 1) return first
  let codePoint = first & (0xff >> (length + 1))
  for (let offset = 1; offset < length; offset += 1)
    codePoint = (codePoint << 6) | ((bytes[at + offset] as number) & 0x3f)
  return codePoint
}

/** The columns that text takes; what can't be printed takes none. */
export function textWidth(text: string): number {
  let width = 0
  for (const character of text) width += Math.max(0, charWidth(character.codePointAt(0) as number))
  return width
}
