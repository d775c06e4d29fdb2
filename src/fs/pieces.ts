/** Reads content that is too large for memory in pieces, and joins pieces for callers that need all bytes. */
import { joinBytes } from '../text/join-bytes.js'
import { openFile } from './open.js'
import type { Bytes, FileSystem, Pieces } from './types.js'

/** Large enough to keep a disk busy, small enough that several take little memory. */
export const pieceBytes = 1024 * 1024

/** A file from its beginning to its end. */
export function piecesOfFile(fs: FileSystem, path: string): Pieces {
  return async function* () {
    const source = await openFile(fs, path)
    try {
      for (let start = 0; start < source.size; start += pieceBytes) {
        const piece = await source.read({ start, end: Math.min(source.size, start + pieceBytes) })
        yield piece
        // The file was truncated meanwhile.
        if (piece.length < Math.min(source.size - start, pieceBytes)) return
      }
    } finally {
      await source.close()
    }
  }
}

export async function gather(pieces: Pieces): Promise<Bytes> {
  const all: Bytes[] = []
  for await (const piece of pieces()) all.push(piece)
  return all.length === 1 ? (all[0] as Bytes) : joinBytes(all)
}
