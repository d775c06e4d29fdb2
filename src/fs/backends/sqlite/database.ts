/** The part of SQLite that a workspace needs: what every driver has, called synchronously. */
import { FsError } from '../../../errors.js'

export type SqliteValue = null | number | string | Uint8Array

/** A row by the names of its columns. */
export type SqliteRow = Readonly<Record<string, SqliteValue>>

/** A database. The adapters (`fromNodeSqlite` and others) make one of a driver's own object. */
export interface SqliteDatabase {
  /** Runs one statement and returns its rows. Values are bound in order. */
  run(sql: string, values: readonly SqliteValue[]): readonly SqliteRow[]
  /** Runs `work` in a transaction that may write. When it throws, nothing of it remains. Never called while one is in progress. */
  transaction<Result>(work: () => Result): Result
}

/** A failure of the database itself, before it is known which path was asked for. */
export class DatabaseFailure extends Error {
  constructor(
    readonly kind: 'busy' | 'full' | 'read-only' | 'other',
    readonly detail: string,
    cause?: unknown,
  ) {
    super(detail, { cause })
  }

  at(path: string): FsError {
    const options = { cause: this.cause }
    if (this.kind === 'busy') return new FsError('BUSY', { path }, options)
    if (this.kind === 'full') return new FsError('NO_SPACE', { path }, options)
    if (this.kind === 'read-only') return new FsError('READ_ONLY', { path }, options)
    return new FsError('IO', { path, detail: this.detail }, options)
  }
}

/** What the tables hold does not fit together, or not with its hash: another program has changed it, or the disk has. */
export class DamagedDatabase extends DatabaseFailure {
  constructor(what: string, next = 'restore a backup of it') {
    super('other', `the database ${what}: ${next}`)
  }
}

export interface GuardedDatabase extends SqliteDatabase {
  /** How many statements that may write were run. */
  readonly writes: number
}

/** The database with its failures translated; errors that `work` throws pass unchanged. */
export function guarded(database: SqliteDatabase): GuardedDatabase {
  let writes = 0
  return {
    get writes() {
      return writes
    },
    run(sql, values) {
      if (!sql.startsWith('SELECT')) writes += 1
      try {
        return database.run(sql, values)
      } catch (error) {
        throw failureOf(error)
      }
    },
    transaction(work) {
      let thrown: { error: unknown } | undefined
      try {
        return database.transaction(() => {
          try {
            return work()
          } catch (error) {
            thrown = { error }
            throw error
          }
        })
      } catch (error) {
        throw thrown === undefined ? failureOf(error) : thrown.error
      }
    },
  }
}

/** The one translation of errors that drivers throw. They agree on nothing but SQLite's own names, numbers and texts. */
function failureOf(error: unknown): DatabaseFailure {
  const detail = error instanceof Error ? error.message : String(error)
  const code = codeOf(error, detail)
  if (code === busy || code === locked) return new DatabaseFailure('busy', detail, error)
  if (code === full) return new DatabaseFailure('full', detail, error)
  if (code === readOnly) return new DatabaseFailure('read-only', detail, error)
  return new DatabaseFailure('other', detail, error)
}

const [busy, locked, readOnly, full] = [5, 6, 8, 13]

function codeOf(error: unknown, message: string): number | undefined {
  const facts = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  // node:sqlite has `errcode`, the WebAssembly build of SQLite has `resultCode`; both may be extended codes.
  for (const number of [facts.errcode, facts.resultCode]) if (typeof number === 'number') return number & 0xff
  // better-sqlite3 has the name as `code`, Durable Objects have it in the message.
  const name = /SQLITE_(BUSY|LOCKED|READONLY|FULL)/.exec(`${String(facts.code)} ${message}`)?.[1]
  if (name !== undefined) return { BUSY: busy, LOCKED: locked, READONLY: readOnly, FULL: full }[name]
  if (/database (table )?is locked/.test(message)) return busy
  if (message.includes('database or disk is full')) return full
  if (message.includes('attempt to write a readonly database')) return readOnly
  return undefined
}
