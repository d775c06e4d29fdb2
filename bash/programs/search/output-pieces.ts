/** Output that is collected without waiting, and written at once. Bytes that follow each other in memory become one piece. */
import type { Bytes } from '../../../src/fs/types.js'
import type { Output } from '../../io/program.js'

export interface OutputPieces {
  add(piece: string | Bytes): void
  flush(output: Output): Promise<void>
}

/** A piece takes memory beside its bytes, which are counted elsewhere. */
const pieceBytes = 100
const countedAtOnce = 1 << 12

export function outputPieces(account: (bytes: number) => void): OutputPieces {
  let pieces: Array<string | Bytes> = []
  let counted = 0

  return {
    add(piece) {
      if (piece.length === 0) return
      if (pieces.length >= counted + countedAtOnce) {
        account(pieceBytes * countedAtOnce)
        counted += countedAtOnce
      }
      const last = pieces.at(-1)
      if (typeof piece === 'string' || last === undefined || typeof last === 'string') pieces.push(piece)
      else if (last.buffer === piece.buffer && last.byteOffset + last.length === piece.byteOffset) {
        pieces[pieces.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + piece.length)
      } else pieces.push(piece)
    },
    async flush(output) {
      const list = pieces
      pieces = []
      if (counted > 0) account(-pieceBytes * counted)
      counted = 0
      for (const piece of list) {
        const waiting = output.write(piece)
        if (waiting !== undefined) await waiting
      }
    },
  }
}
