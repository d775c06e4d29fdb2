/** A journal in the database of the tree: a change and its record are one transaction, and replaced content is not copied. */
import { chunkBytes } from '../../fs/backends/sqlite/chunk-hashes.js'
import { DamagedDatabase, DatabaseFailure, type SqliteRow } from '../../fs/backends/sqlite/database.js'
import { wholeNumber } from '../../fs/backends/sqlite/entries.js'
import type { SqliteFileSystem } from '../../fs/backends/sqlite/file-system.js'
import type { Bytes } from '../../fs/types.js'
import { isChangeRecord } from './check-record.js'
import type { Journal, Pending } from './journal.js'
import { bytesIn, type ChangeRecord, type Contents } from './record.js'

/** The journal of a workspace. It is dropped with the workspace; a fork begins without one. */
export function sqliteJournal({ place }: SqliteFileSystem): Journal {
  const { store, tree } = place
  const { database, contents } = store
  const own = tree.id

  /** Writes a record with the content that it needs, in a transaction. */
  function put(record: ChangeRecord, kept: Contents, state: Pending['state'] | 'finished'): void {
    remove(record.id)
    const text = JSON.stringify(record)
    const isSmall = text.length * 3 <= chunkBytes
    const bytes = isSmall ? undefined : encoder.encode(text)
    const content = bytes === undefined ? null : contents.put(bytes, contents.sha256(bytes))
    const sql =
      'INSERT INTO polyfs_changes (workspace, id, state, at, bytes, record, content) VALUES (?, ?, ?, ?, ?, ?, ?)'
    const size = bytesIn(kept) + text.length
    database.run(sql, [own, record.id, state, record.atMs, size, isSmall ? text : null, content])
    for (const [hash, replaced] of kept) {
      const sql = 'INSERT INTO polyfs_kept (workspace, change, hash, content) VALUES (?, ?, ?, ?)'
      database.run(sql, [own, record.id, hash, contents.put(replaced, hash)])
    }
  }

  function remove(id: string): void {
    database.run('DELETE FROM polyfs_kept WHERE workspace = ? AND change = ?', [own, id])
    database.run('DELETE FROM polyfs_changes WHERE workspace = ? AND id = ?', [own, id])
  }

  /** Undefined for a record that can't be read, which is then set aside. */
  function recordIn(row: SqliteRow): ChangeRecord | undefined {
    const id = row.id as string
    try {
      const record: unknown = JSON.parse(textIn(row))
      if (isChangeRecord(record) && record.id === id) return record
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof DamagedDatabase)) throw error
    }
    setState(id, 'corrupt', row.state as string)
    return undefined
  }

  function textIn({ record, content }: SqliteRow): string {
    if (typeof record === 'string') return record
    const [found] = database.run('SELECT id, size FROM polyfs_contents WHERE id = ?', [content ?? null])
    const bytes = found && contentIn(found)
    return bytes === undefined ? '' : decoder.decode(bytes)
  }

  /** The content of a row with its number and size. */
  function contentIn({ id, size }: SqliteRow): Bytes | undefined {
    return contents.read(id as number, wholeNumber(size, 'the size of a content'))
  }

  function setState(id: string, state: string, from: string): void {
    database.run('UPDATE polyfs_changes SET state = ? WHERE workspace = ? AND id = ? AND state = ?', [
      state,
      own,
      id,
      from,
    ])
  }

  /** The finished records, the newest first. */
  function finished(newest: number, before: string | undefined): SqliteRow[] {
    const limit = newest === Infinity ? -1 : newest
    const select = "SELECT id, state, record, content FROM polyfs_changes WHERE workspace = ? AND state = 'finished'"
    return [
      ...(before === undefined
        ? database.run(`${select} ORDER BY id DESC LIMIT ?`, [own, limit])
        : database.run(`${select} AND id < ? ORDER BY id DESC LIMIT ?`, [own, before, limit])),
    ]
  }

  function recordsIn(rows: readonly SqliteRow[]): ChangeRecord[] {
    return rows.map(recordIn).filter((record) => record !== undefined)
  }

  const begin = async (record: ChangeRecord, kept: Contents) => write(() => put(record, kept, 'begun'))

  function write(work: () => void): void {
    translated(() => store.transact(work))
  }

  return {
    begin,
    keep: begin,
    commit: async (id) => write(() => setState(id, 'committed', 'begun')),
    withdraw: async (id, from = 'committed') => write(() => setState(id, 'withdrawn', from)),

    finish: async (record, from = 'committed') =>
      write(() => {
        if (record.undoable) setState(record.id, 'finished', from)
        else put(record, new Map(), 'finished')
      }),

    abandon: async (id) =>
      write(() => {
        const sql = "SELECT 1 AS found FROM polyfs_changes WHERE workspace = ? AND id = ? AND state <> 'finished'"
        if (database.run(sql, [own, id]).length > 0) remove(id)
      }),

    pending: async (except) =>
      translated(() => {
        const sql = `SELECT id, state, record, content FROM polyfs_changes
          WHERE workspace = ? AND state <> 'finished' AND state IN ('begun', 'committed', 'withdrawn') ORDER BY id`
        const found: Pending[] = []
        for (const row of database.run(sql, [own])) {
          if (except?.has(row.id as string)) continue
          const record = recordIn(row)
          if (record !== undefined) found.push({ record, state: row.state as Pending['state'] })
        }
        return found
      }),

    // A record is written in one transaction, so there are no parts of one.
    clean: async () => {},

    corrupt: async () =>
      translated(() => {
        const sql = "SELECT id FROM polyfs_changes WHERE workspace = ? AND state <> 'finished' AND state = 'corrupt'"
        return database.run(sql, [own]).map(({ id }) => id as string)
      }),

    add: async (record, kept) => write(() => put(record, kept, 'finished')),

    history: async (newest = Infinity, before) => translated(() => recordsIn(finished(newest, before)).reverse()),

    content: async (id, hash) =>
      translated(() => {
        const sql = `SELECT c.id AS id, c.size AS size FROM polyfs_kept AS k JOIN polyfs_contents AS c ON c.id = k.content
          WHERE k.workspace = ? AND k.change = ? AND k.hash = ?`
        const [row] = database.run(sql, [own, id, hash])
        try {
          return row && contentIn(row)?.slice()
        } catch (error) {
          if (error instanceof DamagedDatabase) return undefined
          throw error
        }
      }),

    prune: async ({ maxBytes, oldestMs }) =>
      translated(() =>
        store.transact(() => {
          const sql = `SELECT id, at, bytes FROM polyfs_changes WHERE workspace = ? AND state = 'finished' ORDER BY id DESC`
          let [total, left] = [0, 0]
          for (const { id, at, bytes } of database.run(sql, [own])) {
            total += Number(bytes)
            if (total > maxBytes || (at as number) < oldestMs) {
              removeUpTo(id as string)
              break
            }
            left += 1
          }
          return left
        }),
      ),

    purge: async (left) =>
      write(() => {
        for (const record of recordsIn(finished(Infinity, undefined))) {
          const other = left(record)
          if (other === undefined) remove(record.id)
          else if (other !== record) put(other, new Map(), 'finished')
        }
        database.run("DELETE FROM polyfs_changes WHERE workspace = ? AND state = 'corrupt'", [own])
        store.collect()
      }),

    atomic: { unit: store, add: (record, kept) => put(record, kept, 'finished') },
  }

  function removeUpTo(id: string): void {
    const older = "SELECT id FROM polyfs_changes WHERE workspace = ? AND id <= ? AND state = 'finished'"
    database.run(`DELETE FROM polyfs_kept WHERE workspace = ? AND change IN (${older})`, [own, own, id])
    database.run("DELETE FROM polyfs_changes WHERE workspace = ? AND id <= ? AND state = 'finished'", [own, id])
  }
}

function translated<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw error instanceof DatabaseFailure ? error.at('/') : error
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
