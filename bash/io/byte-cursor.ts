/** Reads exact numbers of bytes from a stream. */
import type { Bytes } from '../../src/fs/types.js'
import { type ByteReader, concat } from './streams.js'

export interface ByteCursor {
  /** Exactly `count` bytes, or fewer at the end. */
  take(count: number): Promise<Bytes>
  /** The next bytes, at most `count`; undefined at the end. */
  some(count: number): Promise<Bytes | undefined>
  skip(count: number): Promise<void>
}

export function byteCursor(reader: ByteReader): ByteCursor {
  async function some(count: number): Promise<Bytes | undefined> {
    const chunk = await reader.read()
    if (chunk === undefined || chunk.length <= count) return chunk
    reader.unread(chunk.subarray(count))
    return chunk.subarray(0, count)
  }

  async function take(count: number): Promise<Bytes> {
    const pieces: Bytes[] = []
    let missing = count
    while (missing > 0) {
      const piece = await some(missing)
      if (piece === undefined) break
      pieces.push(piece)
      missing -= piece.length
    }
    return pieces.length === 0 ? new Uint8Array() : concat(pieces)
  }

  return {
    some,
    take,
    async skip(count) {
      let missing = count
      while (missing > 0) {
        const piece = await some(missing)
        if (piece === undefined) return
        missing -= piece.length
      }
    },
  }
}
