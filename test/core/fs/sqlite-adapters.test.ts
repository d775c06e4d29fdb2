/** The adapters, on stand-ins that have the interface of each driver and sql.js behind it. */
import initSqlJs from 'sql.js'
import { describe, expect, test } from 'vitest'
import {
  fromBetterSqlite,
  fromDurableObject,
  fromNodeSqlite,
  fromSqliteWasm,
  fromSqlJs,
} from '../../../src/fs/backends/sqlite/adapters.js'
import type { SqliteDatabase, SqliteRow, SqliteValue } from '../../../src/fs/backends/sqlite/database.js'
import { sqliteWorkspaces } from '../../../src/fs/backends/sqlite/workspaces.js'
import { sha256 } from '../../../src/fs/digests/sha256.js'

const { Database } = await initSqlJs({})

type Driver = InstanceType<typeof Database>

function allOf(driver: Driver, sql: string, values: readonly SqliteValue[]): SqliteRow[] {
  return [...fromSqlJs(driver).run(sql, values)]
}

const adapters: Record<string, (driver: Driver) => SqliteDatabase> = {
  'sql.js': (driver) => fromSqlJs(driver),

  // `all` runs statements without rows too.
  'node:sqlite': (driver) =>
    fromNodeSqlite({
      prepare: (sql) => ({ all: (...values) => allOf(driver, sql, values) }),
      exec: (sql) => void driver.run(sql),
    }),

  // `all` refuses statements without rows, and `run` those with rows.
  'better-sqlite3': (driver) =>
    fromBetterSqlite({
      prepare(sql) {
        const reader = driver.prepare(sql).getColumnNames().length > 0
        const only = (wanted: boolean, values: SqliteValue[]) => {
          if (reader !== wanted) throw new TypeError(`this statement ${reader ? 'returns' : 'does not return'} data`)
          return allOf(driver, sql, values)
        }
        return { reader, all: (...values) => only(true, values), run: (...values) => only(false, values) }
      },
      exec: (sql) => driver.run(sql),
    }),

  // Statements for transactions are refused, and bytes are returned as an ArrayBuffer.
  'a Durable Object': (driver) =>
    fromDurableObject({
      sql: {
        exec(sql, ...values) {
          if (/^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|PRAGMA)/.test(sql)) throw new Error('not authorized')
          const rows = allOf(driver, sql, values as SqliteValue[]).map((row) =>
            Object.fromEntries(
              Object.entries(row).map(([name, value]) => [
                name,
                value instanceof Uint8Array ? value.slice().buffer : value,
              ]),
            ),
          )
          return { toArray: () => rows }
        },
      },
      transactionSync(work) {
        driver.run('BEGIN')
        try {
          const result = work()
          driver.run('COMMIT')
          return result
        } catch (error) {
          driver.run('ROLLBACK')
          throw error
        }
      },
    }),

  'sqlite-wasm': (driver) =>
    fromSqliteWasm({
      exec: ({ sql, bind = [], returnValue }) => (returnValue ? allOf(driver, sql, bind) : driver.run(sql)),
    }),
}

describe.each(Object.entries(adapters))('the adapter of %s', (_name, adapt) => {
  test('reads, writes, forks and collects', async () => {
    const workspaces = sqliteWorkspaces(adapt(new Database()))
    const fs = workspaces.open('main')
    const large = new Uint8Array(600_000).fill(7)
    await fs.makeDir('/d')
    await fs.writeFile('/d/\ufeffempty', new Uint8Array())
    await fs.writeFile('/d/large', large)
    await fs.symlink?.('d/large', '/link')
    const fork = fs.fork('fork')
    await fork.remove('/d/large')
    expect(await fs.readDir('/d')).toEqual([
      { name: 'large', kind: 'file' },
      { name: '\ufeffempty', kind: 'file' },
    ])
    expect(await fs.readFile('/d/\ufeffempty')).toEqual(new Uint8Array())
    expect(sha256(await fs.readFile('/d/large'))).toBe(sha256(large))
    expect(await fork.readLink?.('/link')).toBe('d/large')
    expect(workspaces.diff('main', 'fork')).toEqual([{ path: '/d/large', kind: 'file', change: 'deleted' }])
    workspaces.drop('main')
    expect(workspaces.gc()).toMatchObject({ contents: 1, bytes: 600_000 })
  })

  test('a transaction that fails leaves nothing, and the next one works', async () => {
    const database = adapt(new Database())
    database.run('CREATE TABLE t (a)', [])
    const work = () => {
      database.run('INSERT INTO t VALUES (?)', [1])
      throw new Error('no')
    }
    expect(() => database.transaction(work)).toThrow('no')
    expect(database.run('SELECT a FROM t', [])).toEqual([])
    database.transaction(() => database.run('INSERT INTO t VALUES (?)', [2]))
    expect(database.run('SELECT a FROM t', [])).toEqual([{ a: 2 }])
  })
})

test.each([
  [{ errcode: 13 }, 'NO_SPACE'],
  [{ errcode: 5 | (2 << 8) }, 'BUSY'],
  [{ resultCode: 6 }, 'BUSY'],
  [{ code: 'SQLITE_READONLY_DBMOVED' }, 'READ_ONLY'],
  [{ message: 'database or disk is full: SQLITE_FULL' }, 'NO_SPACE'],
  [{ code: 'SQLITE_CORRUPT', message: 'database disk image is malformed' }, 'IO'],
])('an error with %j is %s', (facts, code) => {
  const failing: SqliteDatabase = {
    run: () => {
      throw Object.assign(new Error('it failed'), facts)
    },
    transaction: (work) => work(),
  }
  expect(() => sqliteWorkspaces(failing)).toThrow(expect.objectContaining({ code }))
})
