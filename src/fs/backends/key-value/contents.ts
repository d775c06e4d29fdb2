/** File contents: small ones are one value, large ones are values of 256 KiB and a list of them. */

import { joinBytes } from '../../../text/join-bytes.js'
import type { ByteRange, Bytes, Pieces } from '../../types.js'
import type { Batch, Blobs, Hashes, Ref } from './blobs.js'
import { isRef, odd, parsed } from './values.js'

/** Every store allows values of this size, also in base64. */
export const chunkBytes = 256 * 1024

/** The name of content: that of its value, and for large content the hash of its list after another `:`. */
export type Content = string

export interface Contents {
  /** Puts content into a batch. */
  put(batch: Batch, bytes: Bytes, hash: string): Content
  /** Stores pieces as they come. */
  putPieces(batch: Batch, pieces: Pieces): Promise<{ id: Content; size: number }>
  /** The bytes, which may be shared. */
  read(content: Content, size: number, range?: ByteRange): Promise<Bytes>
  /** All values that this content consists of. */
  refsOf(content: Content): Promise<Ref[]>
}

/** The SHA-256 of the whole content. */
export function hashOf(content: Content): string {
  return content.split(':')[1] ?? ''
}

/** The value to load for this content: its bytes, or the list of its chunks. */
export function storedAs(content: Content): { ref: Ref; isList: boolean } {
  const [generation, hash, list] = content.split(':')
  return list === undefined
    ? { ref: `${generation}:${hash}`, isList: false }
    : { ref: `${generation}:${list}`, isList: true }
}

export function openContents(blobs: Blobs, hashes: Hashes): Contents {
  function named(batch: Batch, hash: string, chunks: readonly Ref[]): Content {
    const list = encoder.encode(JSON.stringify(chunks))
    const [generation, listHash] = batch.put(list, hashes.sha256(list)).split(':')
    return `${generation}:${hash}:${listHash}`
  }

  async function chunksOf(ref: Ref): Promise<Ref[]> {
    const chunks = parsed(await blobs.get(ref))
    if (!Array.isArray(chunks) || !chunks.every(isRef)) throw odd('a list of chunks')
    return chunks
  }

  return {
    put(batch, bytes, hash) {
      if (bytes.length <= chunkBytes) return batch.put(bytes, hash)
      const chunks: Ref[] = []
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        const chunk = bytes.subarray(at, at + chunkBytes)
        chunks.push(batch.put(chunk, hashes.sha256(chunk)))
      }
      return named(batch, hash, chunks)
    },

    async putPieces(batch, pieces) {
      const running = hashes.sha256InPieces()
      const chunks: Ref[] = []
      let waiting: Bytes = new Uint8Array()
      let size = 0
      for await (const piece of pieces()) {
        running.add(piece)
        size += piece.length
        waiting = joinBytes([waiting, piece])
        while (waiting.length > chunkBytes) {
          const chunk = waiting.slice(0, chunkBytes)
          chunks.push(await batch.store(chunk, hashes.sha256(chunk)))
          waiting = waiting.subarray(chunkBytes)
        }
      }
      const hash = running.end()
      if (chunks.length === 0) return { id: batch.put(waiting, hash), size }
      chunks.push(await batch.store(waiting, hashes.sha256(waiting)))
      return { id: named(batch, hash, chunks), size }
    },

    async read(content, size, range = { start: 0, end: size }) {
      const [start, end] = [Math.max(0, range.start), Math.min(size, range.end)]
      if (start >= end) return new Uint8Array()
      const { ref, isList } = storedAs(content)
      if (!isList) {
        const bytes = await blobs.get(ref)
        if (size !== Infinity && bytes.length !== size) throw odd('a file of another size')
        return start === 0 && end === size ? bytes : bytes.subarray(start, end)
      }
      const [first, last] = [Math.floor(start / chunkBytes), Math.floor((end - 1) / chunkBytes)]
      const chunks = await chunksOf(ref)
      if (size !== Infinity && chunks.length !== Math.ceil(size / chunkBytes)) throw odd('a file of another size')
      const wanted = chunks.slice(first, last + 1)
      const parts: Bytes[] = []
      // A few at the same time: the chunks of a large file need not be in memory twice.
      for (let at = 0; at < wanted.length; at += chunksAtOnce) {
        parts.push(...(await Promise.all(wanted.slice(at, at + chunksAtOnce).map(blobs.get))))
      }
      const from = first * chunkBytes
      return joinBytes(parts).subarray(start - from, end - from)
    },

    async refsOf(content) {
      const { ref, isList } = storedAs(content)
      return isList ? [ref, ...(await chunksOf(ref))] : [ref]
    },
  }
}

const chunksAtOnce = 16
const encoder = new TextEncoder()
