import { sha256InPieces, sha256Soon } from '../fs/digests/sha256.js'
import type { RunningHash } from '../fs/transactional-types.js'
import type { Bytes, FileSystem, Pieces, Stat } from '../fs/types.js'
import { toHex } from '../text/hex.js'

/** The file system's hash, if any, is as fast as Web Crypto, and blocks for some milliseconds at this size. */
const smallForFileSystem = 16 * 1024 * 1024

/** SHA-256 of content in hexadecimal, by the hash of the file system where it has one. */
export async function contentHash(bytes: Bytes, fs?: Pick<FileSystem, 'transactional'>): Promise<string> {
  const soon = contentHashSync(bytes, fs)
  if (soon !== undefined) return soon
  // The type is safe: bytes are never in shared memory.
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  return toHex(digest)
}

/** The same synchronously; undefined where Web Crypto is faster. */
export function contentHashSync(bytes: Bytes, fs?: Pick<FileSystem, 'transactional'>): string | undefined {
  const platform = fs?.transactional?.sha256
  if (platform !== undefined && bytes.length <= smallForFileSystem) return platform(bytes)
  return sha256Soon(bytes)
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

/** Hash and size of content that was read. */
export interface Hashed {
  hash: string
  size: number
}

/** Stands for the content of a file that is too large to read: its size and time. Never equal to a hash of content. */
export function unreadHash({ size = 0, modifiedMs }: Stat): string {
  return `unread ${size} ${modifiedMs ?? ''}`
}

export function isUnread(hash: string): boolean {
  return hash.startsWith('unread ')
}
