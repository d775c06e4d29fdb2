/**
 * What links say is bytes to a file system, and text here. Where the bytes are not UTF-8, those that are not ASCII stand as U+DC80 to U+DCFF,
 * which no well-formed text has: the bytes come back as they were, also through a journal.
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
