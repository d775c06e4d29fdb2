/**
 * Compressed formats without compression: valid streams whose bytes are the same on every platform. The platform's own
 * compressors give other bytes in Node than in a browser.
 */
import { crc32 } from './crc32.js'
import { joinBytes } from './join-bytes.js'

type Bytes = Uint8Array<ArrayBufferLike>
type Pieces = AsyncIterable<Bytes>

const maxBlockBytes = 0xffff

/** A raw deflate stream of stored blocks, the same for the same bytes in whatever pieces they come. */
export async function* storedDeflate(pieces: Pieces): AsyncGenerator<Bytes> {
  let held: Bytes[] = []
  let size = 0
  for await (const piece of pieces) {
    held.push(piece)
    size += piece.length
    if (size <= maxBlockBytes) continue
    const all = joinBytes(held)
    let at = 0
    for (; size - at > maxBlockBytes; at += maxBlockBytes) yield block(all.subarray(at, at + maxBlockBytes), false)
    held = [all.subarray(at)]
    size -= at
  }
  yield block(joinBytes(held), true)
}

/** In the format of git's objects. */
export async function* storedZlib(pieces: Pieces): AsyncGenerator<Bytes> {
  let sum = 1
  yield Uint8Array.of(0x78, 0x01)
  yield* storedDeflate(
    seen(pieces, (piece) => {
      sum = adler32(piece, sum)
    }),
  )
  yield Uint8Array.of(sum >>> 24, sum >>> 16, sum >>> 8, sum)
}

export async function* storedGzip(pieces: Pieces): AsyncGenerator<Bytes> {
  let [crc, size] = [0, 0]
  yield gzipHeader
  yield* storedDeflate(
    seen(pieces, (piece) => {
      crc = crc32(piece, crc)
      size += piece.length
    }),
  )
  yield joinBytes([littleEndian(crc), littleEndian(size)])
}

/** Without a name and a time, written on Unix. */
const gzipHeader = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3)

async function* seen(pieces: Pieces, see: (piece: Bytes) => void): AsyncGenerator<Bytes> {
  for await (const piece of pieces) {
    see(piece)
    yield piece
  }
}

function block(bytes: Bytes, isLast: boolean): Bytes {
  const { length } = bytes
  return joinBytes([Uint8Array.of(isLast ? 1 : 0, length, length >>> 8, ~length, ~length >>> 8), bytes])
}

function littleEndian(value: number): Bytes {
  return Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24)
}

/** As many bytes can be added before the sums exceed 32 bits. */
const maxUnreduced = 5552
const modulus = 65521

function adler32(bytes: Bytes, before: number): number {
  let low = before & 0xffff
  let high = before >>> 16
  for (let start = 0; start < bytes.length; start += maxUnreduced) {
    const end = Math.min(bytes.length, start + maxUnreduced)
    for (let at = start; at < end; at += 1) {
      low += bytes[at] as number
      high += low
    }
    low %= modulus
    high %= modulus
  }
  return ((high << 16) | low) >>> 0
}
