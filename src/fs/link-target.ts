/**
 * Link targets are bytes on disk and text here. If the bytes are not UTF-8, each non-ASCII byte becomes one of U+DC80 to U+DCFF, which
 * well-formed text never contains: encoding restores the same bytes, also after a round trip through a journal.
 */
import type { Bytes } from './types.js'

const escapes = 0xdc00

export function decodeTarget(bytes: Bytes): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : escapes + byte)).join('')
  }
}

export function encodeTarget(target: string): Bytes {
  if (target.isWellFormed()) return new TextEncoder().encode(target)
  const parts = Array.from(target, (character) => {
    const unit = character.charCodeAt(0) - escapes
    return character.length === 1 && unit >= 0x80 && unit <= 0xff ? [unit] : [...new TextEncoder().encode(character)]
  })
  return Uint8Array.from(parts.flat())
}
