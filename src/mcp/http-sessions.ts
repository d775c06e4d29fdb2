/**
 * Older protocol revisions over HTTP keep a session: one server, one transport and one memory of what the agent chose for each client.
 * The newest has none: its requests are answered one by one, together or apart by the name that the client gives its place.
 */
import {
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport as SessionTransport,
} from '@modelcontextprotocol/server'
import type { Workspace } from '../workspace.js'
import { withExactCodes } from './exact-codes.js'
import { refusingMalformedCalls } from './malformed-calls.js'
import { refusingUnknownMethods } from './protocol-errors.js'
import { refusal } from './refusal.js'
import { sentEvents } from './sent-events.js'
import { createServer, type Served } from './server.js'
import { type StatelessHandler, statelessHandler } from './stateless.js'

/** How long a client whose stream broke waits before it asks for the rest. */
const comeBackMs = 1000

export interface SessionOptions {
  /** Beyond it the session or place that was idle longest ends; while none is idle, no new one begins. */
  maxSessions: number
  /** One that nobody has used for this long ends. */
  idleMs: number
  /** What nobody can guess. */
  newId: () => string
  /** What a new session or place works on; all share one workspace unless given. */
  open?: () => Workspace
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
}

export function sessionHandler(served: Served, options: SessionOptions): SessionHandler {
  const { maxSessions, idleMs, newId, open = () => served.workspace, now = Date.now } = options
  /** Sessions by their ids, and places by their names behind a slash, which no id has. */
  const held = new Map<string, Held>()
  const shared = statelessHandler(served)

  async function fetch(request: Request, body?: unknown, place?: string): Promise<Response> {
    if (!(await isLegacyRequest(request, body))) {
      if (place === undefined) return shared.fetch(request, body)
      return use(await begin(`/${place}`, () => statelessHandler({ ...served, workspace: open() })), request, body)
    }
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      const session = id.startsWith('/') ? undefined : held.get(id)
      return session === undefined ? refusal(404, -32001, 'Session not found') : use(session, request, body)
    }
    if (![body].flat().some((message) => isInitializeRequest(message))) {
      return refusal(400, -32000, 'Bad Request: Mcp-Session-Id header is required')
    }
    const newest = newId()
    return use(await begin(newest, () => openSession(newest)), request, body)
  }

  async function use(session: Held | undefined, request: Request, body: unknown): Promise<Response> {
    if (session === undefined) return refusal(503, -32000, 'Too many sessions')
    session.open += 1
    session.usedMs = now()
    request.signal.addEventListener(
      'abort',
      () => {
        session.open -= 1
        session.usedMs = now()
      },
      { once: true },
    )
    return session.fetch(request, body)
  }

  /** What is held under the key, or what is made for it; undefined when there is no room. */
  async function begin(key: string, make: () => StatelessHandler): Promise<Held | undefined> {
    if (!held.has(key) && held.size >= maxSessions) await endOldest()
    const known = held.get(key)
    if (known !== undefined || held.size >= maxSessions) return known
    const session = { ...make(), open: 0, usedMs: now() }
    held.set(key, session)
    return session
  }

  function openSession(id: string): StatelessHandler {
    const transport = new SessionTransport({
      sessionIdGenerator: () => id,
      eventStore: sentEvents(),
      retryInterval: comeBackMs,
      onsessionclosed: () => void held.delete(id),
    })
    const server = refusingUnknownMethods(createServer({ ...served, workspace: open() }, {}))
    const connected = server.connect(refusingMalformedCalls(withExactCodes(transport)))
    return {
      async fetch(request, body) {
        await connected
        return transport.handleRequest(request, { parsedBody: body })
      },
      close: () => transport.close(),
    }
  }

  async function endOldest(): Promise<void> {
    const idle = [...held].filter(([, { open }]) => open === 0).sort(([, a], [, b]) => a.usedMs - b.usedMs)
    const [oldest] = idle
    if (oldest) await end(...oldest)
  }

  async function end(id: string, session: Held): Promise<void> {
    held.delete(id)
    await session.close()
  }

  return {
    fetch,
    get sessions() {
      return held.size
    },
    async sweep() {
      const expired = [...held].filter(([, { open, usedMs }]) => open === 0 && now() - usedMs > idleMs)
      for (const [id, session] of expired) await end(id, session)
    },
    async close() {
      for (const [id, session] of held) await end(id, session)
      await shared.close()
    },
  }
}
