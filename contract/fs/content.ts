/** Bytes from their written form, and back into something short enough for a message. */
import type { Bytes } from '../../src/fs/types.js'
import type { Content, OneOf } from './types.js'

export function toBytes(content: Content): Uint8Array<ArrayBuffer> {
  if (typeof content === 'string') return new TextEncoder().encode(content)
  if ('bytes' in content) return Uint8Array.from(content.bytes)
  return repeated(content)
}

/** True when the bytes are the content, or one of the contents. */
export function isContent(bytes: Bytes, expected: Content | OneOf): boolean {
  if (isOneOf(expected)) return expected.oneOf.some((content) => isContent(bytes, content))
  return isSame(bytes, toBytes(expected))
}

/** Compares eight bytes at a time where both arrays are aligned, because large files are compared on every backend. */
function isSame(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false
  const words = a.byteOffset % 8 === 0 && b.byteOffset % 8 === 0 ? a.length >> 3 : 0
  const wordsOfA = new BigInt64Array(a.buffer, words && a.byteOffset, words)
  const wordsOfB = new BigInt64Array(b.buffer, words && b.byteOffset, words)
  for (let at = 0; at < words; at++) if (wordsOfA[at] !== wordsOfB[at]) return false
  for (let at = 8 * words; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

export function isOneOf(value: unknown): value is OneOf {
  return typeof value === 'object' && value !== null && 'oneOf' in value
}

export function describeContent(content: Content | OneOf): string {
  if (isOneOf(content)) return `one of ${content.oneOf.map(describeContent).join(', ')}`
  return describeBytes(toBytes(content))
}

/** A short text as it is; of anything else the length and the first bytes. */
export function describeBytes(bytes: Bytes): string {
  const head = bytes.subarray(0, 80)
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(head)
  const shown = text.includes('\uFFFD') ? `<${Array.from(head, hex).join(' ')}>` : JSON.stringify(text)
  return bytes.length > head.length ? `${bytes.length} bytes beginning ${shown}` : shown
}

function repeated({
  repeat,
  size,
  from = 0,
}: {
  repeat: string
  size: number
  from?: number
}): Uint8Array<ArrayBuffer> {
  const pattern = new TextEncoder().encode(repeat)
  const bytes = new Uint8Array(size)
  const first = Math.min(size, pattern.length)
  for (let index = 0; index < first; index++) bytes[index] = pattern[(from + index) % pattern.length] ?? 0
  for (let filled = first; filled < size; filled *= 2) bytes.copyWithin(filled, 0, Math.min(filled, size - filled))
  return bytes
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}
