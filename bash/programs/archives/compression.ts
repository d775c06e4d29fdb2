/** Byte streams through the platform's gzip. */
import { isFsError } from '../../../src/errors.js'
import type { Bytes } from '../../../src/fs/types.js'
import { joinBytes } from '../../../src/text/join-bytes.js'
import { storedGzip } from '../../../src/text/stored-deflate.js'
import type { ProgramIo } from '../../io/program.js'
import { BrokenPipe, type ByteReader, readAll } from '../../io/streams.js'
import { ProgramError } from '../program-error.js'
import { afterChecks } from './after-checks.js'
import { type Meter, readerOfPieces } from './codec.js'
import { gunzipMembers } from './gunzip-members.js'

/** Where runs can be repeated, nothing is compressed: every platform gives other bytes. */
export function gzipped(reader: ByteReader, { clock }: Pick<ProgramIo, 'clock'>): ByteReader {
  if (!clock.isVirtual) return through(new CompressionStream('gzip'), reader)
  return readerOfPieces(storedGzip(chunksOf(reader)), () => reader.close())
}

/**
 * Fails with `message` when the input is in another format or damaged. With `checked` nothing is given out of a member before it has been
 * compared with its checksum, as `afterChecks` does it.
 */
export function gunzipped(
  reader: ByteReader,
  message: string,
  io: Pick<ProgramIo, 'clock'> & Meter,
  checked?: Checked,
): ByteReader {
  const pieces = io.clock.isVirtual
    ? gunzippedAtOnce(reader, message, io)
    : gunzippedByPlatform(reader, message, io, checked)
  return readerOfPieces(pieces, () => reader.close())
}

/** `again` opens the compressed input once more, where that is possible. */
export interface Checked {
  again: (() => Promise<ByteReader>) | undefined
}

/** Input of several members is held up to this size where the platform takes only one. */
const maxHeldBytes = 64 << 20

/** Browsers take one member only: there, our own code goes on where the platform fails. */
async function* gunzippedByPlatform(
  reader: ByteReader,
  message: string,
  meter: Meter,
  checked: Checked | undefined,
): AsyncGenerator<Bytes> {
  const held = checked === undefined && (await takesMembers()) ? undefined : heldInput(reader, meter)
  const output = through(new DecompressionStream('gzip'), held?.reader ?? reader, message)
  const again = checked?.again
  const second = again && (async () => through(new DecompressionStream('gzip'), await again(), message))
  let given = 0
  try {
    for await (const piece of chunksOf(checked === undefined ? output : afterChecks(output, meter, second))) {
      given += piece.length
      yield piece
    }
    held?.drop()
    return
  } catch (error) {
    if (held === undefined || !(error instanceof ProgramError)) throw error
  }
  await output.fed()
  yield* gunzippedAfter(given, await held.whole(), message, meter)
  held.drop()
}

/** The content of all members without its first bytes. */
async function* gunzippedAfter(
  given: number,
  packed: Bytes | undefined,
  message: string,
  meter: Meter,
): AsyncGenerator<Bytes> {
  if (packed === undefined) throw new ProgramError(message)
  let skipped = 0
  const members = gunzipMembers(packed, meter)
  let next = members.next()
  for (; !next.done; next = members.next()) {
    const first = Math.min(next.value.length, given - skipped)
    skipped += first
    for (let at = first; at < next.value.length; at += pieceBytes) yield next.value.subarray(at, at + pieceBytes)
  }
  if (!next.value) throw new ProgramError(message)
}

let whetherMembers: Promise<boolean> | undefined

/** Whether the platform decompresses several members in a row; tried once. */
function takesMembers(): Promise<boolean> {
  whetherMembers ??= (async () => {
    const { readable, writable } = new DecompressionStream('gzip')
    const writer = writable.getWriter()
    const fed = writer.write(new Uint8Array([...emptyMember, ...emptyMember])).then(() => writer.close())
    const [, read] = await Promise.allSettled([fed, readable.getReader().read()])
    return read.status === 'fulfilled'
  })()
  return whetherMembers
}

const emptyMember = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]

/** A reader that holds what was read from it, as long as that is not too much. */
function heldInput(reader: ByteReader, { account }: Meter) {
  let chunks: Bytes[] | undefined = []
  let bytes = 0
  function drop(): void {
    account(-bytes)
    bytes = 0
    chunks = undefined
  }
  async function read(): Promise<Bytes | undefined> {
    const chunk = await reader.read()
    if (chunk === undefined || chunks === undefined) return chunk
    account(chunk.length)
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes > maxHeldBytes) drop()
    return chunk
  }
  return {
    reader: { ...reader, read },
    drop,
    /** All of the input; undefined if it is too large. */
    async whole(): Promise<Bytes | undefined> {
      while ((await read()) !== undefined);
      return chunks && joinBytes(chunks)
    },
  }
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
): ByteReader & { fed(): Promise<void> } {
  const output = readable.getReader()
  const writer = writable.getWriter()
  const back: Bytes[] = []
  let failed: unknown
  let fed: Promise<void> | undefined

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
      fed ??= feed()
      try {
        const { done, value } = await output.read()
        return done ? undefined : value
      } catch (error) {
        if (failed !== undefined) throw failed
        throw message === undefined ? error : new ProgramError(message)
      }
    },
    /** Ends the output. When it returns, nothing more is read from the input. */
    async fed() {
      await output.cancel().catch(() => {})
      await fed
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
