/**
 * Windows-1252 as browsers read it: every byte is one character, and each of these characters is one byte again. The five bytes without a
 * character of their own are the control characters of the same number.
 */

/** The characters of the bytes 0x80 to 0x9F; all other bytes are the character of the same number. */
const upperControls =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

const unitOfByte = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? upperControls.charCodeAt(byte - 0x80) : byte,
)

const byteOfUnit = new Map(Array.from(unitOfByte, (unit, byte) => [unit, byte] as const))

/** The UTF-16 unit of a byte's character. */
export function windows1252Unit(byte: number): number {
  return unitOfByte[byte] as number
}

const decoder = new TextDecoder()
const bytesAtOnce = 1 << 15
const encoded = new Uint8Array(3 * bytesAtOnce)

/** By way of UTF-8, of which the platform makes a string ten times as fast as of single characters. */
export function decodeWindows1252(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += bytesAtOnce) {
    const length = intoUtf8(bytes.subarray(at, at + bytesAtOnce), encoded)
    pieces.push(decoder.decode(encoded.subarray(0, length)))
  }
  return pieces.join('')
}

/** The same text in UTF-8. */
export function windows1252AsUtf8(bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(3 * bytes.length)
  return result.slice(0, intoUtf8(bytes, result))
}

/** Fills `encoded`, and returns how much of it. */
function intoUtf8(bytes: Uint8Array, encoded: Uint8Array): number {
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const unit = unitOfByte[bytes[at]!]!
    if (unit < 0x80) encoded[length++] = unit
    else {
      if (unit < 0x800) encoded[length++] = 0xc0 | (unit >> 6)
      else {
        encoded[length++] = 0xe0 | (unit >> 12)
        encoded[length++] = 0x80 | ((unit >> 6) & 0x3f)
      }
      encoded[length++] = 0x80 | (unit & 0x3f)
    }
  }
  return length
}

/** The bytes of a text, or the first character that has none. */
export function encodeWindows1252(text: string): Uint8Array | { unencodable: string } {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    const byte = unit < 0x80 ? unit : byteOfUnit.get(unit)
    if (byte === undefined) return { unencodable: String.fromCodePoint(text.codePointAt(at) as number) }
    bytes[at] = byte
  }
  return bytes
}
