/** Compresses what is written to a repository. */
import { gather } from '../../fs/pieces.js'
import type { Bytes } from '../../fs/types.js'
import { deflateSmall, deflatesSmall } from '../../text/deflate-small.js'
import { storedZlib } from '../../text/stored-deflate.js'
import type { NewObject } from './new-object.js'

/** Turns all chunks into one stream in the format of git's objects. */
export type Compress = (pieces: AsyncIterable<Bytes>) => AsyncGenerator<Bytes>

/** `isReproducible`: the same bytes on every platform, without compression. */
export function compressor(isReproducible: boolean): Compress {
  return isReproducible ? storedZlib : deflatePieces
}

/**
 * A small tree is stored as it is: most of its bytes are ids, and starting the platform's compressor takes longer than writing it. What else is
 * small is compressed synchronously where that is possible.
 */
export function compressorFor({ type, size }: Pick<NewObject, 'type' | 'size'>, compress: Compress): Compress {
  if (type === 'tree' && size <= smallTree) return storedZlib
  return compress === deflatePieces && deflatesSmall(size) ? deflateAtOnce : compress
}

const smallTree = 4096

async function* deflateAtOnce(pieces: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
  const bytes = await gather(() => pieces)
  const small = deflateSmall(bytes, 'zlib')
  if (small !== undefined) yield small
  else yield* deflatePieces(inOnePiece(bytes))
}

async function* inOnePiece(bytes: Bytes): AsyncGenerator<Bytes> {
  yield bytes
}

async function* deflatePieces(pieces: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
  const { readable, writable } = new CompressionStream('deflate')
  const writer = writable.getWriter()
  const reader = readable.getReader()
  let failure: { error: unknown } | undefined
  let isWanted = true
  const feeding = (async () => {
    try {
      for await (const piece of pieces) {
        if (!isWanted) return
        await writer.write(piece as Uint8Array<ArrayBuffer>)
      }
    } catch (error) {
      failure = { error }
    }
    await writer.close().catch(() => {})
  })()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value
    if (failure !== undefined) throw failure.error
  } finally {
    isWanted = false
    await reader.cancel().catch(() => {})
    await feeding
  }
}
