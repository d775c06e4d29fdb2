/** What the compression formats written here share. */
import type { Bytes } from '../../../src/fs/types.js'
import type { ProgramIo } from '../../io/program.js'
import type { ByteReader } from '../../io/streams.js'
import { ProgramError } from '../program-error.js'

/** How a program counts its memory and its work. */
export type Meter = Pick<ProgramIo, 'account' | 'step'>

/** Compressed data that can't be used, and why. */
export class BadData extends ProgramError {
  constructor(readonly reason: 'format' | 'damaged' | 'truncated' | 'trailing' | 'unsupported') {
    super(reason)
  }
}

/** A reader of pieces that are made on demand. */
export function readerOfPieces(pieces: AsyncGenerator<Bytes>, close: () => void): ByteReader {
  const back: Bytes[] = []
  return {
    async read() {
      const given = back.shift()
      if (given !== undefined) return given
      for (;;) {
        const { done, value } = await pieces.next()
        if (done) return undefined
        if (value.length > 0) return value
      }
    },
    unread(bytes) {
      if (bytes.length > 0) back.unshift(bytes)
    },
    close() {
      back.length = 0
      close()
    },
  }
}

/** Input that is looked at before it is consumed. */
export interface Lookahead {
  /** The bytes from `at` on are not consumed yet. */
  bytes: Bytes
  at: number
  /** Makes at least `count` bytes available, fewer only at the end; returns whether there are that many. */
  ensure(count: number): Promise<boolean>
}

export function lookahead(reader: ByteReader): Lookahead {
  let isEnded = false
  const input: Lookahead = {
    bytes: new Uint8Array(),
    at: 0,
    async ensure(count) {
      let available = input.bytes.length - input.at
      if (available >= count) return true
      const pieces = [input.bytes.subarray(input.at)]
      while (available < count && !isEnded) {
        const chunk = await reader.read()
        if (chunk === undefined) {
          isEnded = true
          break
        }
        pieces.push(chunk)
        available += chunk.length
      }
      const all = new Uint8Array(available)
      let at = 0
      for (const piece of pieces) {
        all.set(piece, at)
        at += piece.length
      }
      input.bytes = all
      input.at = 0
      return available >= count
    },
  }
  return input
}
