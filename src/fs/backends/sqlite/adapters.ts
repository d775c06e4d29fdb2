/** Adapters: the drivers of SQLite as `SqliteDatabase`. Each takes its driver by shape, so the package depends on none. */
import type { SqliteDatabase, SqliteRow, SqliteValue } from './database.js'

/** `DatabaseSync` of `node:sqlite`. */
export interface NodeSqlite {
  prepare(sql: string): { all(...values: SqliteValue[]): unknown[] }
  exec(sql: string): void
}

/** For `node:sqlite` (Node 22.5 or newer). */
export function fromNodeSqlite(database: NodeSqlite): SqliteDatabase {
  const prepared = remembered((sql) => database.prepare(sql))
  return {
    run: (sql, values) => prepared(sql).all(...values) as SqliteRow[],
    transaction: transactionsOf((sql) => database.exec(sql)),
  }
}

/** A database of `better-sqlite3`. */
export interface BetterSqlite {
  prepare(sql: string): {
    readonly reader: boolean
    all(...values: SqliteValue[]): unknown[]
    run(...values: SqliteValue[]): unknown
  }
  exec(sql: string): unknown
}

/** For `better-sqlite3`. */
export function fromBetterSqlite(database: BetterSqlite): SqliteDatabase {
  const prepared = remembered((sql) => database.prepare(sql))
  return {
    run(sql, values) {
      const statement = prepared(sql)
      if (statement.reader) return statement.all(...values) as SqliteRow[]
      statement.run(...values)
      return []
    },
    transaction: transactionsOf((sql) => database.exec(sql)),
  }
}

/** `ctx.storage` of a Durable Object whose class is declared with SQLite. */
export interface DurableObjectStorage {
  readonly sql: { exec(sql: string, ...values: unknown[]): { toArray(): unknown[] } }
  transactionSync<Result>(work: () => Result): Result
}

/** For the storage of a Durable Object. */
export function fromDurableObject(storage: DurableObjectStorage): SqliteDatabase {
  return {
    run: (sql, values) =>
      storage.sql
        .exec(sql, ...values)
        .toArray()
        .map((row) => withBytes(row as RawRow)),
    transaction: (work) => storage.transactionSync(work),
  }
}

/** A database of `sql.js`. */
export interface SqlJs {
  prepare(sql: string): SqlJsStatement
  run(sql: string): unknown
}

export interface SqlJsStatement {
  bind(values: SqliteValue[]): boolean
  step(): boolean
  get(): unknown[]
  getColumnNames(): string[]
  reset(): void
}

/** For `sql.js`, in Node and in pages. `export()` of its database ends all statements: make a new adapter after it. */
export function fromSqlJs(database: SqlJs): SqliteDatabase {
  const prepared = remembered((sql) => {
    const statement = database.prepare(sql)
    return { statement, names: statement.getColumnNames() }
  })
  return {
    run(sql, values) {
      const { statement, names } = prepared(sql)
      statement.bind([...values])
      try {
        return rowsOf(statement, names)
      } finally {
        statement.reset()
      }
    },
    transaction: transactionsOf((sql) => database.run(sql)),
  }
}

function rowsOf(statement: SqlJsStatement, names: readonly string[]): SqliteRow[] {
  const rows: SqliteRow[] = []
  while (statement.step()) {
    const row: Record<string, SqliteValue> = {}
    const values = statement.get() as SqliteValue[]
    for (let column = 0; column < names.length; column += 1) row[names[column] as string] = values[column] ?? null
    rows.push(row)
  }
  return rows
}

/** A database of `@sqlite.org/sqlite-wasm` (`oo1.DB` and its kin). */
export interface SqliteWasm {
  exec(options: { sql: string; bind?: SqliteValue[]; rowMode?: 'object'; returnValue?: 'resultRows' }): unknown
}

/** For `@sqlite.org/sqlite-wasm`, in pages and workers. */
export function fromSqliteWasm(database: SqliteWasm): SqliteDatabase {
  return {
    run: (sql, values) =>
      database.exec({
        sql,
        ...(values.length > 0 && { bind: [...values] }),
        rowMode: 'object',
        returnValue: 'resultRows',
      }) as SqliteRow[],
    transaction: transactionsOf((sql) => void database.exec({ sql })),
  }
}

/** Prepares each statement once: there are some fifty. */
function remembered<Statement>(prepare: (sql: string) => Statement): (sql: string) => Statement {
  const statements = new Map<string, Statement>()
  return (sql) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = prepare(sql)
    statements.set(sql, statement)
    return statement
  }
}

/** Takes the lock for writing at the beginning, so that what is read in the transaction stays true until its end. */
function transactionsOf(execute: (sql: string) => void): SqliteDatabase['transaction'] {
  return (work) => {
    execute('BEGIN IMMEDIATE')
    try {
      const result = work()
      execute('COMMIT')
      return result
    } catch (error) {
      try {
        execute('ROLLBACK')
      } catch {
        // SQLite has rolled back already, as it does when the disk is full; the first error says why.
      }
      throw error
    }
  }
}

type RawRow = Record<string, SqliteValue | ArrayBuffer>

/** Durable Objects return `ArrayBuffer`s. */
function withBytes(row: RawRow): SqliteRow {
  for (const [name, value] of Object.entries(row)) if (value instanceof ArrayBuffer) row[name] = new Uint8Array(value)
  return row as SqliteRow
}
