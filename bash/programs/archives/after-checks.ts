/** Gives out what a decompressor makes only when it has compared its checks, which follow the bytes. */
import type { Bytes } from '../../../src/fs/types.js'
import type { ByteReader } from '../../io/streams.js'
import { type Meter, readerOfPieces } from './codec.js'

/** Up to this size bytes are held. What is larger is decompressed twice, if its input can be read again, and given out as it comes if not. */
export const heldBytes = 16 * 1024 * 1024

/** `again` decompresses the same input from its beginning. */
export function afterChecks(
  decompressed: ByteReader,
  { account, step }: Meter,
  again?: () => ByteReader | Promise<ByteReader>,
): ByteReader {
  async function checkWhole(): Promise<void> {
    const reader = await again?.()
    try {
      while ((await reader?.read()) !== undefined) step()
    } finally {
      reader?.close()
    }
  }

  async function* pieces(): AsyncGenerator<Bytes> {
    const held: Bytes[] = []
    let bytes = 0
    for (let chunk = await decompressed.read(); chunk !== undefined; chunk = await decompressed.read()) {
      held.push(chunk)
      account(chunk.length)
      bytes += chunk.length
      if (bytes <= heldBytes) continue
      await checkWhole()
      break
    }
    for (const chunk of held) {
      account(-chunk.length)
      yield chunk
    }
    for (let chunk = await decompressed.read(); chunk !== undefined; chunk = await decompressed.read()) yield chunk
  }

  return readerOfPieces(pieces(), decompressed.close)
}
