/**
 * Shell text: strings that can hold any bytes. Valid UTF-8 is decoded; every other byte becomes one lone surrogate,
 * U+DC80 to U+DCFF, and is encoded as that byte again. So text passes through variables and programs unharmed.
 */
import { joinBytes } from './join-bytes.js'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()
const firstEscaped = 0xdc80
const lastEscaped = 0xdcff
const escaped = /[\udc80-\udcff]/u

export function decodeText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    return decodeMixed(bytes)
  }
}

export function encodeText(text: string): Uint8Array {
  if (!escaped.test(text)) return encoder.encode(text)
  const pieces = text
    .split(/([\udc80-\udcff]+)/u)
    .map((piece) =>
      escaped.test(piece)
        ? Uint8Array.from(piece, (unit) => unit.charCodeAt(0) - firstEscaped + 0x80)
        : encoder.encode(piece),
    )
  return joinBytes(pieces)
}

/** Text whose bytes came one by one, and may be characters together. */
export function joinedText(text: string): string {
  return text.isWellFormed() ? text : decodeText(encodeText(text))
}

/** True for a character that stands for a byte which is not UTF-8. */
export function isEscapedByte(character: string): boolean {
  const unit = character.charCodeAt(0)
  return unit >= firstEscaped && unit <= lastEscaped
}

function decodeMixed(bytes: Uint8Array): string {
  const pieces: string[] = []
  let valid = 0
  let at = 0
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    if (at > valid) pieces.push(strict.decode(bytes.subarray(valid, at)))
    pieces.push(String.fromCharCode(firstEscaped - 0x80 + (bytes[at] as number)))
    at += 1
    valid = at
  }
  if (at > valid) pieces.push(strict.decode(bytes.subarray(valid, at)))
  return pieces.join('')
}

/** The length of the valid UTF-8 sequence at `at`, or 0. */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  if (at + length > bytes.length) return 0
  const second = bytes[at + 1] as number
  if (second < 0x80 || second > 0xbf) return 0
  if (first === 0xe0 && second < 0xa0) return 0
  if (first === 0xed && second > 0x9f) return 0
  if (first === 0xf0 && second < 0x90) return 0
  if (first === 0xf4 && second > 0x8f) return 0
  for (let offset = 2; offset < length; offset += 1) {
    const next = bytes[at + offset] as number
    if (next < 0x80 || next > 0xbf) return 0
  }
  return length
}
