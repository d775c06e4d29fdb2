/** Inflates deflate streams synchronously, and the same on every platform. */
import { Z_FINISH, Z_STREAM_END, ZStream, zlibInflate, zlibInflateInit2, zlibInflateReset } from './pako.js'

type Bytes = Uint8Array

export interface Inflated {
  content: Bytes
  /** Whether the stream ended; otherwise there is more than the size that was asked for. */
  ends: boolean
  /** Where the bytes after the stream begin, if it ended. */
  end: number
}

/** Inflates the stream that begins at `start` into at most `size` bytes. Undefined for an invalid or truncated stream. */
export function inflateRaw(bytes: Bytes, start: number, size: number): Inflated | undefined {
  // With room for one byte more, a stream that is longer differs from one that is cut off.
  const output = new Uint8Array(size + 1)
  const { status, filled, end } = run(bytes, Math.min(start, bytes.length), output)
  if (filled > size) return { content: output.subarray(0, size), ends: false, end }
  return status === Z_STREAM_END ? { content: output.subarray(0, filled), ends: true, end } : undefined
}

/** Negative for a stream without a header. */
const windowBits = -15

/** Used again and again, because its tables take longer to make than a small stream to inflate. */
let stream: ZStream | undefined

function run(input: Bytes, start: number, output: Uint8Array<ArrayBuffer>) {
  if (stream === undefined) {
    stream = new ZStream()
    zlibInflateInit2(stream, windowBits)
  } else zlibInflateReset(stream)
  stream.input = input
  stream.next_in = start
  stream.avail_in = input.length - start
  stream.output = output
  stream.next_out = 0
  stream.avail_out = output.length
  const status = zlibInflate(stream, Z_FINISH)
  // So that it holds nobody's bytes.
  stream.input = nothing
  stream.output = nothing
  return { status, filled: stream.next_out, end: stream.next_in }
}

const nothing = new Uint8Array()
