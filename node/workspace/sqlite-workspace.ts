import { sqliteJournal } from '../../src/change/journal/sqlite-journal.js'
import { nestedLocks, processLocks } from '../../src/change/locks/locks.js'
import { isFsError } from '../../src/errors.js'
import { type SqliteWorkspaces, sqliteWorkspaces } from '../../src/fs/backends/sqlite/workspaces.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../src/workspace/workspace-options.js'
import { fileLock } from '../locks/file-lock.js'
import { fillFrom, sha256, sha256InPieces } from './fill-from.js'
import type { SeedOptions } from './seed.js'
import { DatabaseError, openDatabaseFile } from './sqlite-database.js'

export interface SqliteWorkspaceOptions
  extends Omit<WorkspaceOptions, 'fs' | 'roots' | 'pathRules' | 'journal' | 'locks'>,
    SeedOptions {
  /** The name of the workspace. Default: `main`. */
  name?: string | undefined
  /** Fills a workspace that is empty: a directory, a .zip archive or a .json file. One with files stays as it is. */
  from?: string | undefined
}

export interface OpenSqliteWorkspace {
  workspace: Workspace
  /** Paths that could not be copied. */
  skipped: string[]
  close(): void
}

/** A workspace in a database file, with its history in the same file. Several processes may use the file. */
export async function openSqliteWorkspace(file: string, options: SqliteWorkspaceOptions): Promise<OpenSqliteWorkspace> {
  const { name = 'main', from, onProgress, ...rest } = options
  const { workspaces, close: closeDatabase } = openWorkspaces(file)
  const lock = fileLock(`${file}.lock`, { idleMs: heldAfterUseMs })
  const close = () => {
    lock.close()
    closeDatabase()
  }
  try {
    const fs = explained(file, () => workspaces.open(name))
    const fill = async () => (from === undefined ? [] : fillFrom(from, fs, { onProgress }))
    const skipped = from === undefined ? [] : await lock.hold([{ path: '/', tree: true }], fill)
    const workspace = createWorkspace({
      ...rest,
      fs,
      readOnly: rest.readOnly || !fs.capabilities.writable,
      journal: sqliteJournal(fs),
      locks: nestedLocks(processLocks(), lock),
    })
    return { workspace, skipped, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Long enough for calls in a row. */
const heldAfterUseMs = 20

/** All workspaces of a database file. */
export function openWorkspaces(file: string): { workspaces: SqliteWorkspaces; vacuum(): void; close(): void } {
  const { database, vacuum, close } = openDatabaseFile(file)
  try {
    const workspaces = explained(file, () => sqliteWorkspaces(database, { sha256, sha256InPieces }))
    return { workspaces, vacuum, close }
  } catch (error) {
    close()
    throw error
  }
}

/** The user knows the file; `/` would say nothing. */
export function explained<Result>(file: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (isFsError(error, 'IO')) throw new DatabaseError(`${file}: ${error.facts.detail}`)
    if (isFsError(error, 'BUSY')) throw new DatabaseError(`${file}: the database is locked by another process`)
    if (isFsError(error, 'NO_SPACE')) throw new DatabaseError(`${file}: the disk is full`)
    if (isFsError(error, 'READ_ONLY')) throw new DatabaseError(`${file}: no permission to write`)
    if (isFsError(error, 'INVALID_PATH')) throw new DatabaseError(`not a name for a workspace: '${error.facts.path}'`)
    throw error
  }
}
