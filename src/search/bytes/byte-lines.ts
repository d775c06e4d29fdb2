/** The lines of a file, as bytes. */
import type { Bytes } from '../../fs/types.js'
import type { FindBytes } from './find-bytes.js'

/** The bytes of a line: without its end, and where the next one starts. */
export interface Line {
  start: number
  end: number
  next: number
}

/** The line that contains a byte. */
export function lineAround(bytes: Bytes, at: number, find?: FindBytes): Line {
  const before = find?.feedBefore?.(bytes, at) ?? (at === 0 ? -1 : bytes.lastIndexOf(0x0a, at - 1))
  return lineFrom(bytes, before + 1, { known: at, find })
}

/** The line that starts at `start`; there is no line end before `known`. */
export function lineFrom(
  bytes: Bytes,
  start: number,
  { known = start, find }: { known?: number; find?: FindBytes | undefined } = {},
): Line {
  const feed = find?.feedAfter?.(bytes, known) ?? bytes.indexOf(0x0a, known)
  if (feed < 0) return { start, end: bytes.length, next: bytes.length }
  return { start, end: feed > start && bytes[feed - 1] === 0x0d ? feed - 1 : feed, next: feed + 1 }
}

// The byte-order mark of the file was removed before; anywhere else it is a character.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

export function decodeLine(bytes: Bytes, start: number, end: number): string {
  return utf8.decode(bytes.subarray(start, end))
}
