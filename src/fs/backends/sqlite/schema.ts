/** The tables, described in docs/sqlite.md. Their names begin with `polyfs_`, so that a host can have tables of its own beside them. */
import { FsError } from '../../../errors.js'
import type { SqliteDatabase } from './database.js'

/** Changes whenever an older version of polyfs could no longer use the tables. */
export const schemaVersion = 1

const tables = [
  'CREATE TABLE polyfs_meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID',
  `CREATE TABLE polyfs_workspaces (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL UNIQUE,
     frozen INTEGER NOT NULL,
     origin TEXT,
     made REAL NOT NULL,
     floor INTEGER NOT NULL,
     version INTEGER NOT NULL,
     replaced INTEGER NOT NULL,
     root INTEGER NOT NULL,
     mode INTEGER NOT NULL,
     modified REAL NOT NULL,
     created REAL NOT NULL,
     changed REAL NOT NULL)`,
  `CREATE TABLE polyfs_entries (
     directory INTEGER NOT NULL,
     name TEXT NOT NULL,
     kind TEXT NOT NULL,
     mode INTEGER NOT NULL,
     modified REAL NOT NULL,
     created REAL NOT NULL,
     changed REAL NOT NULL,
     size INTEGER,
     content INTEGER,
     child INTEGER,
     target BLOB,
     PRIMARY KEY (directory, name)) WITHOUT ROWID`,
  `CREATE TABLE polyfs_contents (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     hash TEXT UNIQUE,
     size INTEGER NOT NULL,
     made REAL NOT NULL,
     data BLOB)`,
  `CREATE TABLE polyfs_chunks (
     content INTEGER NOT NULL,
     position INTEGER NOT NULL,
     data BLOB NOT NULL,
     PRIMARY KEY (content, position))`,
  `CREATE TABLE polyfs_changes (
     workspace INTEGER NOT NULL,
     id TEXT NOT NULL,
     state TEXT NOT NULL,
     at REAL NOT NULL,
     bytes INTEGER NOT NULL,
     record TEXT,
     content INTEGER,
     PRIMARY KEY (workspace, id)) WITHOUT ROWID`,
  "CREATE INDEX polyfs_pending ON polyfs_changes (workspace, id) WHERE state <> 'finished'",
  `CREATE TABLE polyfs_kept (
     workspace INTEGER NOT NULL,
     change TEXT NOT NULL,
     hash TEXT NOT NULL,
     content INTEGER NOT NULL,
     PRIMARY KEY (workspace, change, hash)) WITHOUT ROWID`,
]

/** Makes the tables where there are none. Throws where they are of another version, or not as they are made here. */
export function prepareSchema(database: SqliteDatabase): void {
  if (!isPrepared(database)) {
    database.transaction(() => {
      // Another process may have been faster.
      if (isPrepared(database)) return
      for (const table of tables) database.run(table, [])
      database.run("INSERT INTO polyfs_meta (name, value) VALUES ('schema', ?), ('directories', 0)", [schemaVersion])
    })
  }
  const objects = ownObjects(database)
  check(objects, expected.slice(0, 1))
  const version = database.run("SELECT value FROM polyfs_meta WHERE name = 'schema'", [])[0]?.value
  if (version !== schemaVersion) {
    const found = version === undefined ? 'no schema version' : `schema version ${String(version)}`
    throw new FsError('IO', { path: '/', detail: `the database has ${found}; this polyfs needs ${schemaVersion}` })
  }
  check(objects, expected)
  const names = new Set(expected.map(({ name }) => name))
  const added = objects.find(({ name }) => !names.has(name))
  if (added !== undefined) throw unlike(`has the ${added.type} ${added.name} on a table of polyfs`)
}

function isPrepared(database: SqliteDatabase): boolean {
  const found = database.run("SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'polyfs_meta'", [])
  return found.length > 0
}

interface SchemaObject {
  name: string
  type: string
  sql: string
}

const expected = tables.map((sql): { name: string; sql: string } => ({
  name: /polyfs_\w+/.exec(sql)?.[0] ?? '',
  sql: plainSql(sql),
}))

/** The tables of polyfs as they are, and what others have put on them. SQLite runs triggers and views whatever they say, also for ever. */
function ownObjects(database: SqliteDatabase): SchemaObject[] {
  const rows = database.run('SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL', [])
  const own = new Set(expected.filter(({ sql }) => sql.startsWith('CREATE TABLE')).map(({ name }) => name))
  return rows
    .filter(({ tbl_name: table, name }) => own.has(String(table).toLowerCase()) || own.has(String(name).toLowerCase()))
    .map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: plainSql(String(sql)) }))
}

/** SQLite stores the text of a statement. Other tools quote names, and break lines elsewhere. */
function plainSql(sql: string): string {
  return sql
    .replace(/["`[\]]/g, '')
    .replace(/\s+/g, ' ')
    .replace('IF NOT EXISTS ', '')
    .trim()
}

function check(objects: readonly SchemaObject[], wanted: readonly { name: string; sql: string }[]): void {
  for (const { name, sql } of wanted) {
    const found = objects.filter((object) => object.name === name)
    if (found.length === 0) throw unlike(`has no ${name}`)
    if (found.some((object) => object.sql !== sql)) throw unlike(`has another ${name} than polyfs makes`)
  }
}

function unlike(what: string): FsError {
  return new FsError('IO', {
    path: '/',
    detail: `the database ${what}, so it is not used: remove that, or restore a backup`,
  })
}
