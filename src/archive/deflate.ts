/**
 * The content of one file, with the compressor of the platform. The library would pass it through nine streams more, which costs ten
 * times what a small file itself does.
 */
import { type ArchiveFault, isFsError } from '../errors.js'
import type { Bytes, Pieces } from '../fs/types.js'
import { crc32 } from '../text/crc32.js'
import { joinBytes } from '../text/join-bytes.js'
import { inflated } from './stream-compression.js'

/** What the archive says of a file. */
export interface Claim {
  size: number
  crc32: number
}

/** The decompressed bytes, or what of the claim does not hold. Never more comes out than is claimed. */
export async function inflate(
  compressed: Bytes,
  claim: Claim,
  signal: AbortSignal | undefined,
): Promise<Bytes | ArchiveFault> {
  // As gzip has it the bytes must reach exactly to the end; a raw stream may be followed by anything.
  const framed = joinBytes([gzipHeader, compressed, gzipTrailer(claim)])
  const content = await through('gzip', framed, { maxBytes: claim.size, signal })
  const isGood = content instanceof Uint8Array && contentFault(content, claim) === undefined
  return isGood ? content : faultOf(compressed, claim, signal)
}

/**
 * The same of content that is too large to hold. What of the claim does not hold, and `fault` makes an error of, fails after the last
 * piece that could still be right.
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
  // The format of the checksum counts no further than four gigabytes.
  if (size !== claim.size) throw fault('wrong-size')
}

/** Stored content, the same way. */
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

/** Why bytes could not be decompressed that are followed by what is claimed of them. */
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
  const reader = feed(new CompressionStream('deflate-raw'), bytes)
  const pieces: Bytes[] = []
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value)
  return joinBytes(pieces)
}

/** What of the claim content does not keep. */
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
  // A failure shows where it is read.
  writer.write(bytes as Uint8Array<ArrayBuffer>).catch(() => {})
  writer.close().catch(() => {})
  return readable.getReader()
}
