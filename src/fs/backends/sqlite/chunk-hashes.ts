/** The chunks of large content, and their hashes: a part of a large file is checked without the rest of it. */
import type { RunningHash } from '../../transactional-types.js'
import type { Bytes } from '../../types.js'
import type { SqliteDatabase } from './database.js'

/** Content up to this size is one value, larger content is cut into values of this size. Every host allows values of this size. */
export const chunkBytes = 256 * 1024

export interface Hashes {
  sha256(bytes: Bytes): string
  sha256InPieces(): RunningHash
}

export interface ChunkHashes {
  /** Undefined if one is missing, or is not bytes. */
  read(id: number, first: number, last: number): Bytes[] | undefined
  /** True if these chunks, from the one numbered `first` on, have the hashes that are stored with the content. */
  fit(id: number, first: number, chunks: readonly Bytes[]): boolean
  /** The same with hashes of all chunks that are read now, and that together have the hash of the content. */
  fitWhole(id: number, content: { hash: string; size: number }, first: number, chunks: readonly Bytes[]): boolean
  /** True if two contents have the same so many chunks. */
  areSame(id: number, other: number, count: number): boolean
  /** The chunks of a content replace those of another. */
  move(from: number, to: number): void
  remove(id: number): void
  forget(): void
}

/** Contents whose hashes are in memory: some KB for each 10 MB. */
const maxLists = 16
const hashLength = 64

export function chunkHashes(database: SqliteDatabase, hashes: Hashes): ChunkHashes {
  const lists = new Map<number, string>()

  function remember(id: number, list: string): string {
    lists.set(id, list)
    for (const [oldest] of lists) if (lists.size > maxLists) lists.delete(oldest)
    return list
  }

  function listOf(id: number): string {
    const known = lists.get(id)
    if (known !== undefined) return known
    const [row] = database.run('SELECT data FROM polyfs_contents WHERE id = ?', [id])
    return typeof row?.data === 'string' ? remember(id, row.data) : ''
  }

  function haveHashes(list: string, first: number, chunks: readonly Bytes[]): boolean {
    return chunks.every((chunk, index) => {
      const at = (first + index) * hashLength
      return hashes.sha256(chunk) === list.slice(at, at + hashLength)
    })
  }

  function read(id: number, first: number, last: number): Bytes[] | undefined {
    const sql = 'SELECT data FROM polyfs_chunks WHERE content = ? AND position BETWEEN ? AND ? ORDER BY position'
    const chunks = database.run(sql, [id, first, last]).map(({ data }) => data)
    if (chunks.length !== last - first + 1) return undefined
    return chunks.every((data) => data instanceof Uint8Array) ? chunks : undefined
  }

  /** Content that was stored before there were such lists has none, and a list may be damaged as well. */
  function listOfWhole(id: number, { hash, size }: { hash: string; size: number }): string {
    const running = hashes.sha256InPieces()
    let [list, length] = ['', 0]
    for (let position = 0; position * chunkBytes < size; position += 1) {
      const [chunk] = read(id, position, position) ?? []
      if (chunk === undefined) return ''
      running.add(chunk)
      list += hashes.sha256(chunk)
      length += chunk.length
    }
    return length === size && running.end() === hash ? remember(id, list) : ''
  }

  function remove(id: number): void {
    lists.delete(id)
    database.run('DELETE FROM polyfs_chunks WHERE content = ?', [id])
  }

  return {
    read,
    fit: (id, first, chunks) => haveHashes(listOf(id), first, chunks),
    fitWhole: (id, content, first, chunks) => haveHashes(listOfWhole(id, content), first, chunks),
    areSame(id, other, count) {
      const sql = `SELECT count(*) AS same FROM polyfs_chunks AS one
        JOIN polyfs_chunks AS other ON other.position = one.position AND other.data = one.data
        WHERE one.content = ? AND other.content = ?`
      return database.run(sql, [id, other])[0]?.same === count
    },
    move(from, to) {
      remove(to)
      database.run('UPDATE polyfs_chunks SET content = ? WHERE content = ?', [to, from])
    },
    remove,
    forget: () => lists.clear(),
  }
}
