/** File contents by their hash: equal ones are stored once, large ones in chunks. What is read is compared with its hash. */
import { copiedBytes } from '../../../text/copied-bytes.js'
import { joinBytes } from '../../../text/join-bytes.js'
import type { ByteRange, Bytes } from '../../types.js'
import { chunkBytes, chunkHashes, type Hashes } from './chunk-hashes.js'
import { DamagedDatabase, type SqliteDatabase, type SqliteRow, type SqliteValue } from './database.js'

/** How much content is cached in memory unless the host has less. */
const defaultCacheBytes = 64 * 1024 * 1024
/** Files that are read ahead when a directory is read file by file. */
const filesAhead = 64

export interface Contents {
  /** The number of this content, stored now unless it was before. What was damaged is stored again. Call it in a transaction. */
  put(bytes: Bytes, hash: string): number
  /** The bytes, which may be shared; undefined if the content is gone. Throws `DamagedDatabase` if they are not what was stored. */
  read(id: number, size: number, range?: ByteRange): Bytes | undefined
  /** Caches the small files of a directory, from this name on. */
  readAhead(directory: number, from: string): void
  /** Content of this size that is in memory. */
  cached(id: number, size: number): Bytes | undefined
  hashOf(id: number): string | undefined
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
  const chunks = chunkHashes(database, hashes)
  let cachedBytes = 0

  function remember(id: number, bytes: Bytes, hash: string): Bytes {
    known.set(bytes, hash)
    if (cached.has(id)) return bytes
    cached.set(id, bytes)
    cachedBytes += bytes.length
    for (const [oldest, { length }] of cached) {
      if (cachedBytes <= maxCachedBytes) break
      cached.delete(oldest)
      cachedBytes -= length
    }
    return bytes
  }

  /** `data` are the bytes of small content, and of large content the hashes of its chunks. */
  function insert(hash: string | null, size: number, data: SqliteValue): number {
    const sql = 'INSERT INTO polyfs_contents (hash, size, made, data) VALUES (?, ?, ?, ?) RETURNING id'
    return database.run(sql, [hash, size, now(), data])[0]?.id as number
  }

  function insertChunk(id: number, position: number, data: Bytes): void {
    database.run('INSERT INTO polyfs_chunks (content, position, data) VALUES (?, ?, ?)', [id, position, data])
  }

  function fill(id: number, hash: string, size: number, data: SqliteValue): void {
    database.run('UPDATE polyfs_contents SET hash = ?, size = ?, data = ? WHERE id = ?', [hash, size, data, id])
  }

  function put(bytes: Bytes, hash: string): number {
    const there = numberOf(hash)
    if (there !== undefined && isStored(there, bytes, hash)) return there
    const { length } = bytes
    const parts: Bytes[] = []
    for (let at = 0; length > chunkBytes && at < length; at += chunkBytes)
      parts.push(bytes.subarray(at, at + chunkBytes))
    const data = parts.length === 0 ? bytes : parts.map(hashes.sha256).join('')
    const id = there ?? insert(hash, length, data)
    if (there !== undefined) {
      chunks.remove(id)
      fill(id, hash, length, data)
    }
    for (const [position, chunk] of parts.entries()) insertChunk(id, position, chunk)
    if (parts.length === 0) remember(id, copiedBytes(bytes), hash)
    return id
  }

  function numberOf(hash: string): number | undefined {
    return database.run('SELECT id FROM polyfs_contents WHERE hash = ?', [hash])[0]?.id as number | undefined
  }

  /** SQLite compares the bytes, and the hash with that of the row, not of the index: a row may have been changed since it was read. */
  function isStored(id: number, bytes: Bytes, hash: string): boolean {
    const { length } = bytes
    if (length <= chunkBytes) {
      const sql = `SELECT 1 AS found FROM polyfs_contents
        WHERE id = ? AND +hash = ? AND size = ? AND coalesce(data, x'') = coalesce(?, x'')`
      return database.run(sql, [id, hash, length, bytes]).length > 0
    }
    if (!hasShape(id, length, hash)) return false
    const sql = 'SELECT 1 AS found FROM polyfs_chunks WHERE content = ? AND position = ? AND data = ?'
    for (let at = 0; at < length; at += chunkBytes) {
      const values = [id, at / chunkBytes, bytes.subarray(at, at + chunkBytes)]
      if (database.run(sql, values).length === 0) return false
    }
    return true
  }

  /** True for content of this size with as many chunks as it needs. */
  function hasShape(id: number, size: number, hash: string): boolean {
    const sql = `SELECT 1 AS found FROM polyfs_contents
      WHERE id = ? AND +hash = ? AND size = ? AND (SELECT count(*) FROM polyfs_chunks WHERE content = id) = ?`
    return database.run(sql, [id, hash, size, Math.ceil(size / chunkBytes)]).length > 0
  }

  function read(id: number, size: number, range: ByteRange = { start: 0, end: size }): Bytes | undefined {
    const [start, end] = [Math.max(0, range.start), Math.min(size, range.end)]
    if (size > chunkBytes) return start < end ? readLarge(id, size, { start, end }) : new Uint8Array()
    const bytes = cached.get(id) ?? readSmall(id)
    if (bytes !== undefined && bytes.length !== size) throw otherBytes()
    if (bytes === undefined || (start === 0 && end === size)) return bytes
    return bytes.subarray(start, Math.max(start, end))
  }

  function readSmall(id: number): Bytes | undefined {
    const [row] = database.run('SELECT id, hash, data FROM polyfs_contents WHERE id = ?', [id])
    if (row === undefined) return undefined
    const bytes = verified(row)
    if (bytes === undefined) throw otherBytes()
    return bytes
  }

  /** Undefined unless the bytes of a row have its hash. */
  function verified({ id, hash, data }: SqliteRow): Bytes | undefined {
    // A driver may return NULL for an empty value.
    const bytes = data ?? new Uint8Array()
    if (!(bytes instanceof Uint8Array) || typeof hash !== 'string' || hashes.sha256(bytes) !== hash) return undefined
    return remember(id as number, bytes, hash)
  }

  function readLarge(id: number, size: number, { start, end }: ByteRange): Bytes | undefined {
    const [row] = database.run('SELECT hash, size FROM polyfs_contents WHERE id = ?', [id])
    if (row === undefined) return undefined
    const { hash } = row
    if (typeof hash !== 'string' || row.size !== size) throw otherBytes()
    const [first, last] = [Math.floor(start / chunkBytes), Math.floor((end - 1) / chunkBytes)]
    const parts = chunks.read(id, first, last)
    if (parts === undefined) return undefined
    if (start > 0 || end < size) {
      if (!chunks.fit(id, first, parts) && !chunks.fitWhole(id, { hash, size }, first, parts)) {
        throw otherBytes()
      }
      const from = first * chunkBytes
      return joinBytes(parts).subarray(start - from, end - from)
    }
    const bytes = joinBytes(parts)
    if (bytes.length !== size || hashes.sha256(bytes) !== hash) throw otherBytes()
    known.set(bytes, hash)
    return bytes
  }

  function readAhead(directory: number, from: string): void {
    const sql = `SELECT c.id AS id, c.hash AS hash, c.data AS data
      FROM (SELECT content FROM polyfs_entries WHERE directory = ? AND name >= ? AND size <= ? ORDER BY name LIMIT ?) AS e
      JOIN polyfs_contents AS c ON c.id = e.content WHERE c.size <= ?`
    // What is damaged is not cached; reading it fails.
    for (const row of database.run(sql, [directory, from, chunkBytes / 4, filesAhead, chunkBytes])) verified(row)
  }

  function writer(): ContentWriter {
    const running = hashes.sha256InPieces()
    let waiting: Bytes[] = []
    let [waitingBytes, size, count] = [0, 0, 0]
    let list = ''
    let id: number | undefined

    /** Stores whole chunks, or with `all` the rest as well. */
    function flush(all: boolean): void {
      const joined = joinBytes(waiting)
      let at = 0
      for (; at + chunkBytes <= joined.length || (all && at < joined.length); at += chunkBytes) {
        const chunk = joined.subarray(at, at + chunkBytes)
        insertChunk(id as number, count, chunk)
        list += hashes.sha256(chunk)
        count += 1
      }
      waiting = at < joined.length ? [joined.subarray(at)] : []
      waitingBytes = Math.max(0, joined.length - at)
    }

    function discard(): void {
      if (id === undefined) return
      chunks.remove(id)
      database.run('DELETE FROM polyfs_contents WHERE id = ?', [id])
      id = undefined
    }

    return {
      add(piece) {
        running.add(piece)
        waiting.push(copiedBytes(piece))
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
        const there = numberOf(hash)
        if (there === undefined) {
          fill(id, hash, size, list)
          return { id, size }
        }
        if (!hasShape(there, size, hash) || !chunks.areSame(there, id, count)) {
          chunks.move(id, there)
          fill(there, hash, size, list)
        }
        discard()
        return { id: there, size }
      },
      discard: () => database.transaction(discard),
    }
  }

  return {
    put,
    read,
    readAhead,
    cached(id, size) {
      const bytes = cached.get(id)
      return bytes?.length === size ? bytes : undefined
    },
    writer,
    forget() {
      cached.clear()
      chunks.forget()
      cachedBytes = 0
    },
    hashOf: (id) => database.run('SELECT hash FROM polyfs_contents WHERE id = ?', [id])[0]?.hash as string | undefined,
    sha256: (bytes) => known.get(bytes) ?? hashes.sha256(bytes),
  }
}

function otherBytes(): DamagedDatabase {
  const next = 'restore a backup of it, or write what it should contain to another file, which mends both'
  return new DamagedDatabase('has other bytes for this file than were stored', next)
}
