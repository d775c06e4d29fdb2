/** File contents by their hash: equal ones are stored once, large ones in chunks. */
import { joinBytes } from '../../../text/join-bytes.js'
import type { RunningHash } from '../../transactional-types.js'
import type { ByteRange, Bytes } from '../../types.js'
import type { SqliteDatabase } from './database.js'

/** Content up to this size is one value, larger content is cut into values of this size. Every host allows values of this size. */
export const chunkBytes = 256 * 1024
/** How much content is cached in memory unless the host has less. */
const defaultCacheBytes = 64 * 1024 * 1024
/** Files that are read ahead when a directory is read file by file. */
const filesAhead = 64

export interface Hashes {
  sha256(bytes: Bytes): string
  sha256InPieces(): RunningHash
}

export interface Contents {
  /** The number of this content, stored now unless it was before. Call it in a transaction. */
  put(bytes: Bytes, hash: string): number
  /** The bytes, which may be shared; undefined if the content is gone. */
  read(id: number, size: number, range?: ByteRange): Bytes | undefined
  /** Caches the small files of a directory, from this name on. */
  readAhead(directory: number, from: string): void
  /** Content that is in memory. */
  cached(id: number): Bytes | undefined
  hashOf(id: number): string | undefined
  find(hash: string): { id: number; size: number } | undefined
  /** The hash of bytes; known already for those that `read` returned. */
  sha256(bytes: Bytes): string
  /** Stores content that comes in pieces, each in a transaction of its own. */
  writer(): ContentWriter
  /** Empties the cache: after a rollback, numbers given out in the transaction are given out again. */
  forget(): void
}

export interface ContentWriter {
  add(piece: Bytes): void
  /** The number and size of the content. Call it in a transaction. */
  end(): { id: number; size: number }
  /** Removes what was stored so far. */
  discard(): void
}

export function createContents(
  database: SqliteDatabase,
  hashes: Hashes,
  now: () => number,
  maxCachedBytes = defaultCacheBytes,
): Contents {
  const cached = new Map<number, Bytes>()
  const known = new WeakMap<Bytes, string>()
  let cachedBytes = 0

  function remember(id: number, bytes: Bytes, hash: string): void {
    if (cached.has(id)) return
    known.set(bytes, hash)
    cached.set(id, bytes)
    cachedBytes += bytes.length
    for (const [oldest, { length }] of cached) {
      if (cachedBytes <= maxCachedBytes) break
      cached.delete(oldest)
      cachedBytes -= length
    }
  }

  function find(hash: string): { id: number; size: number } | undefined {
    const [row] = database.run('SELECT id, size FROM polyfs_contents WHERE hash = ?', [hash])
    return row && { id: row.id as number, size: row.size as number }
  }

  function insert(hash: string | null, size: number, data: Bytes | null): number {
    const sql = 'INSERT INTO polyfs_contents (hash, size, made, data) VALUES (?, ?, ?, ?) RETURNING id'
    return database.run(sql, [hash, size, now(), data])[0]?.id as number
  }

  function insertChunk(id: number, position: number, data: Bytes): void {
    database.run('INSERT INTO polyfs_chunks (content, position, data) VALUES (?, ?, ?)', [id, position, data])
  }

  function put(bytes: Bytes, hash: string): number {
    const there = find(hash)
    if (there !== undefined) return there.id
    const isSmall = bytes.length <= chunkBytes
    const id = insert(hash, bytes.length, isSmall ? bytes : null)
    if (isSmall) remember(id, bytes.slice(), hash)
    for (let at = 0; !isSmall && at < bytes.length; at += chunkBytes) {
      insertChunk(id, at / chunkBytes, bytes.subarray(at, at + chunkBytes))
    }
    return id
  }

  function read(id: number, size: number, range: ByteRange = { start: 0, end: size }): Bytes | undefined {
    const [start, end] = [Math.max(0, range.start), Math.min(size, range.end)]
    if (size > chunkBytes) return start < end ? readChunks(id, start, end) : new Uint8Array()
    const bytes = cached.get(id) ?? readSmall(id)
    if (bytes === undefined || (start === 0 && end === size)) return bytes
    return bytes.subarray(start, Math.max(start, end))
  }

  function readSmall(id: number): Bytes | undefined {
    const [row] = database.run('SELECT hash, data FROM polyfs_contents WHERE id = ?', [id])
    if (row === undefined) return undefined
    // A driver may return NULL for an empty value.
    const bytes = (row.data as Bytes | null) ?? new Uint8Array()
    remember(id, bytes, row.hash as string)
    return bytes
  }

  function readChunks(id: number, start: number, end: number): Bytes | undefined {
    const [first, last] = [Math.floor(start / chunkBytes), Math.floor((end - 1) / chunkBytes)]
    const sql = 'SELECT data FROM polyfs_chunks WHERE content = ? AND position BETWEEN ? AND ? ORDER BY position'
    const chunks = database.run(sql, [id, first, last]).map(({ data }) => data as Bytes)
    if (chunks.length !== last - first + 1) return undefined
    const from = first * chunkBytes
    return joinBytes(chunks).subarray(start - from, end - from)
  }

  function readAhead(directory: number, from: string): void {
    const sql = `SELECT c.id AS id, c.hash AS hash, c.data AS data
      FROM (SELECT content FROM polyfs_entries WHERE directory = ? AND name >= ? AND size <= ? ORDER BY name LIMIT ?) AS e
      JOIN polyfs_contents AS c ON c.id = e.content`
    for (const row of database.run(sql, [directory, from, chunkBytes / 4, filesAhead])) {
      remember(row.id as number, (row.data as Bytes | null) ?? new Uint8Array(), row.hash as string)
    }
  }

  function writer(): ContentWriter {
    const running = hashes.sha256InPieces()
    let waiting: Bytes[] = []
    let [waitingBytes, size, chunks] = [0, 0, 0]
    let id: number | undefined

    /** Stores whole chunks, or with `all` the rest as well. */
    function flush(all: boolean): void {
      const joined = joinBytes(waiting)
      let at = 0
      for (; at + chunkBytes <= joined.length || (all && at < joined.length); at += chunkBytes) {
        insertChunk(id as number, chunks, joined.subarray(at, at + chunkBytes))
        chunks += 1
      }
      waiting = at < joined.length ? [joined.subarray(at)] : []
      waitingBytes = Math.max(0, joined.length - at)
    }

    function discard(): void {
      if (id === undefined) return
      database.run('DELETE FROM polyfs_chunks WHERE content = ?', [id])
      database.run('DELETE FROM polyfs_contents WHERE id = ?', [id])
      id = undefined
    }

    return {
      add(piece) {
        running.add(piece)
        waiting.push(piece.slice())
        waitingBytes += piece.length
        size += piece.length
        if (waitingBytes <= chunkBytes) return
        database.transaction(() => {
          id ??= insert(null, 0, null)
          flush(false)
        })
      },
      end() {
        const hash = running.end()
        if (id === undefined) return { id: put(joinBytes(waiting), hash), size }
        flush(true)
        const there = find(hash)
        if (there !== undefined) {
          discard()
          return there
        }
        database.run('UPDATE polyfs_contents SET hash = ?, size = ? WHERE id = ?', [hash, size, id])
        return { id, size }
      },
      discard: () => database.transaction(discard),
    }
  }

  return {
    put,
    read,
    readAhead,
    find,
    cached: (id) => cached.get(id),
    writer,
    forget() {
      cached.clear()
      cachedBytes = 0
    },
    hashOf: (id) => database.run('SELECT hash FROM polyfs_contents WHERE id = ?', [id])[0]?.hash as string | undefined,
    sha256: (bytes) => known.get(bytes) ?? hashes.sha256(bytes),
  }
}
