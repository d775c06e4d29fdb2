/** What an object stores beside its workspaces: when it was last used, and the sessions of clients. */
import type { SqliteDatabase, SqliteRow, SqliteValue } from '../src/fs/backends/sqlite/database.js'
import type { SessionStore } from '../src/mcp/serve.js'

export interface ObjectTables {
  usedMs(): number | undefined
  setUsed(atMs: number): void
  /** The sessions of one workspace of the object. */
  sessionsOf(workspace: string): SessionStore
  dropSessions(workspace: string): void
}

/** Sessions beyond this number are forgotten, the oldest first; their clients have to begin again. */
const maxStoredSessions = 1000
/** A message that begins a session has less than a kilobyte. */
const maxMessageLength = 65_536

export function objectTables(database: SqliteDatabase): ObjectTables {
  const run = (sql: string, ...values: SqliteValue[]): readonly SqliteRow[] => database.run(sql, values)
  run('CREATE TABLE IF NOT EXISTS polyfs_object (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID')
  run(`CREATE TABLE IF NOT EXISTS polyfs_sessions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    initialize TEXT NOT NULL)`)

  return {
    usedMs: () => run("SELECT value FROM polyfs_object WHERE name = 'used'")[0]?.value as number | undefined,

    setUsed: (atMs) => void run("INSERT OR REPLACE INTO polyfs_object (name, value) VALUES ('used', ?)", atMs),

    sessionsOf: (workspace) => ({
      load(id) {
        const sql = 'SELECT initialize FROM polyfs_sessions WHERE id = ? AND workspace = ?'
        const text = run(sql, id, workspace)[0]?.initialize as string | undefined
        return text === undefined ? undefined : JSON.parse(text)
      },
      save(id, initialize) {
        const text = JSON.stringify(initialize)
        if (text.length > maxMessageLength) return
        const [row] = run(
          'INSERT INTO polyfs_sessions (id, workspace, initialize) VALUES (?, ?, ?) RETURNING number',
          id,
          workspace,
          text,
        )
        run('DELETE FROM polyfs_sessions WHERE number <= ?', (row?.number as number) - maxStoredSessions)
      },
      remove: (id) => void run('DELETE FROM polyfs_sessions WHERE id = ?', id),
    }),

    dropSessions: (workspace) => void run('DELETE FROM polyfs_sessions WHERE workspace = ?', workspace),
  }
}
