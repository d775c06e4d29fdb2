/** Objects that a call will write: held in memory, or read from a file later. */

import { FsError } from '../../errors.js'
import { createSha1 } from '../../fs/digests/sha1.js'
import { piecesOfFile } from '../../fs/pieces.js'
import type { Bytes, FileSystem, Pieces } from '../../fs/types.js'
import { toHex } from '../../text/hex.js'

export interface NewObject {
  oid: string
  type: 'blob' | 'tree' | 'commit' | 'tag'
  size: number
  pieces: Pieces
}

export function objectInMemory(oid: string, type: NewObject['type'], bytes: Bytes): NewObject {
  return {
    oid,
    type,
    size: bytes.length,
    async *pieces() {
      yield bytes
    },
  }
}

/** The content of a file, read when the object is written. Fails with `CONFLICT` when the file has changed by then. */
export function objectOfFile(oid: string, size: number, fs: FileSystem, path: string): NewObject {
  return {
    oid,
    type: 'blob',
    size,
    async *pieces() {
      const hash = createSha1()
      hash.update(new TextEncoder().encode(`blob ${size}\0`))
      for await (const piece of piecesOfFile(fs, path)()) {
        hash.update(piece)
        yield piece
      }
      if (toHex(hash.digest()) !== oid) throw new FsError('CONFLICT', { path })
    },
  }
}
