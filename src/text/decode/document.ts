/** Lossless text: `encodeText(openText(bytes))` returns the same bytes, whatever they are. */
import { FsError } from '../../errors.js'
import { replaceSpans, type Span } from '../spans.js'
import { utf8Bytes } from '../utf8-bytes.js'
import { type Encoding, markLength, sniffEncoding } from './decode.js'

export interface TextDocument {
  /**
   * The text without its byte-order mark. In UTF-8, each invalid byte is represented by a lone low surrogate, U+DC80 to U+DCFF; in UTF-16,
   * lone surrogates stay as they are.
   */
  text: string
  encoding: Encoding
  bom: boolean
  /** The odd last byte of a UTF-16 file. */
  trailingByte?: number
}

/** Opens any bytes as text: UTF-16 by its byte-order mark, else UTF-8. Never fails, never loses a byte. */
export function openText(bytes: Uint8Array): TextDocument {
  return openAs(bytes, sniffEncoding(bytes))
}

/** Opens valid UTF-8, with or without a byte-order mark; undefined if it is not valid. */
export function openValidUtf8(bytes: Uint8Array, bom: boolean): TextDocument | undefined {
  const text = decodeValidUtf8(bytes.subarray(markLength({ encoding: 'utf-8', bom })))
  return text === undefined ? undefined : { text, encoding: 'utf-8', bom }
}

/** The same in a known encoding. */
export function openAs(bytes: Uint8Array, { encoding, bom }: { encoding: Encoding; bom: boolean }): TextDocument {
  const body = bytes.subarray(markLength({ encoding, bom }))
  if (encoding === 'utf-8') return { text: decodeUtf8(body), encoding, bom }

  const trailingByte = body.length % 2 === 1 ? body.at(-1) : undefined
  const text = decodeUtf16(body, encoding)
  return { text, encoding, bom, ...(trailingByte !== undefined && { trailingByte }) }
}

/** Encodes a document. Throws for text that is neither well-formed nor from `openText`, which is a bug of the caller. */
export function encodeText({ text, encoding, bom, trailingByte }: TextDocument): Uint8Array {
  if (encoding === 'utf-8') return encodeUtf8(bom ? `\ufeff${text}` : text)

  const marked = bom ? `\ufeff${text}` : text
  const high = encoding === 'utf-16be' ? 0 : 1
  const bytes = new Uint8Array(marked.length * 2 + (trailingByte === undefined ? 0 : 1))
  for (let index = 0; index < marked.length; index += 1) {
    const unit = marked.charCodeAt(index)
    bytes[index * 2 + high] = unit >> 8
    bytes[index * 2 + 1 - high] = unit & 0xff
  }
  if (trailingByte !== undefined) bytes[bytes.length - 1] = trailingByte
  return bytes
}

/** Encodes a document after spans of its text were replaced; `bytes` are those before. */
export function encodeReplaced(document: TextDocument, bytes: Uint8Array, spans: readonly Span[]): Uint8Array {
  const { text, encoding, bom } = document
  // If every unit is one byte, offsets are the same in text and bytes, and unchanged parts are copied.
  if (encoding !== 'utf-8' || bom || text.length !== bytes.length) {
    return encodeText({ ...document, text: replaceSpans(text, spans) })
  }
  const encoded = spans.map((span) => encodeUtf8(span.text))
  let { length } = bytes
  for (const [index, { start, end }] of spans.entries()) length += encoded[index]!.length - (end - start)
  const result = new Uint8Array(length)
  let [from, to] = [0, 0]
  for (const [index, { start, end }] of spans.entries()) {
    result.set(bytes.subarray(from, start), to)
    result.set(encoded[index]!, to + start - from)
    to += start - from + encoded[index]!.length
    from = end
  }
  result.set(bytes.subarray(from), to)
  return result
}

function decodeUtf8(bytes: Uint8Array): string {
  return decodeValidUtf8(bytes) ?? decodeInvalidUtf8(bytes)
}

function decodeValidUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return undefined
  }
}

function decodeInvalidUtf8(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length)
  let length = 0
  let at = 0
  while (at < bytes.length) {
    const lead = bytes[at]!
    const size = lead < 0x80 ? 1 : sequenceLength(bytes, at)
    if (size === 0) units[length++] = 0xdc00 + lead
    else if (size === 1) units[length++] = lead
    else if (size === 2) units[length++] = ((lead & 0x1f) << 6) | low(bytes, at + 1)
    else if (size === 3) units[length++] = ((lead & 0x0f) << 12) | (low(bytes, at + 1) << 6) | low(bytes, at + 2)
    else {
      const point = ((lead & 0x07) << 18) | (low(bytes, at + 1) << 12) | (low(bytes, at + 2) << 6) | low(bytes, at + 3)
      units[length++] = 0xd800 + ((point - 0x10000) >> 10)
      units[length++] = 0xdc00 + ((point - 0x10000) & 0x3ff)
    }
    at += size || 1
  }
  return fromUnits(units.subarray(0, length))
}

/** The length of the well-formed UTF-8 sequence beyond ASCII that starts here (Unicode, table 3-7); 0 for none. */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  if (lead < 0xc2 || lead > 0xf4) return 0
  const second = bytes[at + 1] ?? 0
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (second < least || second > most) return 0
  if (lead < 0xe0) return 2
  if (!continues(bytes[at + 2])) return 0
  if (lead < 0xf0) return 3
  return continues(bytes[at + 3]) ? 4 : 0
}

function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

function low(bytes: Uint8Array, at: number): number {
  return bytes[at]! & 0x3f
}

function encodeUtf8(text: string): Uint8Array {
  return text.isWellFormed() ? utf8Bytes(text) : encodeEscapedUtf8(text)
}

function encodeEscapedUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3)
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    const point = text.codePointAt(at)!
    if (point < 0x80) bytes[length++] = point
    else if (point >= 0xd800 && point <= 0xdfff) bytes[length++] = escapedByte(point)
    else {
      const following = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3
      bytes[length++] = [0, 0xc0, 0xe0, 0xf0][following]! | (point >> (6 * following))
      for (let left = following - 1; left >= 0; left -= 1) bytes[length++] = 0x80 | ((point >> (6 * left)) & 0x3f)
      if (following === 3) at += 1
    }
  }
  return bytes.slice(0, length)
}

/** The byte that a lone surrogate represents. */
function escapedByte(unit: number): number {
  const byte = unit - 0xdc00
  if (byte < 0x80 || byte > 0xff)
    throw new FsError('INTERNAL', {}, { cause: 'a lone surrogate that stands for no byte' })
  return byte
}

function decodeUtf16(bytes: Uint8Array, encoding: Encoding): string {
  const high = encoding === 'utf-16be' ? 0 : 1
  const units = new Uint16Array(bytes.length >> 1)
  for (let index = 0; index < units.length; index += 1) {
    units[index] = (bytes[index * 2 + high]! << 8) | bytes[index * 2 + 1 - high]!
  }
  return fromUnits(units)
}

/** `TextDecoder` would replace lone surrogates. In parts, as the number of arguments is limited. */
function fromUnits(units: Uint16Array): string {
  const pieces: string[] = []
  for (let at = 0; at < units.length; at += 8192) {
    pieces.push(Reflect.apply(String.fromCharCode, null, units.subarray(at, at + 8192)))
  }
  return pieces.join('')
}
