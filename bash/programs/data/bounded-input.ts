/** Files read one after another, as `od` and `hexdump` see them. */

import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import { type ByteReader, concat } from '../../io/streams.js'

export interface BoundedInput {
  /** Up to `size` bytes; fewer only at the end. */
  read(size: number): Promise<Uint8Array>
  /** True when a file could not be read. */
  failed(): boolean
  /** The bytes that were skipped. */
  skipped(): Promise<number>
}

export function boundedInput(
  io: ProgramIo,
  names: readonly string[],
  { skip = 0, limit = Number.POSITIVE_INFINITY }: { skip?: number; limit?: number },
): BoundedInput {
  const waiting = names.length > 0 ? [...names] : ['-']
  let reader: ByteReader | undefined
  let failed = false
  let toSkip = skip
  let left = limit

  async function nextChunk(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (reader === undefined) {
        const name = waiting.shift()
        if (name === undefined) return undefined
        reader = await open(name)
        if (reader === undefined) continue
      }
      const chunk = await reader.read()
      if (chunk !== undefined) return chunk
      reader = undefined
    }
  }

  async function open(name: string): Promise<ByteReader | undefined> {
    try {
      return name === '-' ? io.stdin : await io.fs.openRead(name)
    } catch (error) {
      await io.error(`${name}: ${describeError(error)}`)
      failed = true
      return undefined
    }
  }

  async function skipAll(): Promise<void> {
    while (toSkip > 0) {
      const chunk = await nextChunk()
      if (chunk === undefined) return
      if (chunk.length > toSkip) reader?.unread(chunk.subarray(toSkip) as Uint8Array<ArrayBuffer>)
      toSkip -= Math.min(toSkip, chunk.length)
    }
  }

  return {
    async read(size) {
      await skipAll()
      const pieces: Uint8Array<ArrayBuffer>[] = []
      let wanted = Math.min(size, left)
      while (wanted > 0) {
        const chunk = (await nextChunk()) as Uint8Array<ArrayBuffer> | undefined
        if (chunk === undefined) break
        if (chunk.length > wanted) reader?.unread(chunk.subarray(wanted))
        const piece = chunk.subarray(0, wanted)
        pieces.push(piece)
        wanted -= piece.length
        left -= piece.length
      }
      return pieces.length === 0 ? new Uint8Array() : concat(pieces)
    },
    failed: () => failed,
    async skipped() {
      await skipAll()
      return skip - toSkip
    },
  }
}
