/** Streams bytes through the platform's compressor, piece by piece. */
import type { Bytes, Pieces } from '../fs/types.js'

export function deflated(pieces: Pieces): AsyncGenerator<Bytes> {
  return through(new CompressionStream('deflate-raw'), pieces)
}

/** Fails with the platform's error for bytes in another format. */
export function inflated(format: 'gzip' | 'deflate-raw', pieces: Pieces): AsyncGenerator<Bytes> {
  return through(new DecompressionStream(format), pieces)
}

async function* through(
  { readable, writable }: CompressionStream | DecompressionStream,
  pieces: Pieces,
): AsyncGenerator<Bytes> {
  const reader = readable.getReader()
  const writer = writable.getWriter()
  let failed: { error: unknown } | undefined

  async function feed(): Promise<void> {
    const given = pieces()[Symbol.asyncIterator]()
    try {
      for (let next = await given.next(); !next.done; next = await given.next()) {
        // A failure of the compressor is reported to the reader, and ends the writing.
        const isTaken = await writer.write(next.value as Uint8Array<ArrayBuffer>).then(
          () => true,
          () => false,
        )
        if (!isTaken) break
      }
    } catch (error) {
      failed = { error }
    } finally {
      await given.return?.()
      await writer.close().catch(() => {})
    }
  }

  const feeding = feed()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } catch (error) {
    await feeding
    throw failed === undefined ? error : failed.error
  } finally {
    await reader.cancel().catch(() => {})
  }
  await feeding
  if (failed !== undefined) throw failed.error
}
