/** SQLite in WebAssembly, for tests: in Node and in a page. */
import initSqlJs from 'sql.js'
import { fromSqlJs, type SqlJs } from '../../../src/fs/backends/sqlite/adapters.js'
import type { SqliteDatabase } from '../../../src/fs/backends/sqlite/database.js'

export interface TestDatabase extends SqliteDatabase {
  /** Every statement since `dieAt`, `BEGIN` and its kin included; true for those that only read. */
  readonly statements: readonly boolean[]
  /** From this statement on everything fails, as when the process is killed there. */
  dieAt(statement: number): void
  /** The committed bytes of the database. Ends this adapter. */
  bytes(): Uint8Array
  close(): void
  /** Runs a statement past the adapter. */
  execute(sql: string): void
}

/** `wasm` is the address of the WebAssembly module, needed in a page. */
export async function sqlJs(wasm?: string): Promise<(bytes?: Uint8Array) => TestDatabase> {
  const { Database } = await initSqlJs(wasm === undefined ? {} : { locateFile: () => wasm })
  return (bytes) => {
    const database = new Database(bytes)
    let death = Infinity
    let statements: boolean[] = []

    function step(sql: string): void {
      statements.push(sql.startsWith('SELECT'))
      if (statements.length >= death) throw new Error('the process is dead')
    }

    const mortal: SqlJs = {
      prepare: (sql) => database.prepare(sql),
      run(sql) {
        step(sql)
        database.run(sql)
      },
    }
    const { run, transaction } = fromSqlJs(mortal)
    return {
      run(sql, values) {
        step(sql)
        return run(sql, values)
      },
      transaction,
      get statements() {
        return statements
      },
      dieAt(statement) {
        statements = []
        death = statement
      },
      bytes() {
        death = Infinity
        // What was not committed is lost with the process.
        if (!isIdle()) database.run('ROLLBACK')
        const all = database.export()
        database.close()
        return all
      },
      close: () => database.close(),
      execute: (sql) => void database.run(sql),
    }

    function isIdle(): boolean {
      try {
        database.run('SAVEPOINT probe')
        database.run('RELEASE probe')
        database.run('BEGIN')
        database.run('ROLLBACK')
        return true
      } catch {
        return false
      }
    }
  }
}
