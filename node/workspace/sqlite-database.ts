/** Opens a database file with the SQLite of Node, or with better-sqlite3 where that is installed. */
import { createRequire } from 'node:module'
import path from 'node:path'
import {
  type BetterSqlite,
  fromBetterSqlite,
  fromNodeSqlite,
  type NodeSqlite,
} from '../../src/fs/backends/sqlite/adapters.js'
import type { SqliteDatabase } from '../../src/fs/backends/sqlite/database.js'

export interface OpenedDatabase {
  database: SqliteDatabase
  /** Gives the space of deleted content back to the disk. */
  vacuum(): void
  close(): void
}

/** What both drivers have. */
interface Driver {
  exec(sql: string): unknown
  close(): void
}

/** The database can't be opened; the message says why. */
export class DatabaseError extends Error {}

/**
 * Changes survive a power cut, as those on a disk do: every transaction waits for the disk. Another process that writes is waited for,
 * five seconds at most.
 */
const settings = `PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON`

export function openDatabaseFile(file: string): OpenedDatabase {
  const open = findDriver()
  try {
    const { driver, database } = open(file)
    driver.exec(settings)
    return { database, vacuum: () => void driver.exec('VACUUM'), close: () => driver.close() }
  } catch (error) {
    throw new DatabaseError(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

type Open = (file: string) => { driver: Driver; database: SqliteDatabase }

/** Loaded by `require`: neither can be imported everywhere, and types of Node 20 know neither. */
function findDriver(): Open {
  const builtIn = ifThere<{ DatabaseSync: new (file: string) => Driver & NodeSqlite }>('node:sqlite')
  if (builtIn !== undefined) {
    return (file) => {
      const driver = new builtIn.DatabaseSync(file)
      return { driver, database: fromNodeSqlite(driver) }
    }
  }
  const Better = ifThere<new (file: string) => Driver & BetterSqlite>('better-sqlite3')
  if (Better !== undefined) {
    return (file) => {
      const driver = new Better(file)
      return { driver, database: fromBetterSqlite(driver) }
    }
  }
  throw new DatabaseError(
    `--sqlite needs Node 22.13 or newer, or the package better-sqlite3 (npm install better-sqlite3); this is Node ${process.versions.node}`,
  )
}

/** A module that is installed beside the server, or in the directory it was started from. */
function ifThere<Module>(name: string): Module | undefined {
  for (const from of [import.meta.url, path.join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(from)(name) as Module
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error
    }
  }
  return undefined
}
