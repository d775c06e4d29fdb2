/** SQLite in WebAssembly, for tests: in Node and in a page. */
import initSqlJs from 'sql.js'
import { fromSqlJs, type SqlJs } from '../../../src/fs/backends/sqlite/adapters.js'
import type { SqliteDatabase } from '../../../src/fs/backends/sqlite/database.js'

export interface TestDatabase extends SqliteDatabase {
  /** Every statement so far, `BEGIN` and its kin included. */
  readonly statements: number
  /** From this statement on everything fails, as when the process is killed there. */
  dieAt(statement: number): void
  /** The committed bytes of the database. Ends this adapter. */
  bytes(): Uint8Array
  /** Runs a statement past the adapter. */
  execute(sql: string): void
}

/** `wasm` is the address of the WebAssembly module, needed in a page. */
export async function sqlJs(wasm?: string): Promise<(bytes?: Uint8Array) => TestDatabase> {
  const { Database } = await initSqlJs(wasm === undefined ? {} : { locateFile: () => wasm })
  return (bytes) => {
    const database = new Database(bytes)
    let [count, death] = [0, Infinity]

    function step(): void {
      count += 1
      if (count >= death) throw new Error('the process is dead')
    }

    const mortal: SqlJs = {
      prepare: (sql) => database.prepare(sql),
      run(sql) {
        step()
        database.run(sql)
      },
    }
    const { run, transaction } = fromSqlJs(mortal)
    return {
      run(sql, values) {
        step()
        return run(sql, values)
      },
      transaction,
      get statements() {
        return count
      },
      dieAt(statement) {
        count = 0
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
