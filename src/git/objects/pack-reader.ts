/** Reads objects of one pack, in windows and never as a whole. */
import { FsError } from '../../errors.js'
import type { ByteRange, Bytes } from '../../fs/types.js'
import { toHex } from '../../text/hex.js'
import { joinBytes } from '../../text/join-bytes.js'
import { damaged } from '../damaged.js'
import { type Budget, limits, tooLarge } from '../limits.js'
import { applyDelta, deltaSizes } from './delta.js'
import { inflatePieces, inflateSync } from './inflate.js'
import { lruCache } from './lru-cache.js'
import type { PackIndex } from './pack-index.js'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface FoundObject {
  type: ObjectType
  /** The object and its file, for errors. */
  subject: string
  size(): Promise<number>
  /** Reads the whole object; fails when it exceeds the limit for its type. */
  read(budget: Budget): Promise<Bytes>
  /** Reads in chunks. A delta can't be read in chunks, and arrives as one. */
  pieces(budget: Budget): AsyncIterable<Bytes>
}

export interface Pack {
  readonly index: PackIndex
  find(oid: string): Promise<FoundObject | undefined>
}

/** Reads bytes of the pack. */
export interface PackSource {
  /** For errors. */
  readonly name: string
  readonly size: number
  read(range: ByteRange): Promise<Bytes>
}

/** Larger objects are decompressed by the platform's stream. */
export const smallBytes = 16 * 1024

/** The maximum compression ratio of zlib. */
export const maxRatio = 1040

const windowBytes = 256 * 1024
const maxWindows = 48
const maxBasesBytes = 24 * 1024 * 1024
const maxBaseBytes = 1024 * 1024
const pieceBytes = 256 * 1024

const types: Partial<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }

/** An object as stored in the pack: compressed bytes at `start` that decompress to `size`. */
interface Stored {
  offset: number
  size: number
  start: number
  type?: ObjectType
  /** For a delta, the offset of its base. */
  base?: number
}

export function openPack(source: PackSource, index: PackIndex): Pack {
  const windows = new Map<number, Promise<Bytes>>()
  /** Delta bases by offset: the objects of a history share few bases. */
  const bases = lruCache<{ type: ObjectType; bytes: Bytes }>(maxBasesBytes)
  const end = source.size - 20
  const subjectOf = (oid: string) => `${oid} in ${source.name}`

  function windowAt(number: number): Promise<Bytes> {
    const known = windows.get(number)
    windows.delete(number)
    if (known === undefined && windows.size >= maxWindows) windows.delete(windows.keys().next().value as number)
    const start = number * windowBytes
    const found = known ?? source.read({ start, end: Math.min(start + windowBytes, end) })
    windows.set(number, found)
    if (known === undefined) found.catch(() => windows.delete(number))
    return found
  }

  async function bytesAt(start: number, length: number): Promise<Bytes> {
    const stop = Math.min(start + length, end)
    const pieces: Bytes[] = []
    for (let at = start; at < stop; ) {
      const number = Math.floor(at / windowBytes)
      const window = await windowAt(number)
      const from = at - number * windowBytes
      const piece = window.subarray(from, from + stop - at)
      if (piece.length === 0) break
      pieces.push(piece)
      at += piece.length
    }
    return pieces.length === 1 ? (pieces[0] as Bytes) : joinBytes(pieces)
  }

  async function storedAt(offset: number, oid: string): Promise<Stored> {
    const bytes = await bytesAt(offset, 64)
    let at = 0
    const next = () => {
      const byte = bytes[at]
      if (byte === undefined) throw damaged(subjectOf(oid))
      at += 1
      return byte
    }
    let byte = next()
    const number = (byte >> 4) & 7
    let size = byte & 15
    for (let factor = 16; byte >= 0x80 && at < 10; factor *= 128) {
      byte = next()
      size += (byte & 0x7f) * factor
    }
    if (number === 6) {
      byte = next()
      let distance = byte & 0x7f
      while (byte >= 0x80) {
        byte = next()
        distance = (distance + 1) * 128 + (byte & 0x7f)
      }
      if (distance <= 0 || distance > offset) throw damaged(subjectOf(oid))
      return { offset, size, start: offset + at, base: offset - distance }
    }
    if (number === 7) {
      const base = index.offsetOf(toHex(bytes.subarray(at, at + 20)))
      if (base === undefined) throw damaged(subjectOf(oid))
      return { offset, size, start: offset + at + 20, base }
    }
    const type = types[number]
    if (type === undefined) throw damaged(subjectOf(oid))
    return { offset, size, start: offset + at, type }
  }

  /** The object, its base, the base of that, and so on, down to one that is stored whole or cached. */
  async function chainAt(offset: number, oid: string): Promise<{ chain: Stored[]; type: ObjectType }> {
    const chain: Stored[] = []
    for (let at = offset; ; ) {
      const stored = await storedAt(at, oid)
      chain.push(stored)
      const type = stored.type ?? bases.get(at)?.type
      if (type !== undefined) return { chain, type }
      if (chain.length > limits.deltaDepth)
        throw tooLarge(`the chain of differences of ${oid}`, limits.deltaDepth, 'steps')
      at = stored.base as number
    }
  }

  async function* compressed({ start, offset }: Stored): AsyncGenerator<Bytes> {
    const stop = Math.min(index.offsetAfter(offset) ?? end, end)
    for (let at = start; at < stop; at += pieceBytes) {
      yield await source.read({ start: at, end: Math.min(at + pieceBytes, stop) })
    }
  }

  async function inflated(stored: Stored, oid: string): Promise<Bytes> {
    const { start, size, offset } = stored
    if (size <= smallBytes) {
      const found = inflateSync(await bytesAt(start, size * 2 + 1024), size)
      if (found?.ends !== true || found.content.length !== size) throw damaged(subjectOf(oid))
      return found.content
    }
    if (size > ((index.offsetAfter(offset) ?? end) - start) * maxRatio) throw damaged(subjectOf(oid))
    return gather(inflatePieces(compressed(stored)), size, subjectOf(oid))
  }

  function cacheBase(offset: number, type: ObjectType, bytes: Bytes): void {
    if (bytes.length <= maxBaseBytes) bases.set(offset, { type, bytes }, bytes.length)
  }

  async function readChain(chain: readonly Stored[], type: ObjectType, oid: string, budget: Budget): Promise<Bytes> {
    const limit = limitOf(type)
    let at = chain.length - 1
    const first = chain[at] as Stored
    let bytes = bases.get(first.offset)?.bytes
    // It may have been dropped from the cache since the chain was read.
    if (bytes === undefined && first.type === undefined) {
      return readChain((await chainAt((chain[0] as Stored).offset, oid)).chain, type, oid, budget)
    }
    if (bytes === undefined) {
      if (first.size > limit) throw tooLarge(`${type} ${oid}`, limit)
      budget.spend(first.size)
      bytes = await inflated(first, oid)
      cacheBase(first.offset, type, bytes)
    }
    for (at -= 1; at >= 0; at -= 1) {
      const stored = chain[at] as Stored
      if (stored.size > limit) throw tooLarge(`${type} ${oid}`, limit)
      const delta = await inflated(stored, oid)
      const sizes = deltaSizes(delta)
      if (sizes === undefined) throw damaged(subjectOf(oid))
      if (sizes.result > limit) throw tooLarge(`${type} ${oid}`, limit)
      budget.spend(stored.size + sizes.result)
      bytes = applyDelta(bytes, delta, subjectOf(oid))
      cacheBase(stored.offset, type, bytes)
    }
    return bytes
  }

  /** The size of an object, without reading all of it. */
  async function sizeOf({ type, size, start, offset }: Stored, oid: string): Promise<number> {
    if (type !== undefined) return size
    const known = bases.get(offset)
    if (known !== undefined) return known.bytes.length
    const sizes = deltaSizes(inflateSync(await bytesAt(start, 1024), Math.min(size, 20))?.content ?? new Uint8Array())
    if (sizes === undefined) throw damaged(subjectOf(oid))
    return sizes.result
  }

  return {
    index,
    async find(oid) {
      const offset = index.offsetOf(oid)
      if (offset === undefined) return undefined
      const { chain, type } = await chainAt(offset, oid)
      const first = chain[0] as Stored
      return {
        type,
        subject: subjectOf(oid),
        size: () => sizeOf(first, oid),
        read: (budget) => readChain(chain, type, oid, budget),
        async *pieces(budget) {
          if (first.type === undefined || first.size <= smallBytes) yield await readChain(chain, type, oid, budget)
          else yield* withExactSize(inflatePieces(compressed(first)), first.size, subjectOf(oid))
        },
      }
    },
  }
}

/** The size limit of an object that is held in memory. */
export function limitOf(type: ObjectType): number {
  if (type === 'blob') return limits.wholeBytes
  return type === 'tree' ? limits.treeBytes : limits.commitBytes
}

/** Fails unless the chunks have `size` bytes in total; never passes on more. */
export async function* withExactSize(
  pieces: AsyncIterable<Bytes>,
  size: number,
  subject: string,
): AsyncGenerator<Bytes> {
  let count = 0
  try {
    for await (const piece of pieces) {
      count += piece.length
      if (count > size) throw damaged(subject)
      yield piece
    }
  } catch (error) {
    throw error instanceof FsError ? error : damaged(subject, error)
  }
  if (count !== size) throw damaged(subject)
}

/** Joins the chunks. */
export async function gather(pieces: AsyncIterable<Bytes>, size: number, subject: string): Promise<Bytes> {
  const content = new Uint8Array(size)
  let filled = 0
  for await (const piece of withExactSize(pieces, size, subject)) {
    content.set(piece, filled)
    filled += piece.length
  }
  return content
}
