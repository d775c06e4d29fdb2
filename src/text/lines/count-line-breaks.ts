const lineFeeds = 0x0a0a0a0a
const carriageReturns = 0x0d0d0d0d
const low = 0x7f7f7f7f
const ones = 0x01010101

const noWords = new Int32Array(0)

export interface BreakCount {
  lineFeeds: number
  hasReturns: boolean
}

/** The line feeds between two offsets. */
export function countLineFeeds(bytes: Uint8Array, from: number, until: number): number {
  return countBreaks(bytes.subarray(from, until)).lineFeeds
}

/** Counts line feeds and checks for carriage returns, four bytes at a time. */
export function countBreaks(bytes: Uint8Array): BreakCount {
  const firstWord = Math.min(bytes.length, -bytes.byteOffset & 3)
  const wordCount = (bytes.length - firstWord) >> 2
  const words = wordCount === 0 ? noWords : new Int32Array(bytes.buffer, bytes.byteOffset + firstWord, wordCount)
  const edges = [countOneByOne(bytes, 0, firstWord), countOneByOne(bytes, firstWord + 4 * wordCount, bytes.length)]
  let feeds = 0
  let returns = 0
  for (let from = 0; from < wordCount; from += 255) {
    const until = Math.min(wordCount, from + 255)
    // Counters of one byte each, which hold up to 255.
    let perByte = 0
    for (let i = from; i < until; i += 1) {
      const word = words[i]!
      const feed = word ^ lineFeeds
      perByte = (perByte + ((~(((feed & low) + low) | feed | low) >>> 7) & ones)) | 0
      const back = word ^ carriageReturns
      returns |= ~(((back & low) + low) | back | low)
    }
    feeds += (perByte & 0xff) + ((perByte >>> 8) & 0xff) + ((perByte >>> 16) & 0xff) + (perByte >>> 24)
  }
  return {
    lineFeeds: edges.reduce((sum, edge) => sum + edge.lineFeeds, feeds),
    hasReturns: returns !== 0 || edges.some(({ hasReturns }) => hasReturns),
  }
}

function countOneByOne(bytes: Uint8Array, from: number, until: number): BreakCount {
  let feeds = 0
  let hasReturns = false
  for (let at = from; at < until; at += 1) {
    if (bytes[at] === 0x0a) feeds += 1
    else if (bytes[at] === 0x0d) hasReturns = true
  }
  return { lineFeeds: feeds, hasReturns }
}
