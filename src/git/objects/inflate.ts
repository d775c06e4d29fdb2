/**
 * Decompresses packed and loose objects. Small ones are inflated synchronously: the platform's stream takes ten times
 * as long for one commit, and a history has thousands. Large ones go through the platform's stream.
 */
import type { Bytes } from '../../fs/types.js'
import { type Inflated, inflateRaw } from '../../text/inflate-raw.js'

/**
 * Inflates the start of a zlib stream into at most `size` bytes; `ends` says whether the stream ended there. Undefined
 * for an invalid or truncated stream.
 */
export function inflateSync(bytes: Bytes, size: number): Inflated | undefined {
  if (bytes.length < 2 || ((bytes[0] as number) & 15) !== 8 || ((bytes[1] as number) & 32) !== 0) return undefined
  if ((((bytes[0] as number) << 8) | (bytes[1] as number)) % 31 !== 0) return undefined
  return inflateRaw(bytes, 2, size)
}

/**
 * Inflates a large stream in chunks; `source` must end where the compressed bytes end. Fails like the platform for
 * invalid data.
 */
export async function* inflatePieces(source: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
  const { readable, writable } = new DecompressionStream('deflate')
  const writer = writable.getWriter()
  const reader = readable.getReader()
  let failure: { error: unknown } | undefined
  const feeding = (async () => {
    try {
      for await (const piece of source) await writer.write(piece as Uint8Array<ArrayBuffer>)
      await writer.close()
    } catch (error) {
      failure = { error }
      await writer.abort(error).catch(() => {})
    }
  })()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value
  } catch (error) {
    throw failure?.error ?? error
  } finally {
    // Also when the consumer stops early, so that the producer does not wait forever.
    await reader.cancel().catch(() => {})
    await feeding
  }
}
