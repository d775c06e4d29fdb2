/**
 * Limits the nesting and the number of values of JSON, counted in its bytes as they arrive. A parsed value takes up to forty times the
 * memory of its JSON, and the time to parse and check it grows likewise, so the limits have to apply before parsing.
 */

export interface JsonBounds {
  /** Depth of nested objects and arrays. */
  maxDepth?: number
  /** Number of all values: objects, arrays, strings, numbers and so on. */
  maxValues?: number
}

export const defaultJsonBounds = { maxDepth: 64, maxValues: 50_000 }

export interface JsonScanner {
  /** Takes the next bytes. Returns which limit is exceeded, from the bytes on that exceed it. */
  push(bytes: Uint8Array): 'depth' | 'values' | undefined
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Beyond this length, searching for the end of a string is faster than looking at every byte. */
const shortBytes = 128

/** Where quotes are closer together, to look at every byte is faster. */
const closeBytes = 16

/** Finds the first quote at or after `from`, inside a string, that no backslash escapes; -1 for none. */
export type FindClosingQuote = (bytes: Uint8Array, from: number) => number

/** Counts at most one value too many for each empty object or array. Does not check the syntax; the parser does. */
export function jsonScanner(
  { maxDepth = defaultJsonBounds.maxDepth, maxValues = defaultJsonBounds.maxValues }: JsonBounds = {},
  find: FindClosingQuote = closingQuote,
): JsonScanner {
  const seen: Seen = { depth: 0, values: 1, isInString: false, escapedBytes: 0 }
  let exceeded: 'depth' | 'values' | undefined
  return {
    push(bytes) {
      if (exceeded !== undefined) return exceeded
      scan(bytes, seen, maxDepth, find)
      if (seen.depth > maxDepth) exceeded = 'depth'
      else if (seen.values > maxValues) exceeded = 'values'
      return exceeded
    },
  }
}

interface Seen {
  depth: number
  values: number
  isInString: boolean
  /** Bytes of the next chunk that belong to an escape sequence begun in this one. */
  escapedBytes: number
}

/** Shared by all scanners, so that it runs often enough to be compiled. */
function scan(bytes: Uint8Array, seen: Seen, maxDepth: number, find: FindClosingQuote): void {
  const { length } = bytes
  let { depth, values } = seen
  let at = seen.isInString ? endOfString(bytes, seen.escapedBytes, find) : 0
  while (at < length && depth <= maxDepth) {
    const byte = bytes[at]
    at += 1
    if (byte === quote) at = endOfString(bytes, at, find)
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

/** The index after the string's end. If it does not end here: the length plus 1, or plus 2 when the last byte begins an escape. */
function endOfString(bytes: Uint8Array, from: number, find: FindClosingQuote): number {
  const { length } = bytes
  const near = Math.min(from + shortBytes, length)
  let at = from
  for (; at < near; at += 1) {
    const byte = bytes[at]
    if (byte === quote) return at + 1
    if (byte === backslash) at += 1
  }
  if (at >= length) return at + 1
  const end = find(bytes, at)
  if (end !== -1) return end + 1
  return backslashesBefore(bytes, length, at) % 2 === 1 ? length + 2 : length + 1
}

export function closingQuote(bytes: Uint8Array, from: number): number {
  const { length } = bytes
  let at = from
  while (at < length) {
    // From one escaped quote to the next, as long as they are not too close together on average.
    for (let lead = closeBytes; lead >= 0; ) {
      const found = bytes.indexOf(quote, at)
      if (found === -1 || backslashesBefore(bytes, found, at) % 2 === 0) return found
      lead = Math.min(lead + found - at - closeBytes, 8 * closeBytes)
      at = found + 1
    }
    for (const near = Math.min(at + shortBytes, length); at < near; at += 1) {
      const byte = bytes[at]
      if (byte === quote) return at
      if (byte === backslash) at += 1
    }
  }
  return -1
}

/** How many backslashes are before `end`, one after the other, from `start` on. */
export function backslashesBefore(bytes: Uint8Array, end: number, start: number): number {
  let at = end
  while (at > start && bytes[at - 1] === backslash) at -= 1
  return end - at
}
