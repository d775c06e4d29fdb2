/** Compresses what is written to a repository. */
import type { Bytes } from '../../fs/types.js'

/** Compresses all chunks as one stream. */
export async function* deflatePieces(pieces: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
  const { readable, writable } = new CompressionStream('deflate')
  const writer = writable.getWriter()
  const reader = readable.getReader()
  let failure: { error: unknown } | undefined
  let isWanted = true
  const feeding = (async () => {
    try {
      for await (const piece of pieces) {
        if (!isWanted) return
        await writer.write(piece as Uint8Array<ArrayBuffer>)
      }
    } catch (error) {
      failure = { error }
    }
    await writer.close().catch(() => {})
  })()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value
    if (failure !== undefined) throw failure.error
  } finally {
    isWanted = false
    await reader.cancel().catch(() => {})
    await feeding
  }
}
