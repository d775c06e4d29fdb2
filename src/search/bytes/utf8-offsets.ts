/** Converts between offsets in UTF-8 and in the decoded text, invalid bytes included. */
import type { Bytes } from '../../fs/types.js'
import { decodeLine } from './byte-lines.js'

/** How many bytes the first `units` UTF-16 units from `start` on take. */
export function bytesBefore(bytes: Bytes, { start, end }: { start: number; end: number }, units: number): number {
  let unit = 0
  let at = start
  while (unit < units && at < end) {
    const length = characterLength(bytes, at, end)
    unit += length === 4 ? 2 : 1
    at += length
  }
  return at - start
}

const bytesPerPart = 1 << 14

/** How many UTF-16 units some bytes decode to. Decodes part by part, as a line may have megabytes. */
export function unitsOf(bytes: Bytes, start: number, end: number): number {
  let units = 0
  for (let from = start; from < end; ) {
    let until = Math.min(end, from + bytesPerPart)
    // Parts end before a byte that starts a character; there is one within four bytes in valid UTF-8.
    for (let back = 0; until < end && back < 4; back += 1) {
      if ((bytes[until - back]! & 0xc0) === 0x80) continue
      until -= back
      break
    }
    units += decodeLine(bytes, from, until).length
    from = until
  }
  return units
}

/** The start of the character that ends at `end`. */
export function characterBefore(bytes: Bytes, end: number): number {
  let at = end - 1
  for (let i = 0; i < 3 && at > 0 && (bytes[at]! & 0xc0) === 0x80; i += 1) at -= 1
  return at
}

/** The length in bytes of the character at `at`, or of the invalid bytes that are decoded as one U+FFFD. */
export function characterLength(bytes: Bytes, at: number, end: number): number {
  const lead = bytes[at]!
  const length = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1
  for (let i = 1; i < length; i += 1) {
    const byte = at + i < end ? bytes[at + i]! : 0
    const low = i > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
    const high = i > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
    if (byte < low || byte > high) return i
  }
  return length
}
