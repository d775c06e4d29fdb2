/**
 * Older protocol revisions over HTTP keep a session: one server, one transport and one memory of what the agent chose for each client.
 * The newest has none; its requests are passed on.
 */
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport as SessionTransport,
} from '@modelcontextprotocol/server'
import type { Workspace } from '../workspace.js'
import { withExactCodes } from './exact-codes.js'
import { type HeaderArgument, headerArguments, headerFault } from './header-arguments.js'
import { faultOf, invalidParams, refusingMalformedCalls, refusingUnknownMethods } from './malformed-calls.js'
import { tellListeners } from './resources.js'
import { sentEvents } from './sent-events.js'
import { createServer, type Served } from './server.js'

/** How long a client whose stream broke waits before it asks for the rest. */
const comeBackMs = 1000

const headersDisagree = -32020

export interface SessionOptions {
  /** Beyond it the session that was idle longest ends; while none is idle, no new one begins. */
  maxSessions: number
  /** A session that nobody has used for this long ends. */
  idleMs: number
  /** What nobody can guess. */
  newId: () => string
  /** What a new session works on; all share one workspace unless given. */
  open?: () => Workspace
  now?: () => number
}

export interface SessionHandler {
  /** Answers one request; `body` is what it carried, parsed. Its signal ends when the answer has been sent or nobody waits for it. */
  fetch(request: Request, body?: unknown): Promise<Response>
  /** Ends sessions that were idle too long. */
  sweep(): Promise<void>
  readonly sessions: number
  close(): Promise<void>
}

interface Held {
  transport: SessionTransport
  /** Requests that are being answered, streams included. */
  open: number
  usedMs: number
}

export function sessionHandler(served: Served, options: SessionOptions): SessionHandler {
  const { maxSessions, idleMs, newId, open = () => served.workspace, now = Date.now } = options
  const held = new Map<string, Held>()
  const shared = {}
  const inHeaders = new Map<unknown, HeaderArgument[]>(
    served.dialect.tools.map(({ name, inputSchema }) => [name, headerArguments(inputSchema)]),
  )
  // Without a listener for errors, as in sessions: it would hear of all that clients get wrong, and faults of ours are told by the tools.
  const modern = createMcpHandler(() => createServer(served, shared), { legacy: 'reject' })
  const stopTelling = tellListeners(modern.notify, served)

  async function fetch(request: Request, body?: unknown): Promise<Response> {
    if (!(await isLegacyRequest(request, body))) return stateless(request, body)
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      const session = held.get(id)
      return session === undefined ? refusal(404, -32001, 'Session not found') : use(session, request, body)
    }
    if (![body].flat().some((message) => isInitializeRequest(message))) {
      return refusal(400, -32000, 'Bad Request: Mcp-Session-Id header is required')
    }
    const session = await begin()
    return session === undefined ? refusal(503, -32000, 'Too many sessions') : use(session, request, body)
  }

  async function stateless(request: Request, body: unknown): Promise<Response> {
    const id = idOf(body)
    const fault = id === undefined || isRemoved(body) ? undefined : faultOf(body)
    // As the SDK does it: what is wrong inside of a message is no fault of the request that carried it.
    if (fault !== undefined) return refusal(200, invalidParams, fault, id)
    const mismatch = headerMismatch(request, body)
    if (mismatch !== undefined) return refusal(400, headersDisagree, mismatch, id)
    return modern.fetch(request, { parsedBody: body })
  }

  function headerMismatch({ headers }: Request, body: unknown): string | undefined {
    const call = body as { method?: unknown; params?: { name?: unknown; arguments?: unknown } } | null | undefined
    if (call?.method !== 'tools/call') return undefined
    const wanted = inHeaders.get(call.params?.name)
    return wanted && headerFault(wanted, call.params?.arguments, headers)
  }

  async function use(session: Held, request: Request, body: unknown): Promise<Response> {
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
    return session.transport.handleRequest(request, { parsedBody: body })
  }

  async function begin(): Promise<Held | undefined> {
    if (held.size >= maxSessions) await endOldest()
    if (held.size >= maxSessions) return undefined
    const id = newId()
    const transport = new SessionTransport({
      sessionIdGenerator: () => id,
      eventStore: sentEvents(),
      retryInterval: comeBackMs,
      onsessionclosed: () => void held.delete(id),
    })
    const session = { transport, open: 0, usedMs: now() }
    held.set(id, session)
    const server = refusingUnknownMethods(createServer({ ...served, workspace: open() }, {}))
    await server.connect(refusingMalformedCalls(withExactCodes(transport)))
    return session
  }

  async function endOldest(): Promise<void> {
    const idle = [...held].filter(([, { open }]) => open === 0).sort(([, a], [, b]) => a.usedMs - b.usedMs)
    const [oldest] = idle
    if (oldest) await end(...oldest)
  }

  async function end(id: string, { transport }: Held): Promise<void> {
    held.delete(id)
    await transport.close()
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
      stopTelling()
      await modern.close()
    },
  }
}

/** Methods that sessions have and the newest revision does not: that they are not there comes before how they are called. */
function isRemoved(message: unknown): boolean {
  const method = typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined
  return method === 'resources/subscribe' || method === 'resources/unsubscribe'
}

function idOf(message: unknown): string | number | undefined {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

function refusal(status: number, code: number, message: string, id: string | number | null = null): Response {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id })
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}
