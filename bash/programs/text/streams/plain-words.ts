/**
 * Counts words and lines where the text is plain: ASCII without control characters but white space. It looks at four bytes at a time, with
 * a bit for each: looking at each byte takes three times as long.
 */
import type { Bytes } from '../../../../src/fs/types.js'

export interface PlainCounts {
  /** Those that ended. */
  words: number
  lines: number
  /** Where the plain text ends, at most three bytes early. */
  until: number
  isInWord: boolean
}

const highBits = 0x80808080
const lowBits = 0x7f7f7f7f
const oneOfEach = 0x01010101
/** Each byte of a sum has room for so many. */
const mostAtOnce = 255
/** Where less of the text is plain, several times on end, it is not tried for a while: as in other languages than English. */
const worthwhile = 32
const mostMisses = 8
const pauseBytes = 512
const noUnits = new Uint32Array()

/** For places in these bytes that do not decrease; undefined where there is nothing to gain. */
export function plainCounter(bytes: Bytes): (from: number, isInWord: boolean) => PlainCounts | undefined {
  // Words of memory begin at multiples of four.
  const first = -bytes.byteOffset & 3
  const length = (bytes.length - first) >> 2
  const units = length > 0 ? new Uint32Array(bytes.buffer, bytes.byteOffset + first, length) : noUnits
  let misses = 0
  let nextTry = first

  return (from, isInWord) => {
    if (from < nextTry || ((from - first) & 3) !== 0) return undefined
    const start = (from - first) >> 2
    const counts = count(start, isInWord)
    misses = counts.until - from < worthwhile ? misses + 1 : 0
    if (misses > mostMisses) {
      misses = 0
      nextTry = from + pauseBytes
    }
    return counts
  }

  function count(start: number, isInWord: boolean): PlainCounts {
    let words = 0
    let lines = 0
    /** Whether the last of the four bytes before was in a word: the bit that goes before the first of these. */
    let before = isInWord ? 0x80 : 0
    let at = start
    for (let isPlain = true; isPlain && at < units.length; ) {
      const end = Math.min(units.length, at + mostAtOnce)
      let wordEnds = 0
      let feeds = 0
      for (; at < end; at += 1) {
        const unit = units[at] as number
        const isOther = unit | (unit + oneOfEach)
        // Below 128 no sum of a byte reaches the next one. A bit is set from 32, 9 and 14 on.
        const isControl = ~(unit + 0x60606060) & ~((unit + 0x77777777) & ~(unit + 0x72727272))
        if (((isOther | isControl) & highBits) !== 0) {
          isPlain = false
          break
        }
        const inWord = (unit + 0x5f5f5f5f) & highBits
        wordEnds += (((inWord << 8) | before) & ~inWord & highBits) >>> 7
        before = inWord >>> 24
        // A byte of it is 0 where there is a line feed, and then no bit of it is set before or after the sum.
        const feed = unit ^ 0x0a0a0a0a
        feeds += ~((feed + lowBits) | feed | lowBits) >>> 7
      }
      words += sumOf(wordEnds)
      lines += sumOf(feeds)
    }
    return { words, lines, until: first + 4 * at, isInWord: before !== 0 }
  }
}

/** The sum of the four bytes. */
function sumOf(four: number): number {
  return (four & 0xff) + ((four >>> 8) & 0xff) + ((four >>> 16) & 0xff) + (four >>> 24)
}
