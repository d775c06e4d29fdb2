import type { Bytes, Stat } from '../fs/types.js'
import { sha256 } from './sha256.js'

/** Up to here waiting for the platform costs more than it saves. */
const smallBytes = 16_384

/** What a file's content is known by: SHA-256 of its bytes, in hexadecimal. */
export async function contentHash(bytes: Bytes): Promise<string> {
  if (bytes.length <= smallBytes) return sha256(bytes)
  // Never memory that is shared between threads.
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What a file is known by that is too large to be read: its size and its time. Never the same as a hash of content. */
export function unreadHash({ size = 0, modifiedMs }: Stat): string {
  return `unread ${size} ${modifiedMs ?? ''}`
}

export function isUnread(hash: string): boolean {
  return hash.startsWith('unread ')
}
