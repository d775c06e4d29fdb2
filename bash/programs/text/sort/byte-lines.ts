/**
 * Lines as strings with one character per byte. Comparing such strings compares bytes, and the engine does it faster
 * than any loop over byte arrays.
 */
import type { Bytes } from '../../../../src/fs/types.js'
import type { Output } from '../../../io/program.js'
import { type ByteReader, concat } from '../../../io/streams.js'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()
const pieceBytes = 8192
const outputBytes = 64 * 1024

export function byteString(bytes: Bytes): string {
  const text = asciiString(bytes)
  if (text !== undefined) return text
  const pieces: string[] = []
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    pieces.push(String.fromCharCode.apply(null, bytes.subarray(start, start + pieceBytes) as unknown as number[]))
  }
  return pieces.join('')
}

/** Every character of text that is not ASCII has more bytes than code units. */
function asciiString(bytes: Bytes): string | undefined {
  try {
    const text = strict.decode(bytes)
    return text.length === bytes.length ? text : undefined
  } catch {
    return undefined
  }
}

export function bytesOf(text: string): Bytes {
  const encoded = encoder.encode(text)
  if (encoded.length === text.length) return encoded
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

export interface LineBatch {
  lines: string[]
  /** What was read for them. */
  bytes: number
}

/** The lines of a stream without their delimiters. */
export async function* byteLines(reader: ByteReader, delimiter: string): AsyncGenerator<LineBatch> {
  const end = delimiter.charCodeAt(0)
  let rest: Bytes[] = []
  let bytes = 0
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    bytes += chunk.length
    const last = chunk.lastIndexOf(end)
    if (last === -1) {
      rest.push(chunk)
      continue
    }
    const first = rest.length > 0 ? chunk.indexOf(end) + 1 : 0
    const lines = first > 0 ? [byteString(concat([...rest, chunk.subarray(0, first - 1)]))] : []
    pushLines(lines, chunk, first, last + 1, end)
    rest = last + 1 < chunk.length ? [chunk.subarray(last + 1)] : []
    yield { lines, bytes }
    bytes = 0
  }
  if (rest.length > 0) yield { lines: [byteString(concat(rest))], bytes }
}

/** Each line becomes a string of its own: the engine compares parts of a larger string much slower. */
function pushLines(lines: string[], chunk: Bytes, from: number, to: number, end: number): void {
  const codes: number[] = []
  for (let start = from; start < to; ) {
    const stop = chunk.indexOf(end, start)
    if (stop - start > pieceBytes) lines.push(byteString(chunk.subarray(start, stop)))
    else {
      codes.length = stop - start
      for (let at = start; at < stop; at += 1) codes[at - start] = chunk[at] as number
      lines.push(String.fromCharCode.apply(null, codes))
    }
    start = stop + 1
  }
}

/** Writes lines in large pieces. */
export class LineOutput {
  #lines: string[] = []
  #size = 0

  constructor(
    private readonly output: Pick<Output, 'write'>,
    private readonly delimiter: string,
  ) {}

  write(line: string): Promise<void> | undefined {
    this.#lines.push(line)
    this.#size += line.length + 1
    return this.#size > outputBytes ? this.flush() : undefined
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return
    const text = this.#lines.join(this.delimiter) + this.delimiter
    this.#lines = []
    this.#size = 0
    await this.output.write(bytesOf(text))
  }
}
