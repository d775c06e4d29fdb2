/** Recognises binary files by their first bytes, and turns them into typed content. */
import { encodePath } from '../../fs/path.js'
import { encodeBytes } from '../../text/decode/byte-encodings.js'
import type { Content } from '../../tools/dialect.js'
import { bytesPerToken } from './paging/token-budget.js'

const signatures: ReadonlyArray<[mimeType: string, at: number, bytes: readonly number[]]> = [
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', 8, [0x57, 0x45, 0x42, 0x50]],
  ['audio/wav', 8, [0x57, 0x41, 0x56, 0x45]],
  ['audio/mpeg', 0, [0x49, 0x44, 0x33]],
  ['audio/ogg', 0, [0x4f, 0x67, 0x67, 0x53]],
  ['application/pdf', 0, [0x25, 0x50, 0x44, 0x46]],
  ['application/zip', 0, [0x50, 0x4b, 0x03, 0x04]],
  ['application/gzip', 0, [0x1f, 0x8b]],
  ['application/wasm', 0, [0x00, 0x61, 0x73, 0x6d]],
]

export function mimeTypeOf(bytes: Uint8Array): string {
  const found = signatures.find(([, at, wanted]) => wanted.every((byte, index) => bytes[at + index] === byte))
  return found?.[0] ?? 'application/octet-stream'
}

/** Models refuse larger images. */
const maxImageBytes = 5_000_000

/** What budgets count for an image. */
const imageBytes = 1700 * bytesPerToken

/** A binary file as typed content; undefined when it does not fit. */
export function mediaOf(path: string, bytes: Uint8Array, room: number): Content | undefined {
  const mimeType = mimeTypeOf(bytes)
  if (mimeType.startsWith('image/')) {
    if (bytes.length > maxImageBytes || room < imageBytes) return undefined
    return { type: 'image', data: encodeBytes(bytes, 'base64'), mimeType }
  }
  // Base64 takes 4/3 of the size; at least half of the room stays free for the rest.
  if (bytes.length * 2.8 > room) return undefined
  const data = encodeBytes(bytes, 'base64')
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType }
  return { type: 'resource', resource: { uri: fileUri(path), mimeType, blob: data } }
}

/** The URI of a file as a resource. */
export function fileUri(path: string): string {
  return `polyfs://${encodePath(path)}`
}
