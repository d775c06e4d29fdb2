/** Byte streams between the commands of a shell. */
import type { Bytes, Stat } from '../../src/fs/types.js'

export interface ByteReader {
  /** The next bytes, at least one, or undefined at the end. */
  read(): Promise<Bytes | undefined>
  /** All that is left to read, if it is at hand: it counts as read. Otherwise undefined, and it has to be read. */
  takeRest?(): Bytes | undefined
  /** Puts bytes back that were read too far; the next `read` returns them. */
  unread(bytes: Bytes): void
  /** Nothing more is read: whatever writes here fails with `BrokenPipe`. */
  close(): void
  /** What is read; absent for pipes. */
  stat?(): Promise<Stat>
  /** The absolute path of the file that is read. */
  readonly path?: string
}

export interface ByteWriter {
  /** Resolves when there is room for more. The bytes may be kept: do not change them afterwards. */
  write(bytes: Bytes): Promise<void> | undefined
  /** Call it once, after the last write. */
  close(): Promise<void>
  /** The absolute path of the file that is written, unless it was removed meanwhile. */
  readonly path?: string | undefined
}

/** Nobody reads what is written. A program that does not handle it ends with status 141, as by SIGPIPE, and no message. */
export class BrokenPipe extends Error {
  constructor() {
    super('Broken pipe')
  }
}

/** A writer waits when this many bytes have not been read. */
const pipeBytes = 256 * 1024

export function pipe(): { reader: ByteReader; writer: ByteWriter } {
  const chunks: Bytes[] = []
  let size = 0
  let ended = false
  let broken = false
  let wakeReader: (() => void) | undefined
  let wakeWriters: Array<() => void> = []

  function wakeAll(): void {
    const waiting = wakeWriters
    wakeWriters = []
    for (const wake of waiting) wake()
  }

  return {
    reader: {
      async read() {
        while (chunks.length === 0) {
          if (ended || broken) return undefined
          await new Promise<void>((resolve) => {
            wakeReader = resolve
          })
        }
        const chunk = chunks.shift() as Bytes
        size -= chunk.length
        if (size < pipeBytes) wakeAll()
        return chunk
      },
      unread(bytes) {
        if (bytes.length === 0) return
        chunks.unshift(bytes)
        size += bytes.length
      },
      close() {
        broken = true
        chunks.length = 0
        wakeAll()
        wakeReader?.()
      },
    },
    writer: {
      write(bytes) {
        if (broken) return Promise.reject(new BrokenPipe())
        if (bytes.length === 0) return undefined
        chunks.push(bytes)
        size += bytes.length
        wakeReader?.()
        if (size < pipeBytes) return undefined
        return (async () => {
          while (size >= pipeBytes && !broken) {
            await new Promise<void>((resolve) => wakeWriters.push(resolve))
          }
          if (broken) throw new BrokenPipe()
        })()
      },
      async close() {
        ended = true
        wakeReader?.()
      },
    },
  }
}

export function readerOf(bytes: Bytes): ByteReader {
  let rest = bytes.length > 0 ? [bytes] : []
  return {
    async read() {
      return rest.shift()
    },
    unread(given) {
      if (given.length > 0) rest.unshift(given)
    },
    close() {
      rest = []
    },
  }
}

export async function readAll(reader: ByteReader): Promise<Bytes> {
  const chunks: Bytes[] = []
  let size = 0
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    chunks.push(chunk)
    size += chunk.length
  }
  if (chunks.length === 1) return chunks[0] as Bytes
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

const lineFeed = 10

/**
 * The lines of a stream in batches, each line with its delimiter; only the last line can lack it. Lines are views: copy
 * what is kept for long.
 */
export async function* lineBatches(reader: ByteReader, delimiter = lineFeed): AsyncGenerator<Bytes[]> {
  let pending: Bytes[] = []
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    let start = 0
    let end = chunk.indexOf(delimiter)
    if (end === -1) {
      pending.push(chunk)
      continue
    }
    const lines: Bytes[] = []
    if (pending.length > 0) {
      pending.push(chunk.subarray(0, end + 1))
      lines.push(concat(pending))
      pending = []
      start = end + 1
      end = chunk.indexOf(delimiter, start)
    }
    while (end !== -1) {
      lines.push(chunk.subarray(start, end + 1))
      start = end + 1
      end = chunk.indexOf(delimiter, start)
    }
    if (start < chunk.length) pending.push(chunk.subarray(start))
    yield lines
  }
  if (pending.length > 0) yield [concat(pending)]
}

export function concat(chunks: readonly Bytes[]): Bytes {
  if (chunks.length === 1) return chunks[0] as Bytes
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
