/**
 * How much a message may hold, found out from its bytes as they come. A parsed value takes up to forty times the room of the bytes that
 * say it, and the time to make and check it grows likewise, so that what is too much has to be known before.
 */

export interface MessageBounds {
  /** Objects and arrays inside each other. */
  maxDepth?: number
  /** Objects, arrays, texts, numbers and so on, all together. */
  maxValues?: number
}

export interface MessageScanner {
  /** Takes the next bytes; says why the message is refused, as soon as that is known and from then on. */
  push(bytes: Uint8Array): string | undefined
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Strings beyond this length are searched for their end by the platform, which is quicker only there. */
const shortBytes = 128

/** Counts at most one value too many for each empty object or array. What is no JSON is found out by whoever parses it. */
export function messageScanner({ maxDepth = 64, maxValues = 50_000 }: MessageBounds = {}): MessageScanner {
  const seen: Seen = { depth: 0, values: 1, isInString: false, escapedBytes: 0 }
  let refused: string | undefined
  return {
    push(bytes) {
      if (refused !== undefined) return refused
      scan(bytes, seen, maxDepth)
      if (seen.depth > maxDepth) refused = `Message nested deeper than ${maxDepth} levels: send flatter arguments`
      else if (seen.values > maxValues) {
        refused = `Message with more than ${maxValues} values: split it into several requests`
      }
      return refused
    },
  }
}

interface Seen {
  depth: number
  values: number
  isInString: boolean
  /** Bytes of the next part that belong to an escape which this one began. */
  escapedBytes: number
}

/** One function for all scanners, or it would hardly ever be compiled. */
function scan(bytes: Uint8Array, seen: Seen, maxDepth: number): void {
  const { length } = bytes
  let { depth, values } = seen
  let at = seen.isInString ? endOfString(bytes, seen.escapedBytes) : 0
  while (at < length && depth <= maxDepth) {
    const byte = bytes[at]
    at += 1
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === comma) values += 1
    else if (byte === openBrace || byte === openBracket) {
      values += 1
      depth += 1
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1
  }
  seen.depth = depth
  seen.values = values
  seen.isInString = at > length
  seen.escapedBytes = at > length ? at - length - 1 : 0
}

/** Where to go on behind the string; when it does not end here, one more than the length, and one more again when the last byte begins an escape. */
function endOfString(bytes: Uint8Array, from: number): number {
  const { length } = bytes
  let at = from
  for (;;) {
    for (const near = Math.min(at + shortBytes, length); at < near; at += 1) {
      const byte = bytes[at]
      if (byte === quote) return at + 1
      if (byte === backslash) at += 1
    }
    if (at >= length) return at + 1
    const found = bytes.indexOf(quote, at)
    const end = found === -1 ? length : found
    const isEscaped = backslashesBefore(bytes, end, at) % 2 === 1
    if (found === -1) return isEscaped ? length + 2 : length + 1
    at = end + 1
    if (!isEscaped) return at
  }
}

function backslashesBefore(bytes: Uint8Array, end: number, start: number): number {
  let at = end
  while (at > start && bytes[at - 1] === backslash) at -= 1
  return end - at
}
