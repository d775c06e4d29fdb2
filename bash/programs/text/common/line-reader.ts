/** Lines of a stream one by one, for programs that read several streams side by side. */
import type { Bytes } from '../../../../src/fs/types.js'
import { type ByteReader, lineBatches } from '../../../io/streams.js'

export class LineReader {
  #batches: AsyncGenerator<Bytes[]>
  #batch: Bytes[] = []
  #at = 0
  #hasEnded = false

  constructor(
    reader: ByteReader,
    private readonly delimiter = 10,
  ) {
    this.#batches = lineBatches(reader, delimiter)
  }

  /** The next line without its delimiter; undefined at the end. A promise only when more has to be read. */
  next(): Bytes | undefined | Promise<Bytes | undefined> {
    const line = this.#batch[this.#at]
    if (line === undefined) return this.#hasEnded ? undefined : this.#fill()
    this.#at += 1
    return withoutDelimiter(line, this.delimiter)
  }

  async #fill(): Promise<Bytes | undefined> {
    const { value, done } = await this.#batches.next()
    this.#batch = done ? [] : value
    this.#at = 0
    this.#hasEnded = done === true
    return this.next()
  }
}

export function withoutDelimiter(line: Bytes, delimiter = 10): Bytes {
  return line[line.length - 1] === delimiter ? line.subarray(0, -1) : line
}

/** As `memcmp`: in the locale of the shell, the order of bytes is the order of text. */
export function compareBytes(one: Bytes, other: Bytes): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at += 1) {
    const difference = (one[at] as number) - (other[at] as number)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** Bytes with a to z as A to Z. */
export function toUpper(bytes: Bytes): Bytes {
  return bytes.map((byte) => (byte >= 97 && byte <= 122 ? byte - 32 : byte))
}
