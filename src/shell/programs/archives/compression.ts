/** Byte streams through the platform's gzip. */
import { isFsError } from '../../../errors.js'
import type { Bytes } from '../../../fs/types.js'
import { BrokenPipe, type ByteReader } from '../../io/streams.js'
import { ProgramError } from '../program-error.js'

export function gzipped(reader: ByteReader): ByteReader {
  return through(new CompressionStream('gzip'), reader)
}

/** Fails with `message` when the input is in another format or damaged. */
export function gunzipped(reader: ByteReader, message: string): ByteReader {
  return through(new DecompressionStream('gzip'), reader, message)
}

function through(
  { readable, writable }: CompressionStream | DecompressionStream,
  input: ByteReader,
  message?: string,
): ByteReader {
  const output = readable.getReader()
  const writer = writable.getWriter()
  const back: Bytes[] = []
  let failed: unknown
  let isFed = false

  async function feed(): Promise<void> {
    try {
      for (let chunk = await input.read(); chunk !== undefined; chunk = await input.read()) {
        await writer.write(chunk as Uint8Array<ArrayBuffer>)
      }
      await writer.close()
    } catch (error) {
      // The compressor's own failure reaches the reader; one of the input is kept for it.
      if (isFsError(error) || error instanceof BrokenPipe) failed = error
      await writer.abort(error).catch(() => {})
    }
  }

  return {
    async read() {
      const given = back.shift()
      if (given !== undefined) return given
      if (!isFed) {
        isFed = true
        void feed()
      }
      try {
        const { done, value } = await output.read()
        return done ? undefined : value
      } catch (error) {
        if (failed !== undefined) throw failed
        throw message === undefined ? error : new ProgramError(message)
      }
    },
    unread(bytes) {
      if (bytes.length > 0) back.unshift(bytes)
    },
    close() {
      back.length = 0
      input.close()
      output.cancel().catch(() => {})
    },
  }
}

export function isGzip(start: Bytes): boolean {
  return start[0] === 0x1f && start[1] === 0x8b
}
