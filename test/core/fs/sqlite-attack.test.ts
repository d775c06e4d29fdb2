/** Databases in which anything was changed: every call ends, with what was stored or with an error that says what is wrong. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sqliteJournal } from '../../../src/change/journal/sqlite-journal.js'
import { FsError } from '../../../src/errors.js'
import type { SqliteDatabase } from '../../../src/fs/backends/sqlite/database.js'
import { sqliteWorkspaces } from '../../../src/fs/backends/sqlite/workspaces.js'
import { sha256 } from '../../../src/fs/digests/sha256.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { isFull, scaled, seeded } from '../../scale.js'
import { sqlJs } from './sqlite-database.js'

const openDatabase = await sqlJs()
const encode = (text: string) => new TextEncoder().encode(text)

function largeBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 7 + (at >> 9)) & 0xff
  return bytes
}

/** No two have the same size: only its size shows which content a file has. */
const files = new Map([
  ['/a', encode('one')],
  ['/d/b', encode('three of them')],
  ['/d/e/c', encode('a'.repeat(5000))],
  ['/d/e/f/g', largeBytes(270_000)],
  ['/x/y/z', encode('')],
  ['/x/y/w', encode('changed later')],
])
const later = encode('what it was changed to')
const directories = ['/d', '/d/e', '/d/e/f', '/x', '/x/y']
const stored = new Set([...files.values(), later].map((bytes) => sha256(bytes)))

/** A database with a workspace, its history, a fork and a snapshot. */
async function whole(): Promise<Uint8Array> {
  const database = openDatabase()
  const fs = sqliteWorkspaces(database).open('main')
  for (const path of directories) await fs.makeDir(path)
  for (const [path, bytes] of files) await fs.writeFile(path, bytes)
  await fs.symlink?.('a', '/link')
  fs.snapshot('before')
  const { changes } = createWorkspace({ fs, journal: sqliteJournal(fs) })
  await changes.run({ label: 'edit', scopes: [{ path: '/x/y/w' }] }, (draft) => draft.write('/x/y/w', later))
  await changes.run({ label: 'remove', scopes: [{ path: '/a' }] }, (draft) => draft.remove('/a'))
  fs.fork('other')
  return database.bytes()
}

const intact = await whole()

const values = [
  ...[
    'NULL',
    '0',
    '1',
    '2',
    '3',
    '5',
    '-1',
    '1.5',
    '9e999',
    '9223372036854775807',
    '9007199254740993',
    "''",
    "'.'",
    "'..'",
  ],
  ...[
    "'a'",
    "'d/e'",
    "'file'",
    "'directory'",
    "'symlink'",
    "'finished'",
    "'committed'",
    "x''",
    "x'00ff'",
    'zeroblob(70)',
  ],
  ...["'{}'", "'null'", "'[]'", 'char(0)', "CAST(x'ff' AS TEXT)"],
]
const columns = {
  polyfs_meta: ['name', 'value'],
  polyfs_workspaces: [
    'id',
    'name',
    'frozen',
    'origin',
    'made',
    'floor',
    'version',
    'replaced',
    'root',
    'mode',
    'modified',
  ],
  polyfs_entries: ['directory', 'name', 'kind', 'mode', 'modified', 'created', 'size', 'content', 'child', 'target'],
  polyfs_contents: ['id', 'hash', 'size', 'made', 'data'],
  polyfs_chunks: ['content', 'position', 'data'],
  polyfs_changes: ['workspace', 'id', 'state', 'at', 'bytes', 'record', 'content'],
  polyfs_kept: ['workspace', 'change', 'hash', 'content'],
}
const place = fc.constantFrom(
  ...Object.entries(columns).flatMap(([table, names]) => names.map((name) => ({ table, name }))),
)
const table = fc.constantFrom(...Object.keys(columns))
/** A row of a table, whatever its key is. */
const row = (from: string, nth: number) =>
  `(SELECT * FROM ${from} LIMIT 1 OFFSET ${nth} % max(1, (SELECT count(*) FROM ${from})))`
const nth = fc.nat(40)

function matching(from: string, at: number): string {
  const names = columns[from as keyof typeof columns]
  const keys = names.slice(0, 3).filter((name) => name !== 'data')
  return keys.map((key) => `${key} IS (SELECT ${key} FROM ${row(from, at)})`).join(' AND ')
}

const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ place, nth, value: fc.constantFrom(...values) })
      .map(
        ({ place, nth, value }) =>
          `UPDATE OR IGNORE ${place.table} SET ${place.name} = ${value} WHERE ${matching(place.table, nth)}`,
      ),
  },
  // The value of another row.
  {
    weight: 6,
    arbitrary: fc
      .record({ place, nth, other: nth })
      .map(
        ({ place, nth, other }) =>
          `UPDATE OR IGNORE ${place.table} SET ${place.name} = (SELECT ${place.name} FROM ${row(place.table, other)}) WHERE ${matching(place.table, nth)}`,
      ),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ place, nth, by: fc.constantFrom(-1, 1, 2, 1000) })
      .map(
        ({ place, nth, by }) =>
          `UPDATE OR IGNORE ${place.table} SET ${place.name} = ${place.name} + ${by} WHERE ${matching(place.table, nth)}`,
      ),
  },
  {
    weight: 3,
    arbitrary: fc.record({ table, nth }).map(({ table, nth }) => `DELETE FROM ${table} WHERE ${matching(table, nth)}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ nth, name: fc.constantFrom("'a'", "'new'", "x'61'") })
      .map(
        ({ nth, name }) =>
          `INSERT OR IGNORE INTO polyfs_entries SELECT directory, ${name}, kind, mode, modified, created, changed, size, content, child, target FROM ${row('polyfs_entries', nth)}`,
      ),
  },
  // A byte of a value, or of a text.
  {
    weight: 4,
    arbitrary: fc
      .record({ nth, at: fc.nat(300), where: fc.constantFrom('polyfs_contents', 'polyfs_chunks') })
      .map(
        ({ nth, at, where }) =>
          `UPDATE ${where} SET data = CAST(substr(data, 1, ${at}) || x'2a' || substr(data, ${at} + 2) AS BLOB) WHERE ${matching(where, nth)} AND typeof(data) = 'blob'`,
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'CREATE TRIGGER t AFTER INSERT ON polyfs_entries BEGIN DELETE FROM polyfs_contents; END',
      'DROP TABLE polyfs_kept; CREATE VIEW polyfs_kept AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS workspace, i AS change, i AS hash, i AS content FROM n',
      'DROP TABLE polyfs_chunks',
      'ALTER TABLE polyfs_contents RENAME COLUMN data TO bytes',
    ),
  },
)

/** What a call gave: an error that says what is wrong counts, a bug does not. */
async function attempt<Result>(run: () => Result | Promise<Result>): Promise<Result | undefined> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof FsError) || error.code === 'INTERNAL') throw error
    return undefined
  }
}

/** Everything in a tree, as far as it can be read. A tree has no more entries than the database. */
async function walked(fs: FileSystem, seen: string[] = [], path = ''): Promise<string[]> {
  for (const { name, kind } of (await attempt(() => fs.readDir(path === '' ? '/' : path))) ?? []) {
    const at = `${path}/${name}`
    seen.push(at)
    expect(seen.length).toBeLessThan(100)
    if (kind === 'directory') await walked(fs, seen, at)
    else if (kind === 'symlink') await attempt(() => fs.readLink?.(at))
    else await readInEveryWay(fs, at)
  }
  return seen
}

async function readInEveryWay(fs: FileSystem, path: string): Promise<void> {
  const stat = await attempt(() => fs.stat(path))
  const bytes = await attempt(() => fs.readFile(path))
  if (bytes !== undefined) expect([path, stored.has(sha256(bytes)), bytes.length]).toEqual([path, true, stat?.size])
  const range = { start: 1, end: 265_000 }
  const part = await attempt(() => fs.readFile(path, range))
  const source = await attempt(() => fs.open?.(path))
  const streamed = await attempt(() => source?.read(range))
  for (const some of [part, streamed]) {
    if (some === undefined) continue
    const isPart = [...files.values(), later].some(
      (all) => all.length === stat?.size && isSame(all.slice(1, 265_000), some),
    )
    expect([path, isPart]).toEqual([path, true])
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

async function everyCall(database: SqliteDatabase): Promise<void> {
  const workspaces = await attempt(() => sqliteWorkspaces(database))
  if (workspaces === undefined) return
  await attempt(() => workspaces.list())
  await attempt(() => workspaces.diff('before', 'main'))
  for (const name of ['main', 'other', 'before']) {
    const fs = await attempt(() => workspaces.open(name))
    if (fs === undefined) continue
    await walked(fs)
    if (name === 'before') continue
    const workspace = await attempt(() => createWorkspace({ fs, journal: sqliteJournal(fs) }))
    if (workspace === undefined) continue
    await attempt(() => workspace.changes.settle())
    await attempt(() => workspace.history.list())
    await attempt(() => workspace.history.differences(undefined))
    for (const version of (await attempt(() => workspace.history.earlierVersions('/x/y/w', 5))) ?? []) {
      expect(stored.has(sha256(version))).toBe(true)
    }
    await attempt(() => workspace.history.undo())
    await attempt(() => workspace.history.undo())
    // What is written now is there afterwards, whatever was there before.
    for (const [index, bytes] of [...files.values()].entries()) {
      const path = `/new${index}`
      const isWritten = await attempt(async () => {
        await fs.writeFile(path, bytes)
        return true
      })
      const read = isWritten && (await fs.readFile(path))
      if (read) expect(isSame(read, bytes)).toBe(true)
    }
    await attempt(() => fs.makeDir('/made'))
    await attempt(() => fs.rename('/d', '/made/d'))
    await attempt(() => fs.fork('fork'))
    await attempt(() => fs.snapshot('snapshot'))
    await attempt(() => fs.restore('before'))
    for (const path of (await walked(fs)).reverse()) await attempt(() => fs.remove(path))
  }
  await attempt(() => workspaces.gc())
  await attempt(() => workspaces.drop('other'))
}

test('every call on a changed database ends, with what was stored or an error', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (statements) => {
      const database = openDatabase(intact)
      for (const sql of statements) {
        // Some changes are not possible, or not after another.
        try {
          database.execute(sql)
        } catch (error) {
          if (!/constraint|no such|datatype mismatch|already exists|may not be|cannot/.test(String(error))) throw error
        }
      }
      await everyCall(database)
      database.close()
    }),
    { numRuns: Number(process.env.POLYFS_RUNS ?? scaled(200)), seed: seeded(31), endOnFailure: !isFull },
  )
})

test('a database with changed bytes gives what was stored or an error', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 8 }),
      async (flips) => {
        const bytes = intact.slice()
        for (const [at, by] of flips) bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ by
        const database = openDatabase(bytes)
        await everyCall(database)
        database.close()
      },
    ),
    { numRuns: Number(process.env.POLYFS_RUNS ?? scaled(100)), seed: seeded(32), endOnFailure: !isFull },
  )
})
