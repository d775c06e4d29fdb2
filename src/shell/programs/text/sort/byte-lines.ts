/**
 * Lines as strings with one character per byte. Comparing such strings compares bytes, and the engine does it faster
 * than any loop over byte arrays.
 */
import type { Bytes } from '../../../../fs/types.js'
import type { ByteReader } from '../../../io/streams.js'
import type { Output } from '../../program.js'

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
  let rest: string[] = []
  let bytes = 0
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    const lines = byteString(chunk).split(delimiter)
    bytes += chunk.length
    const last = lines.pop() as string
    if (lines.length === 0) {
      rest.push(last)
      continue
    }
    if (rest.length > 0) lines[0] = rest.join('') + lines[0]
    rest = last === '' ? [] : [last]
    yield { lines, bytes }
    bytes = 0
  }
  if (rest.length > 0) yield { lines: [rest.join('')], bytes }
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
