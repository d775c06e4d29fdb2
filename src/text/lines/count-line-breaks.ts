const lineFeeds = 0x0a0a0a0a
const carriageReturns = 0x0d0d0d0d
const low = 0x7f7f7f7f
const ones = 0x01010101

export interface BreakCount {
  lineFeeds: number
  hasReturns: boolean
}

/** Counts line feeds and checks for carriage returns, four bytes at a time. */
export function countBreaks(bytes: Uint8Array): BreakCount {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes.length >> 2 : 0
  const words = aligned === 0 ? new Int32Array(0) : new Int32Array(bytes.buffer, bytes.byteOffset, aligned)
  let feeds = 0
  let returns = 0
  for (let from = 0; from < aligned; from += 255) {
    const until = Math.min(aligned, from + 255)
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
  for (let i = aligned << 2; i < bytes.length; i += 1) {
    if (bytes[i] === 0x0a) feeds += 1
    else if (bytes[i] === 0x0d) returns = 1
  }
  return { lineFeeds: feeds, hasReturns: returns !== 0 }
}
