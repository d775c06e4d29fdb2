/** Content that is too large to hold in memory: where it comes from, and what it is gathered into where that can't be helped. */
import { joinBytes } from '../text/join-bytes.js'
import { openFile } from './open.js'
import type { Bytes, FileSystem, Pieces } from './types.js'

/** Large enough that a disk is busy with it for a while, small enough that some of them are little memory. */
export const pieceBytes = 1024 * 1024

/** A file from its beginning to its end. */
export function piecesOfFile(fs: FileSystem, path: string): Pieces {
  return async function* () {
    const source = await openFile(fs, path)
    try {
      for (let start = 0; start < source.size; start += pieceBytes) {
        const piece = await source.read({ start, end: Math.min(source.size, start + pieceBytes) })
        yield piece
        // It has become shorter.
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
