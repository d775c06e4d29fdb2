/** Byte streams through the platform's gzip. */
import { isFsError } from '../../../errors.js'
import type { Bytes } from '../../../fs/types.js'
import { storedGzip } from '../../../text/stored-deflate.js'
import { BrokenPipe, type ByteReader, readAll } from '../../io/streams.js'
import type { ProgramIo } from '../program.js'
import { ProgramError } from '../program-error.js'
import { type Meter, readerOfPieces } from './codec.js'
import { gunzipMembers } from './gunzip-members.js'

/** Where runs can be repeated, nothing is compressed: every platform gives other bytes. */
export function gzipped(reader: ByteReader, { clock }: Pick<ProgramIo, 'clock'>): ByteReader {
  if (!clock.isVirtual) return through(new CompressionStream('gzip'), reader)
  return readerOfPieces(storedGzip(chunksOf(reader)), () => reader.close())
}

/** Fails with `message` when the input is in another format or damaged. */
export function gunzipped(reader: ByteReader, message: string, io: Pick<ProgramIo, 'clock'> & Meter): ByteReader {
  if (!io.clock.isVirtual) return through(new DecompressionStream('gzip'), reader, message)
  return readerOfPieces(gunzippedAtOnce(reader, message, io), () => reader.close())
}

async function* chunksOf(reader: ByteReader): AsyncGenerator<Bytes> {
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) yield chunk
}

const pieceBytes = 64 * 1024

/** Where runs can be repeated: when and in which pieces the platform does it can't be. */
async function* gunzippedAtOnce(reader: ByteReader, message: string, meter: Meter): AsyncGenerator<Bytes> {
  const packed = await readAll(reader)
  meter.account(packed.length)
  const members = gunzipMembers(packed, meter)
  let next = members.next()
  for (; !next.done; next = members.next()) {
    for (let at = 0; at < next.value.length; at += pieceBytes) yield next.value.subarray(at, at + pieceBytes)
  }
  meter.account(-packed.length)
  if (!next.value) throw new ProgramError(message)
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
