import type { Bytes, Stat } from '../fs/types.js'

/** What a file's content is known by: SHA-256 of its bytes, in hexadecimal. */
export async function contentHash(bytes: Bytes): Promise<string> {
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
