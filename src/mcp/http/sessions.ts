/**
 * Older protocol revisions over HTTP have sessions: a server, a transport and the agent's choices for each client. The newest has none: its
 * requests stand alone, on the shared workspace or on one that the client names.
 */
import {
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport as SessionTransport,
} from '@modelcontextprotocol/server'
import type { Workspace } from '../../workspace/workspace.js'
import { allowsDirectCalls, directCalls } from '../fast/direct-calls.js'
import { withExactCodes } from '../server/exact-error-codes.js'
import { rejectMalformedCalls } from '../server/malformed-calls.js'
import { rejectUnknownMethods } from '../server/protocol-errors.js'
import type { Served } from '../server/served.js'
import { createConnection } from '../server/server.js'
import { errorResponse } from './error-response.js'
import { eventBudget, eventStore } from './event-store.js'
import { type StatelessHandler, statelessHandler } from './stateless.js'

/** How long a client whose stream broke waits before it resumes. */
const retryMs = 1000

export interface SessionOptions {
  /**
   * Limit of sessions, and of named workspaces. Beyond it the one that was idle longest ends, unless it has a workspace of its own that was
   * written to; while none can end, new ones are rejected.
   */
  maxSessions: number
  /** Idle time after which a session ends; a named workspace that was written to never does. */
  idleMs: number
  /** Returns an unguessable session id. */
  newId: () => string
  /** Opens the workspace of a new session or name; all share one unless given. */
  open?: () => Workspace
  /** Called with a workspace from `open` or `openNamed` that is no longer used. */
  dispose?: (workspace: Workspace) => void
  /** Where sessions outlive this handler: a client goes on with its session after a restart. In memory only unless given. */
  store?: SessionStore
  /**
   * Opens a workspace that is stored under this name, for sessions too. It may be closed at any time while it is idle. Without it names are
   * those of workspaces from `open`, and sessions have no names.
   */
  openNamed?: (name: string) => Workspace
  /** Limit of workspaces from `openNamed` that are open at the same time. Default: `maxSessions`. */
  maxNamed?: number
  now?: () => number
}

/** How sessions began, by their id. Sessions that `maxSessions` or `idleMs` ends stay in it; those that a client ends do not. */
export interface SessionStore {
  /** The message that began the session; undefined for an unknown id. */
  load(id: string): unknown
  save(id: string, initialize: unknown): void
  remove(id: string): void
}

export interface SessionHandler {
  /**
   * Answers one request with the given parsed body. Its signal must abort when the response has been sent or the client has disconnected.
   * Requests of the newest revision with a `workspaceName` work on the workspace of that name.
   */
  fetch(request: Request, body?: unknown, workspaceName?: string): Promise<Response>
  /** Ends sessions that have been idle too long. */
  sweep(): Promise<void>
  readonly sessions: number
  close(): Promise<void>
}

interface OwnHandler extends StatelessHandler {
  /** True once its own workspace was written to. */
  hasOwnFiles(): boolean
}

/** A session or a named workspace. */
interface Entry extends OwnHandler {
  /** Requests that are being answered, streams included. */
  open: number
  usedMs: number
}

/** Number of ended sessions with files whose ids are remembered, to tell returning clients that the files are lost. */
const maxExpiredIds = 1000

export function sessionHandler(served: Served, options: SessionOptions): SessionHandler {
  const { maxSessions, idleMs, newId, now = Date.now } = options
  const maxNamed = options.openNamed === undefined ? maxSessions : (options.maxNamed ?? maxSessions)
  const sessions = new Map<string, Entry>()
  const named = new Map<string, Entry>()
  const expiredIds = new Set<string>()
  const shared = statelessHandler(served, { legacy: 'reject' })
  const budget = eventBudget()

  async function fetch(request: Request, body?: unknown, workspaceName?: string): Promise<Response> {
    if (!(await isLegacyRequest(request, body))) {
      if (workspaceName === undefined) return shared.fetch(request, body)
      const entry = await acquireOrOpen(named, workspaceName, { max: maxNamed, open: () => openNamed(workspaceName) })
      return entry === undefined ? errorResponse(503, -32000, tooManyNames()) : answer(entry, request, body)
    }
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      const session = acquire(sessions.get(id)) ?? (await restore(id, workspaceName))
      if (session !== undefined) return answer(session, request, body)
      return errorResponse(404, -32001, expiredIds.has(id) ? lostFiles : 'Session not found')
    }
    if (![body].flat().some((message) => isInitializeRequest(message))) {
      return errorResponse(400, -32000, 'Bad Request: Mcp-Session-Id header is required')
    }
    const created = newId()
    const open = () => openSession(created, { name: workspaceName })
    const session = await acquireOrOpen(sessions, created, { max: maxSessions, open })
    if (session === undefined) return errorResponse(503, -32000, tooManySessions())
    const response = await answer(session, request, body)
    if (response.status === 200) options.store?.save(created, body)
    return response
  }

  /** Opens a session again that began in an earlier handler, or was ended for lack of room. */
  async function restore(id: string, name: string | undefined): Promise<Entry | undefined> {
    const initialize = options.store?.load(id)
    if (initialize === undefined) return undefined
    return acquireOrOpen(sessions, id, { max: maxSessions, open: () => openSession(id, { name, initialize }) })
  }

  function tooManyNames(): string {
    const advice = options.openNamed === undefined ? 'use an existing name' : 'try again later'
    return `Too many names: the limit of ${maxNamed} is reached; ${advice}`
  }

  function tooManySessions(): string {
    return `Too many sessions: the limit of ${maxSessions} is reached; end one, or try again later`
  }

  /** Answers with an acquired entry, and releases it when the request has ended. */
  function answer(entry: Entry, request: Request, body: unknown): Promise<Response> {
    const release = () => {
      entry.open -= 1
      entry.usedMs = now()
    }
    if (request.signal.aborted) release()
    else request.signal.addEventListener('abort', release, { once: true })
    return entry.fetch(request, body)
  }

  /** Marks an entry as in use, so that it is not ended for a new one. */
  function acquire(entry: Entry | undefined): Entry | undefined {
    if (entry === undefined) return undefined
    entry.open += 1
    entry.usedMs = now()
    return entry
  }

  /** Acquires the entry of the key, opened if missing; undefined when the limit is reached. */
  async function acquireOrOpen(
    entries: Map<string, Entry>,
    key: string,
    { max, open }: { max: number; open: () => OwnHandler },
  ): Promise<Entry | undefined> {
    if (!entries.has(key) && entries.size >= max) await endOldest(entries)
    const known = entries.get(key)
    if (known !== undefined || entries.size >= max) return acquire(known)
    const entry = { ...open(), open: 0, usedMs: now() }
    entries.set(key, entry)
    return acquire(entry)
  }

  /** A workspace of its own if `open` is given, else the shared one. One with a name is stored elsewhere, and loses nothing when it is closed. */
  function openWorkspace(name?: string): { workspace: Workspace; hasOwnFiles: () => boolean; release: () => void } {
    if (name !== undefined && options.openNamed !== undefined) {
      const workspace = options.openNamed(name)
      return { workspace, hasOwnFiles: () => false, release: () => options.dispose?.(workspace) }
    }
    if (options.open === undefined) return { workspace: served.workspace, hasOwnFiles: () => false, release() {} }
    const workspace = options.open()
    let isWritten = false
    const stopListening = workspace.changes.subscribe(() => {
      isWritten = true
    })
    const release = () => {
      stopListening()
      options.dispose?.(workspace)
    }
    return { workspace, hasOwnFiles: () => isWritten, release }
  }

  function openNamed(name: string): OwnHandler {
    const { workspace, hasOwnFiles, release } = openWorkspace(name)
    const handler = statelessHandler({ ...served, workspace }, { legacy: 'reject' })
    return { fetch: handler.fetch, hasOwnFiles, close: () => handler.close().finally(release) }
  }

  /** With `initialize`, the session has begun before, and begins again with the same message. */
  function openSession(
    id: string,
    { name, initialize }: { name?: string | undefined; initialize?: unknown },
  ): OwnHandler {
    const { workspace, hasOwnFiles, release } = openWorkspace(name)
    const events = eventStore({ budget })
    const dispose = () => {
      events.clear()
      release()
    }
    const transport = new SessionTransport({
      sessionIdGenerator: () => id,
      eventStore: events,
      retryInterval: retryMs,
      onsessionclosed() {
        options.store?.remove(id)
        if (sessions.delete(id)) dispose()
      },
    })
    const direct = directCalls(rejectMalformedCalls(withExactCodes(transport)))
    const { server, calls } = createConnection({ ...served, workspace }, {})
    if (allowsDirectCalls(served)) direct.begin(calls)
    const connected = rejectUnknownMethods(server).connect(direct.transport)
    const begun = initialize === undefined ? connected : connected.then(() => begin(transport, initialize))
    // Those who await it get the failure.
    begun.catch(() => {})
    return {
      async fetch(request, body) {
        await begun
        return transport.handleRequest(request, { parsedBody: body })
      },
      hasOwnFiles,
      close: () => transport.close().finally(dispose),
    }
  }

  async function endOldest(entries: Map<string, Entry>): Promise<void> {
    const idle = [...entries].filter(([, { open, hasOwnFiles }]) => open === 0 && !hasOwnFiles())
    const [oldest] = idle.sort(([, a], [, b]) => a.usedMs - b.usedMs)
    if (oldest) await end(entries, ...oldest)
  }

  async function end(entries: Map<string, Entry>, key: string, entry: Entry): Promise<void> {
    entries.delete(key)
    await entry.close()
  }

  function rememberExpired(id: string): void {
    expiredIds.add(id)
    const [oldest] = expiredIds
    if (expiredIds.size > maxExpiredIds && oldest !== undefined) expiredIds.delete(oldest)
  }

  return {
    fetch,
    get sessions() {
      return sessions.size
    },
    async sweep() {
      const isIdle = ({ open, usedMs }: Entry) => open === 0 && now() - usedMs > idleMs
      for (const [name, entry] of [...named]) {
        if (isIdle(entry) && !entry.hasOwnFiles()) await end(named, name, entry)
      }
      for (const [id, session] of [...sessions]) {
        if (!isIdle(session)) continue
        if (session.hasOwnFiles()) rememberExpired(id)
        await end(sessions, id, session)
      }
    },
    async close() {
      for (const entries of [sessions, named]) for (const [key, entry] of entries) await end(entries, key, entry)
      await shared.close()
    },
  }
}

/** Sends a session its first message, and drops the answer, which the client has. */
async function begin(transport: SessionTransport, initialize: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const request = new Request('http://localhost/mcp', { method: 'POST', headers })
  const answer = await transport.handleRequest(request, { parsedBody: initialize })
  await answer.text()
}

const lostFiles = 'Session not found: it has expired, and the files written in it are lost; start a new session'
