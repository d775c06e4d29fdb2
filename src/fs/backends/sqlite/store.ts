/** What all workspaces of a database share. */
import { chunkBytes, type Hashes } from './chunk-hashes.js'
import { type Contents, createContents } from './contents.js'
import { type GuardedDatabase, guarded, type SqliteDatabase } from './database.js'
import { prepareSchema } from './schema.js'

export interface Store {
  readonly database: GuardedDatabase
  readonly contents: Contents
  readonly now: () => number
  readonly hashes: Hashes
  /** Runs `work` in one transaction; when it throws, nothing of it remains. */
  transact<Result>(work: () => Result): Result
  /** Deletes what no workspace and no history refers to. Call it in a transaction. */
  collect(): Collected
}

/** What a collection of garbage has deleted. */
export interface Collected {
  entries: number
  contents: number
  bytes: number
}

/** Content that a stream has not finished writing is left alone for so long. */
const unfinishedMs = 24 * 60 * 60 * 1000

export function openStore(
  given: SqliteDatabase,
  hashes: Hashes,
  { now, cacheBytes }: { now: () => number; cacheBytes?: number | undefined },
): Store {
  const database = guarded(given)
  prepareSchema(database)
  const contents = createContents(database, hashes, now, cacheBytes)

  function collect(): Collected {
    const count = (sql: string) => database.run(sql, [])[0]?.count as number
    const entriesBefore = count('SELECT count(*) AS count FROM polyfs_entries')
    database.run(
      `WITH RECURSIVE live (directory) AS (
         SELECT root FROM polyfs_workspaces
         UNION SELECT e.child FROM live JOIN polyfs_entries AS e ON e.directory = live.directory WHERE e.child IS NOT NULL)
       DELETE FROM polyfs_entries WHERE directory NOT IN (SELECT directory FROM live)`,
      [],
    )
    const unused = `(hash IS NOT NULL OR made < ?) AND id NOT IN (
      SELECT content FROM polyfs_entries WHERE content IS NOT NULL
      UNION SELECT content FROM polyfs_kept
      UNION SELECT content FROM polyfs_changes WHERE content IS NOT NULL)`
    const oldest = now() - unfinishedMs
    const [found] = database.run(
      `SELECT count(*) AS contents, coalesce(sum(size), 0) AS bytes FROM polyfs_contents WHERE ${unused}`,
      [oldest],
    )
    database.run(
      `DELETE FROM polyfs_chunks WHERE content IN (
         SELECT id FROM polyfs_contents WHERE (size > ${chunkBytes} OR hash IS NULL) AND ${unused})`,
      [oldest],
    )
    database.run(`DELETE FROM polyfs_contents WHERE ${unused}`, [oldest])
    return {
      entries: entriesBefore - count('SELECT count(*) AS count FROM polyfs_entries'),
      contents: found?.contents as number,
      bytes: found?.bytes as number,
    }
  }

  function transact<Result>(work: () => Result): Result {
    const before = database.writes
    try {
      return database.transaction(work)
    } catch (error) {
      // A call that was refused before it wrote anything leaves the cache as it is.
      if (database.writes !== before) contents.forget()
      throw error
    }
  }

  return { database, contents, now, hashes, transact, collect }
}
