import type { RunningHash } from '../fs/transactional-types.js'
import type { Bytes, FileSystem, Pieces, Stat } from '../fs/types.js'
import { sha256, sha256InPieces } from './sha256.js'

/** Up to here waiting for the platform, which copies what it is given, costs more than it saves; the file system's own way is as fast. */
const smallBytes = 16_384
const smallForFileSystem = 16 * 1024 * 1024

/** What a file's content is known by: SHA-256 of its bytes, in hexadecimal. A file system may know a quicker way to it. */
export async function contentHash(bytes: Bytes, fs?: Pick<FileSystem, 'transactional'>): Promise<string> {
  const soon = contentHashNow(bytes, fs)
  if (soon !== undefined) return soon
  // Never memory that is shared between threads.
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The same without waiting; undefined where that takes longer than waiting does. */
export function contentHashNow(bytes: Bytes, fs?: Pick<FileSystem, 'transactional'>): string | undefined {
  const platform = fs?.transactional?.sha256
  if (platform !== undefined && bytes.length <= smallForFileSystem) return platform(bytes)
  return bytes.length <= smallBytes ? sha256(bytes) : undefined
}

/** The same of content that comes in pieces. */
export function hashInPieces(fs?: Pick<FileSystem, 'transactional'>): RunningHash {
  return fs?.transactional?.sha256InPieces?.() ?? sha256InPieces()
}

export async function hashOfPieces(pieces: Pieces, fs?: Pick<FileSystem, 'transactional'>): Promise<Hashed> {
  const running = hashInPieces(fs)
  let size = 0
  for await (const piece of pieces()) {
    running.add(piece)
    size += piece.length
  }
  return { hash: running.end(), size }
}

/** What content turned out to be. */
export interface Hashed {
  hash: string
  size: number
}

/** What a file is known by that is too large to be read: its size and its time. Never the same as a hash of content. */
export function unreadHash({ size = 0, modifiedMs }: Stat): string {
  return `unread ${size} ${modifiedMs ?? ''}`
}

export function isUnread(hash: string): boolean {
  return hash.startsWith('unread ')
}
