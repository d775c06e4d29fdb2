/** A workspace in the storage of a Durable Object, with its forks, its sessions and its end. */
import { sqliteJournal } from '../src/change/journal/sqlite-journal.js'
import { type Locks, processLocks } from '../src/change/locks/locks.js'
import { polyfs } from '../src/dialects/polyfs/tools.js'
import { FsError, isFsError } from '../src/errors.js'
import { fromDurableObject } from '../src/fs/backends/sqlite/adapters.js'
import type { SqliteDatabase } from '../src/fs/backends/sqlite/database.js'
import type { SqliteFileSystem } from '../src/fs/backends/sqlite/file-system.js'
import {
  type SqliteWorkspaceInfo,
  type SqliteWorkspaces,
  sqliteWorkspaces,
} from '../src/fs/backends/sqlite/workspaces.js'
import type { Bytes } from '../src/fs/types.js'
import { errorResponse } from '../src/mcp/http/error-response.js'
import { exportZip, importZip } from '../src/ops/archive/import-export-zip.js'
import type { Dialect } from '../src/tools/dialect.js'
import { createWorkspace } from '../src/workspace/create-workspace.js'
import type { Workspace } from '../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../src/workspace/workspace-options.js'
import { addressOf, isName } from './names.js'
import { type ObjectTables, objectTables } from './object-tables.js'
import type { ObjectState } from './object-types.js'
import { type WorkspaceHandler, type WorkspaceHandlerOptions, workspaceHandler } from './workspace-handler.js'

export interface DurableWorkspaceOptions extends Omit<WorkspaceHandlerOptions, 'sessionStore'> {
  /** The tools that are offered. Default: those of polyfs. */
  dialect?: Dialect
  /** What tools may reach and do, as for `createWorkspace`. */
  workspace?: Omit<WorkspaceOptions, 'fs' | 'journal' | 'locks'>
  /** Everything in a workspace that was not used for so long is deleted, history and forks included. Default: never. */
  clearAfterDays?: number
  /** How much content the object caches in memory. All objects of an isolate share 128 MB. Default: 8 MiB. */
  cacheBytes?: number
  /** Called with internal errors; the client only learns that there was one. */
  onFault?: (fault: unknown) => void
}

export interface WorkspaceObject {
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
  fork(name: string, from?: string): Promise<void>
  forks(): Promise<SqliteWorkspaceInfo[]>
  drop(name: string): Promise<void>
  exportZip(fork?: string): Promise<Bytes>
  importZip(archive: Bytes): Promise<void>
  clear(): Promise<void>
}

/** What is in memory, and made again after the object slept. */
interface Opened {
  readonly workspaces: SqliteWorkspaces
  readonly tables: ObjectTables
  readonly parts: Map<string, Part>
}

/** The workspace itself or a fork of it. */
interface Part {
  readonly fs: SqliteFileSystem
  readonly locks: Locks
  readonly workspace: Workspace
  readonly handler: WorkspaceHandler
}

const main = 'main'
/** Forks beyond this number, the longest unused first, are opened again when they are needed. */
const maxOpenParts = 32
const dayMs = 24 * 60 * 60 * 1000
const hourMs = 60 * 60 * 1000

export function workspaceObject({ storage }: ObjectState, options: DurableWorkspaceOptions): WorkspaceObject {
  const { dialect = polyfs, clearAfterDays, cacheBytes = 8 << 20, onFault } = options
  const clearAfterMs = clearAfterDays === undefined ? undefined : clearAfterDays * dayMs
  let opened: Opened | undefined
  let clearing: Promise<void> | undefined
  let running = 0
  /** How often everything was deleted. */
  let generation = 0
  /** The last use that is stored: not every call has to write. */
  let storedMs: number | undefined

  function open(): Opened {
    if (opened !== undefined) return opened
    const current = generation
    const database = whileCurrent(fromDurableObject(storage), () => current === generation)
    opened = {
      workspaces: sqliteWorkspaces(database, { cacheBytes }),
      tables: objectTables(database),
      parts: new Map(),
    }
    return opened
  }

  /** Undefined for a fork that does not exist. */
  function partOf(name: string): Part | undefined {
    const { workspaces, tables, parts } = open()
    const known = parts.get(name)
    if (known !== undefined) {
      // The last in the map is the one that was used last.
      parts.delete(name)
      parts.set(name, known)
      return known
    }
    if (name !== main && !workspaces.list().some((each) => each.name === name)) return undefined
    const fs = workspaces.open(name)
    const locks = processLocks()
    const workspace = createWorkspace({ ...options.workspace, fs, journal: sqliteJournal(fs), locks })
    const served = { workspace, dialect, ...(onFault && { onFault }) }
    const handler = workspaceHandler(served, { ...options, sessionStore: tables.sessionsOf(name) })
    const part = { fs, locks, workspace, handler }
    parts.set(name, part)
    for (const [oldest, { handler }] of parts) {
      if (parts.size <= maxOpenParts) break
      if (oldest !== name && handler.running === 0) parts.delete(oldest)
    }
    return part
  }

  function existing(name: string): Part {
    const part = partOf(name)
    if (part === undefined) throw new FsError('NOT_FOUND', { path: name })
    return part
  }

  /** Runs `work` as a use of the workspace, which its alarm does not clear meanwhile. */
  async function used<Result>(work: () => Promise<Result>): Promise<Result> {
    while (clearing !== undefined) await clearing
    running += 1
    try {
      await noteUse()
      return await work()
    } finally {
      running -= 1
    }
  }

  async function noteUse(): Promise<void> {
    if (clearAfterMs === undefined) return
    const { tables } = open()
    const nowMs = Date.now()
    storedMs ??= tables.usedMs()
    // To within an hour, or a 24th of the time.
    if (storedMs !== undefined && nowMs - storedMs < Math.min(clearAfterMs / 24, hourMs)) return
    storedMs = nowMs
    tables.setUsed(nowMs)
    if ((await storage.getAlarm()) === null) await storage.setAlarm(nowMs + clearAfterMs)
  }

  async function clear(): Promise<void> {
    clearing ??= deleteAll().finally(() => {
      clearing = undefined
    })
    await clearing
  }

  async function deleteAll(): Promise<void> {
    const parts = [...(opened?.parts.values() ?? [])]
    generation += 1
    opened = undefined
    storedMs = undefined
    await Promise.allSettled(parts.map(({ handler }) => handler.close()))
    await storage.deleteAlarm()
    await storage.deleteAll()
  }

  async function answer(request: Request): Promise<Response> {
    const { fork = main } = addressOf(new URL(request.url).pathname) ?? {}
    return partOf(fork)?.handler.fetch(request) ?? errorResponse(404, -32000, `There is no fork ${fork}`)
  }

  return {
    async fetch(request) {
      while (clearing !== undefined) await clearing
      const began = generation
      try {
        return await used(() => answer(request))
      } catch (error) {
        if (began !== generation)
          return errorResponse(503, -32000, 'The workspace was cleared while the call was running')
        if (!isFsError(error, 'IO')) throw error
        return errorResponse(500, -32603, `The workspace can't be opened: ${error.facts.detail}`)
      }
    },

    async alarm() {
      if (clearAfterMs === undefined) return
      const nowMs = Date.now()
      const dueMs = running > 0 ? nowMs + clearAfterMs : (open().tables.usedMs() ?? nowMs) + clearAfterMs
      if (nowMs < dueMs) await storage.setAlarm(dueMs)
      else await clear()
    },

    fork: (name, from = main) =>
      used(async () => {
        if (!isName(name)) throw new FsError('INVALID_PATH', { path: name, reason: 'reserved-character' })
        existing(from).fs.fork(name)
      }),

    forks: () =>
      used(async () =>
        open()
          .workspaces.list()
          .filter(({ name }) => name !== main),
      ),

    drop: (name) =>
      used(async () => {
        if (name === main) throw new FsError('UNSUPPORTED', { path: name, operation: 'drop' })
        const { handler } = existing(name)
        const { workspaces, tables, parts } = open()
        parts.delete(name)
        await handler.close()
        tables.dropSessions(name)
        workspaces.drop(name)
        workspaces.gc()
      }),

    exportZip: (fork = main) => used(() => exportZip(existing(fork).workspace)),

    importZip: (archive) =>
      used(async () => {
        const { fs, locks } = existing(main)
        // As the host, which may write what tools may not.
        const workspace = createWorkspace({
          ...options.workspace,
          fs,
          journal: sqliteJournal(fs),
          locks,
          readOnly: false,
          protect: { git: false, config: false },
        })
        await importZip(workspace, archive)
      }),

    clear,
  }
}

/**
 * A database that fails once everything was deleted. Calls that began before still have contents in memory, by numbers that are given out again
 * in the new tables.
 */
function whileCurrent({ run, transaction }: SqliteDatabase, isCurrent: () => boolean): SqliteDatabase {
  const check = () => {
    if (!isCurrent()) throw new Error('the workspace was cleared')
  }
  return {
    run(sql, values) {
      check()
      return run(sql, values)
    },
    transaction(work) {
      check()
      return transaction(work)
    },
  }
}
