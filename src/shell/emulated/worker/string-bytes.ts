/** Conversions for just-bash, which stores bytes in strings, one character per byte, and text as text. */
import type { Bytes } from '../../../fs/types.js'

/** Encodings in the file operations of just-bash. */
export type StringEncoding = 'utf8' | 'utf-8' | 'ascii' | 'binary' | 'base64' | 'hex' | 'latin1'

export function bytesOf(content: string | Bytes, encoding: StringEncoding = 'utf8'): Bytes {
  if (typeof content !== 'string') return content
  if (encoding === 'utf8' || encoding === 'utf-8') return new TextEncoder().encode(content)
  if (encoding === 'base64') return fromLatin1(atob(content))
  if (encoding === 'hex') return Uint8Array.from(content.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return fromLatin1(content)
}

export function textOf(bytes: Bytes, encoding: StringEncoding): string {
  if (encoding === 'utf8' || encoding === 'utf-8') return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  if (encoding === 'base64') return btoa(toLatin1(bytes))
  if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return toLatin1(bytes)
}

/** One character for each byte. */
export function toLatin1(bytes: Bytes): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 8192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)))
  return pieces.join('')
}

/** One byte for each character. */
export function fromLatin1(text: string): Bytes {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}
