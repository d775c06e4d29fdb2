/** The workspaces of a database: each a tree of its own, and all share what they have in common. */
import { FsError } from '../../../errors.js'
import { sha256, sha256InPieces } from '../../digests/sha256.js'
import type { RunningHash } from '../../transactional-types.js'
import type { Branch, Bytes } from '../../types.js'
import type { OverlayChange } from '../overlay.js'
import { DatabaseFailure, type SqliteDatabase, type SqliteRow } from './database.js'
import { diffTrees } from './diff-trees.js'
import { highestDirectory, nextDirectory, rootOf } from './entries.js'
import { type SqliteFileSystem, sqliteFileSystem } from './file-system.js'
import { type Collected, openStore } from './store.js'

export interface SqliteStoreOptions {
  /** The time, in milliseconds, for the times of files. Default: that of the machine. */
  now?: () => number
  /** SHA-256 in hexadecimal, where the platform has a faster one than ours. */
  sha256?: (bytes: Bytes) => string
  sha256InPieces?: () => RunningHash
  /** How much content all open workspaces together cache in memory. Default: 64 MiB. */
  cacheBytes?: number
}

export interface SqliteOptions extends SqliteStoreOptions {
  /** The workspace to open, which is made if none has this name. Default: `main`. */
  workspace?: string
}

/** A workspace or a snapshot of a database. */
export interface SqliteWorkspaceInfo {
  name: string
  /** A snapshot can be read and restored, not changed. */
  kind: 'workspace' | 'snapshot'
  /** What it was forked from or taken of. */
  origin?: string
  createdMs: number
}

/** The workspaces of one database. They share a cache. */
export interface SqliteWorkspaces {
  /** Opens a workspace, or a snapshot for reading. Makes an empty workspace if none has this name. */
  open(name: string): SqliteFileSystem
  /** Sorted by name. */
  list(): SqliteWorkspaceInfo[]
  /** Removes a workspace or snapshot with its history. What only it used is freed by `gc`. */
  drop(name: string): void
  /** What has to change in `before` to get `after`, sorted by path. Shared directories are skipped unread. Times are not compared. */
  diff(before: string, after: string): OverlayChange[]
  /** Deletes contents that no workspace, snapshot or history refers to. Done after 64 MiB of replaced content anyway. */
  gc(): Collected
}

/**
 * A workspace in a SQLite database. Throws `IO` for a database that is damaged, or whose tables are of another version; such a
 * database is left as it is.
 */
export function sqlite(database: SqliteDatabase, options: SqliteOptions = {}): SqliteFileSystem {
  return sqliteWorkspaces(database, options).open(options.workspace ?? 'main')
}

/** All workspaces of a database. */
export function sqliteWorkspaces(given: SqliteDatabase, options: SqliteStoreOptions = {}): SqliteWorkspaces {
  const { now = Date.now, cacheBytes } = options
  const hashes = { sha256: options.sha256 ?? sha256, sha256InPieces: options.sha256InPieces ?? sha256InPieces }
  const store = translated(() => openStore(given, hashes, { now, cacheBytes }))
  const { database } = store

  function rowOf(name: string): SqliteRow | undefined {
    return database.run('SELECT * FROM polyfs_workspaces WHERE name = ?', [name])[0]
  }

  function existing(name: string): SqliteRow {
    const row = rowOf(name)
    if (row === undefined) throw new FsError('NOT_FOUND', { path: name })
    return row
  }

  function insert(
    name: string,
    facts: Pick<SqliteRow, 'frozen' | 'origin' | 'floor' | 'root'>,
    like?: SqliteRow,
  ): number {
    checkName(name)
    const at = now()
    const { mode = 0o755, modified = at, created = at, changed = at } = like ?? {}
    const { frozen = 0, origin = null, floor = 0, root = 0 } = facts
    const sql = `INSERT INTO polyfs_workspaces
      (name, frozen, origin, made, floor, version, replaced, root, mode, modified, created, changed)
      VALUES (?, ?, ?, ?, ?, 1, 0, ?, ?, ?, ?, ?) RETURNING id`
    const values = [name, frozen, origin, at, floor, root, mode, modified, created, changed]
    return database.run(sql, values)[0]?.id as number
  }

  /** Every directory there is may be shared from now on. */
  function raiseFloor(id: number): number {
    const floor = highestDirectory(database)
    database.run('UPDATE polyfs_workspaces SET floor = ?, version = version + 1 WHERE id = ?', [floor, id])
    return floor
  }

  /** A new workspace or snapshot with the tree of another. */
  function branch(id: number, name: string, frozen: 0 | 1): number {
    return translated(() => database.transaction(() => insertBranch(id, name, frozen)))
  }

  function insertBranch(id: number, name: string, frozen: 0 | 1): number {
    const [row] = database.run('SELECT * FROM polyfs_workspaces WHERE id = ?', [id])
    if (row === undefined) throw new FsError('IO', { path: '/', detail: 'the workspace was dropped' })
    if (rowOf(name) !== undefined) throw new FsError('EXISTS', { path: name })
    const floor = raiseFloor(id)
    return insert(name, { frozen, origin: row.name ?? null, floor, root: row.root ?? null }, row)
  }

  function restore(id: number, snapshot: string): void {
    translated(() =>
      database.transaction(() => {
        const from = existing(snapshot)
        const [own] = database.run('SELECT frozen FROM polyfs_workspaces WHERE id = ?', [id])
        if (own?.frozen === 1) throw new FsError('READ_ONLY', { path: '/' })
        if (from.frozen !== 1) raiseFloor(from.id as number)
        raiseFloor(id)
        const { root = 0, mode = 0, modified = 0, created = 0, changed = 0 } = from
        database.run(
          'UPDATE polyfs_workspaces SET root = ?, mode = ?, modified = ?, created = ?, changed = ? WHERE id = ?',
          [root, mode, modified, created, changed, id],
        )
      }),
    )
  }

  function openById(id: number): SqliteFileSystem {
    return sqliteFileSystem(store, id, {
      fork: (name) => openById(branch(id, name, 0)),
      snapshot: (name) => void branch(id, name, 1),
      restore: (name) => restore(id, name),
      branch: (name) => branchWithStart(id, name),
    })
  }

  /** A fork, and a snapshot of what it starts with. */
  function branchWithStart(id: number, name: string): Branch {
    const start = `${name}@start`
    const [startId, forkId] = translated(() =>
      database.transaction(() => {
        const frozen = insertBranch(id, start, 1)
        return [frozen, insertBranch(id, name, 0)] as const
      }),
    )
    return {
      fs: openById(forkId),
      start: openById(startId),
      isApart: true,
      changedPaths: async () => new Set(diff(start, name).map(({ path }) => path)),
      drop() {
        for (const one of [name, start]) if (rowOf(one) !== undefined) drop(one)
      },
    }
  }

  function drop(name: string): void {
    translated(() =>
      database.transaction(() => {
        const id = existing(name).id as number
        for (const table of ['polyfs_changes', 'polyfs_kept']) {
          database.run(`DELETE FROM ${table} WHERE workspace = ?`, [id])
        }
        database.run('DELETE FROM polyfs_workspaces WHERE id = ?', [id])
      }),
    )
  }

  function diff(before: string, after: string): OverlayChange[] {
    return translated(() =>
      // In a transaction, so that no other process changes one of them meanwhile.
      database.transaction(() => diffTrees(database, rootOf(existing(before)), rootOf(existing(after)))),
    )
  }

  return {
    open: (name) =>
      translated(() => {
        const found = rowOf(name)?.id as number | undefined
        const made = () =>
          database.transaction(
            () =>
              (rowOf(name)?.id as number | undefined) ??
              insert(name, { frozen: 0, root: nextDirectory(database), floor: 0, origin: null }),
          )
        return openById(found ?? made())
      }),

    list: () =>
      translated(() =>
        database.run('SELECT name, frozen, origin, made FROM polyfs_workspaces ORDER BY name', []).map((row) => ({
          name: row.name as string,
          kind: row.frozen === 1 ? 'snapshot' : 'workspace',
          ...(row.origin !== null && { origin: row.origin as string }),
          createdMs: row.made as number,
        })),
      ),

    drop,
    diff,
    gc: () => translated(() => database.transaction(store.collect)),
  }
}

/** Names appear in commands and addresses. */
function checkName(name: string): void {
  const isValid = name.isWellFormed() && /^[^\p{Cc}/]{1,200}$/u.test(name)
  if (!isValid) throw new FsError('INVALID_PATH', { path: name, reason: name === '' ? 'empty' : 'reserved-character' })
}

function translated<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw error instanceof DatabaseFailure ? error.at('/') : error
  }
}
