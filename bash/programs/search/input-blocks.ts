/** A stream in blocks of whole lines. */
import type { Bytes } from '../../../src/fs/types.js'
import { type ByteReader, concat } from '../../io/streams.js'

/** As much as the original reads at once: zero bytes make a file binary from the block on that has one. */
export const blockBytes = 96 * 1024

export interface Block {
  /** Ends with the delimiter. */
  bytes: Bytes
  /** The delimiter was added because the last line of the input lacked it. */
  isCompleted: boolean
}

/** `rest` is what was read and not yet returned. */
export interface BlockReader {
  next(): Promise<Block | undefined>
  rest(): Bytes
}

export function blockReader(reader: ByteReader, delimiter: number, account: (bytes: number) => void): BlockReader {
  let chunk: Bytes | undefined
  let pending: Bytes[] = []
  /** Counted for a line that is longer than a block, until the next one is read. */
  let counted = 0

  async function nextPiece(): Promise<Bytes | undefined> {
    chunk ??= await reader.read()
    if (chunk === undefined) return undefined
    const piece = chunk.subarray(0, blockBytes)
    chunk = chunk.length > blockBytes ? chunk.subarray(blockBytes) : undefined
    return piece
  }

  return {
    async next() {
      if (counted > 0) account(-counted)
      counted = 0
      for (;;) {
        const piece = await nextPiece()
        if (piece === undefined) break
        const last = piece.lastIndexOf(delimiter)
        if (last < 0) {
          pending.push(piece)
          counted += piece.length
          account(piece.length)
          continue
        }
        const bytes = concat([...pending, piece.subarray(0, last + 1)])
        pending = last + 1 < piece.length ? [piece.subarray(last + 1)] : []
        return { bytes, isCompleted: false }
      }
      if (pending.length === 0) return undefined
      const bytes = concat([...pending, Uint8Array.of(delimiter)])
      pending = []
      return { bytes, isCompleted: true }
    },
    rest: () => concat([...pending, ...(chunk === undefined ? [] : [chunk])]),
  }
}
