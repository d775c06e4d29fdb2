/** Output that is collected without waiting, and written at once. Bytes that follow each other in memory become one piece. */
import type { Bytes } from '../../../fs/types.js'
import type { Output } from '../program.js'

export interface OutputPieces {
  add(piece: string | Bytes): void
  flush(output: Output): Promise<void>
}

export function outputPieces(): OutputPieces {
  let pieces: Array<string | Bytes> = []

  return {
    add(piece) {
      if (piece.length === 0) return
      const last = pieces.at(-1)
      if (typeof piece === 'string' || last === undefined || typeof last === 'string') pieces.push(piece)
      else if (last.buffer === piece.buffer && last.byteOffset + last.length === piece.byteOffset) {
        pieces[pieces.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + piece.length)
      } else pieces.push(piece)
    },
    async flush(output) {
      const list = pieces
      pieces = []
      for (const piece of list) {
        const waiting = output.write(piece)
        if (waiting !== undefined) await waiting
      }
    },
  }
}
