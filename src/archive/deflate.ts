/**
 * Decompresses the content of one file: small ones synchronously, others with the platform's compressor. The library would use nine more
 * streams, which takes ten times as long for a small file.
 */
import { type ArchiveFault, isFsError } from '../errors.js'
import type { Bytes, Pieces } from '../fs/types.js'
import { crc32 } from '../text/crc32.js'
import { deflateSmall } from '../text/deflate-small.js'
import { inflateRaw } from '../text/inflate-raw.js'
import { joinBytes } from '../text/join-bytes.js'
import { inflated } from './stream-compression.js'

/** Size and checksum of a file according to the archive. */
export interface Claim {
  size: number
  crc32: number
}

/** Up to this size, starting the platform's decompressor takes longer than the work itself. */
const smallBytes = 65_536

export function isSmall(compressedBytes: number, { size = 0 }: { size?: number }): boolean {
  return Math.max(compressedBytes, size) <= smallBytes
}

/** The decompressed bytes, or which part of the claim is wrong. Never produces more than the claimed size. */
export async function inflate(
  compressed: Bytes,
  claim: Claim,
  signal: AbortSignal | undefined,
): Promise<Bytes | ArchiveFault> {
  if (isSmall(compressed.length, claim)) return inflateSmall(compressed, claim)
  // In gzip format the stream must end exactly at the trailer; a raw stream may be followed by anything.
  const framed = joinBytes([gzipHeader, compressed, gzipTrailer(claim)])
  const content = await through('gzip', framed, { maxBytes: claim.size, signal })
  const isGood = content instanceof Uint8Array && contentFault(content, claim) === undefined
  return isGood ? content : faultOf(compressed, claim, signal)
}

function inflateSmall(compressed: Bytes, claim: Claim): Bytes | ArchiveFault {
  const found = inflateRaw(compressed, 0, claim.size)
  if (found === undefined) return 'damaged'
  if (!found.ends) return 'wrong-size'
  const fault = contentFault(found.content, claim) ?? (found.end < compressed.length ? 'damaged' : undefined)
  return fault ?? found.content
}

/**
 * The same for content that is too large for memory. Fails with the error of `fault` if the claim is wrong, at the latest after the last
 * piece.
 */
export async function* inflatePieces(
  compressed: Pieces,
  claim: Claim,
  fault: (reason: ArchiveFault) => Error,
): AsyncGenerator<Bytes> {
  async function* framed(): AsyncGenerator<Bytes> {
    yield gzipHeader
    yield* compressed()
    yield gzipTrailer(claim)
  }
  let size = 0
  try {
    for await (const piece of inflated('gzip', framed)) {
      size += piece.length
      if (size > claim.size) throw fault('wrong-size')
      yield piece
    }
  } catch (error) {
    if (isFsError(error)) throw error
    throw fault(await faultOfPieces(inflated('deflate-raw', compressed), claim))
  }
  // The gzip trailer stores the size modulo four gigabytes.
  if (size !== claim.size) throw fault('wrong-size')
}

/** The same for content that is not compressed. */
export async function* checkedPieces(
  content: Pieces,
  claim: Claim,
  fault: (reason: ArchiveFault) => Error,
): AsyncGenerator<Bytes> {
  let [size, crc] = [0, 0]
  for await (const piece of content()) {
    size += piece.length
    crc = crc32(piece, crc)
    yield piece
  }
  if (size !== claim.size) throw fault('wrong-size')
  if (crc !== claim.crc32) throw fault('wrong-checksum')
}

/** Why bytes could not be decompressed under their claim. */
async function faultOfPieces(content: AsyncGenerator<Bytes>, claim: Claim): Promise<ArchiveFault> {
  let [size, crc] = [0, 0]
  try {
    for await (const piece of content) {
      size += piece.length
      crc = crc32(piece, crc)
      if (size > claim.size) return 'wrong-size'
    }
  } catch (error) {
    if (isFsError(error)) throw error
    return 'damaged'
  }
  if (size !== claim.size) return 'wrong-size'
  return crc === claim.crc32 ? 'damaged' : 'wrong-checksum'
}

export async function deflate(bytes: Bytes): Promise<Bytes> {
  const small = deflateSmall(bytes, 'raw')
  if (small !== undefined) return small
  const reader = feed(new CompressionStream('deflate-raw'), bytes)
  const pieces: Bytes[] = []
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value)
  return joinBytes(pieces)
}

/** Which part of the claim is wrong for the content; undefined for none. */
export function contentFault(content: Bytes, claim: Claim): ArchiveFault | undefined {
  if (content.length !== claim.size) return 'wrong-size'
  return crc32(content) === claim.crc32 ? undefined : 'wrong-checksum'
}

async function faultOf(compressed: Bytes, claim: Claim, signal: AbortSignal | undefined): Promise<ArchiveFault> {
  const content = await through('deflate-raw', compressed, { maxBytes: claim.size, signal })
  if (content === 'too much') return 'wrong-size'
  return content === 'damaged' ? content : (contentFault(content, claim) ?? 'damaged')
}

const gzipHeader = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0)

function gzipTrailer(claim: Claim): Bytes {
  const trailer = new DataView(new ArrayBuffer(8))
  trailer.setUint32(0, claim.crc32, true)
  trailer.setUint32(4, claim.size, true)
  return new Uint8Array(trailer.buffer)
}

async function through(
  format: 'gzip' | 'deflate-raw',
  compressed: Bytes,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal | undefined },
): Promise<Bytes | 'damaged' | 'too much'> {
  const reader = feed(new DecompressionStream(format), compressed)
  const content = new Uint8Array(maxBytes)
  let filled = 0
  for (;;) {
    const piece = await reader.read().catch(() => 'damaged' as const)
    if (piece === 'damaged') return piece
    if (piece.done) return content.subarray(0, filled)
    if (signal?.aborted || filled + piece.value.length > maxBytes) {
      await reader.cancel().catch(() => {})
      signal?.throwIfAborted()
      return 'too much'
    }
    content.set(piece.value, filled)
    filled += piece.value.length
  }
}

function feed({ readable, writable }: CompressionStream | DecompressionStream, bytes: Bytes) {
  const writer = writable.getWriter()
  // A failure is reported to the reader.
  writer.write(bytes as Uint8Array<ArrayBuffer>).catch(() => {})
  writer.close().catch(() => {})
  return readable.getReader()
}
