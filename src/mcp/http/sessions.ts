/**
 * Older protocol revisions over HTTP keep a session: one server, one transport and one memory of what the agent chose for each client.
 * The newest has none: its requests are answered one by one, together or apart by the name that the client gives its place.
 */
import {
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport as SessionTransport,
} from '@modelcontextprotocol/server'
import type { Workspace } from '../../workspace.js'
import { directCalls, isCalledDirectly } from '../fast/direct-calls.js'
import { withExactCodes } from '../server/exact-error-codes.js'
import { refusingMalformedCalls } from '../server/malformed-calls.js'
import { refusingUnknownMethods } from '../server/protocol-errors.js'
import type { Served } from '../server/served.js'
import { createConnection } from '../server/server.js'
import { errorResponse } from './error-response.js'
import { eventRoom, sentEvents } from './event-store.js'
import { type StatelessHandler, statelessHandler } from './stateless.js'

/** How long a client whose stream broke waits before it asks for the rest. */
const comeBackMs = 1000

export interface SessionOptions {
  /**
   * Sessions, and likewise places. Beyond it the one that was idle longest ends, unless someone wrote to a workspace that it has alone;
   * while none can end, no new one begins.
   */
  maxSessions: number
  /** One that nobody has used for this long ends; a place that someone wrote to never does. */
  idleMs: number
  /** What nobody can guess. */
  newId: () => string
  /** What a new session or place works on; all share one workspace unless given. */
  open?: () => Workspace
  /** Told when nobody will use what was opened any more. */
  dispose?: (workspace: Workspace) => void
  now?: () => number
}

export interface SessionHandler {
  /**
   * Answers one request; `body` is what it carried, parsed. Its signal ends when the answer has been sent or nobody waits for it. Requests of
   * the newest revision that name a place have a workspace of their own there.
   */
  fetch(request: Request, body?: unknown, place?: string): Promise<Response>
  /** Ends sessions that were idle too long. */
  sweep(): Promise<void>
  readonly sessions: number
  close(): Promise<void>
}

interface Held extends StatelessHandler {
  /** Requests that are being answered, streams included. */
  open: number
  usedMs: number
  /** Something was written to a workspace that nothing else has. */
  hasOwnFiles(): boolean
}

type Made = Pick<Held, 'fetch' | 'close' | 'hasOwnFiles'>

/** Ids of sessions that ended with files of their own, so that whoever comes back hears of it. */
const mostRemembered = 1000

export function sessionHandler(served: Served, options: SessionOptions): SessionHandler {
  const { maxSessions, idleMs, newId, now = Date.now } = options
  const sessions = new Map<string, Held>()
  const places = new Map<string, Held>()
  const lost = new Set<string>()
  const shared = statelessHandler(served, { legacy: 'reject' })
  const room = eventRoom()

  async function fetch(request: Request, body?: unknown, place?: string): Promise<Response> {
    if (!(await isLegacyRequest(request, body))) {
      if (place === undefined) return shared.fetch(request, body)
      const there = await begin(places, place, openPlace)
      return there === undefined ? errorResponse(503, -32000, noPlace()) : use(there, request, body)
    }
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      const session = taken(sessions.get(id))
      if (session !== undefined) return use(session, request, body)
      return errorResponse(404, -32001, lost.has(id) ? lostFiles : 'Session not found')
    }
    if (![body].flat().some((message) => isInitializeRequest(message))) {
      return errorResponse(400, -32000, 'Bad Request: Mcp-Session-Id header is required')
    }
    const newest = newId()
    const session = await begin(sessions, newest, () => openSession(newest))
    return session === undefined ? errorResponse(503, -32000, noSession()) : use(session, request, body)
  }

  function noPlace(): string {
    return `Too many names: ${maxSessions} are in use, which is the most; use one of those`
  }

  function noSession(): string {
    return `Too many sessions: ${maxSessions} are in use, which is the most; end one, or try again later`
  }

  /** Of one that was taken. */
  function use(session: Held, request: Request, body: unknown): Promise<Response> {
    const leave = () => {
      session.open -= 1
      session.usedMs = now()
    }
    if (request.signal.aborted) leave()
    else request.signal.addEventListener('abort', leave, { once: true })
    return session.fetch(request, body)
  }

  /** It is in use from here on, and not ended to make room. */
  function taken(session: Held | undefined): Held | undefined {
    if (session === undefined) return undefined
    session.open += 1
    session.usedMs = now()
    return session
  }

  /** Takes what is held under the key, or what is made for it; undefined when there is no room. */
  async function begin(held: Map<string, Held>, key: string, make: () => Made): Promise<Held | undefined> {
    if (!held.has(key) && held.size >= maxSessions) await endOldest(held)
    const known = held.get(key)
    if (known !== undefined || held.size >= maxSessions) return taken(known)
    const session = { ...make(), open: 0, usedMs: now() }
    held.set(key, session)
    return taken(session)
  }

  /** A workspace of its own where there are such. */
  function openTree(): { workspace: Workspace; hasOwnFiles: () => boolean; release: () => void } {
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

  function openPlace(): Made {
    const { workspace, hasOwnFiles, release } = openTree()
    const { fetch: answer, close } = statelessHandler({ ...served, workspace }, { legacy: 'reject' })
    return { fetch: answer, hasOwnFiles, close: () => close().finally(release) }
  }

  function openSession(id: string): Made {
    const { workspace, hasOwnFiles, release } = openTree()
    const eventStore = sentEvents({ room })
    const leave = () => {
      eventStore.forgetAll()
      release()
    }
    const transport = new SessionTransport({
      sessionIdGenerator: () => id,
      eventStore,
      retryInterval: comeBackMs,
      onsessionclosed() {
        if (sessions.delete(id)) leave()
      },
    })
    const direct = directCalls(refusingMalformedCalls(withExactCodes(transport)))
    const { server, calls } = createConnection({ ...served, workspace }, {})
    if (isCalledDirectly(served)) direct.begin(calls)
    const connected = refusingUnknownMethods(server).connect(direct.transport)
    return {
      async fetch(request, body) {
        await connected
        return transport.handleRequest(request, { parsedBody: body })
      },
      hasOwnFiles,
      close: () => transport.close().finally(leave),
    }
  }

  async function endOldest(held: Map<string, Held>): Promise<void> {
    const idle = [...held].filter(([, { open, hasOwnFiles }]) => open === 0 && !hasOwnFiles())
    const [oldest] = idle.sort(([, a], [, b]) => a.usedMs - b.usedMs)
    if (oldest) await end(held, ...oldest)
  }

  async function end(held: Map<string, Held>, key: string, session: Held): Promise<void> {
    held.delete(key)
    await session.close()
  }

  function remember(id: string): void {
    lost.add(id)
    const [oldest] = lost
    if (lost.size > mostRemembered && oldest !== undefined) lost.delete(oldest)
  }

  return {
    fetch,
    get sessions() {
      return sessions.size
    },
    async sweep() {
      const isIdle = ({ open, usedMs }: Held) => open === 0 && now() - usedMs > idleMs
      for (const [name, place] of [...places]) {
        if (isIdle(place) && !place.hasOwnFiles()) await end(places, name, place)
      }
      for (const [id, session] of [...sessions]) {
        if (!isIdle(session)) continue
        if (session.hasOwnFiles()) remember(id)
        await end(sessions, id, session)
      }
    },
    async close() {
      for (const held of [sessions, places]) for (const [key, each] of held) await end(held, key, each)
      await shared.close()
    },
  }
}

const lostFiles =
  'Session not found: it was idle too long and has ended, and the files written in it are gone; begin anew'
