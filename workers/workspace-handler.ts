import { errorResponse } from '../src/mcp/http/error-response.js'
import { httpHandler, type Served, type SessionStore } from '../src/mcp/serve.js'

export interface WorkspaceHandlerOptions {
  /** The longest message that is accepted. Default: 8 MiB. */
  maxRequestBytes?: number
  /** Sessions that are held in memory. Default: 32. */
  maxSessions?: number
  /** How long an idle session is held in memory. Default: 30 minutes. */
  sessionIdleMs?: number
  /** Where sessions outlive this handler. */
  sessionStore?: SessionStore
  /**
   * Lets clients of older revisions keep a stream open (GET), on which they learn of changed resources, and resume answers that broke off.
   * An open stream keeps a Durable Object awake, which costs. Default: false; clients then work without it.
   */
  streams?: boolean
}

export interface WorkspaceHandler {
  /** Answers one MCP request, in any revision, whatever its path is. */
  fetch(request: Request): Promise<Response>
  /** Requests that are being answered, or whose answer is being sent. */
  readonly running: number
  /** Ends all sessions in memory. */
  close(): Promise<void>
}

const sweepEveryMs = 60_000

/** Serves one workspace to hosts that answer a `Request` with a `Response`: Workers, Bun, Deno. It checks no token; `mcpEndpoint` does. */
export function workspaceHandler(served: Served, options: WorkspaceHandlerOptions = {}): WorkspaceHandler {
  const { maxRequestBytes = 8 << 20, maxSessions = 32, sessionIdleMs = 30 * 60_000, sessionStore, streams } = options
  const handler = httpHandler(served, {
    maxRequestBytes,
    sessions: { maxSessions, idleMs: sessionIdleMs, newId, ...(sessionStore && { store: sessionStore }) },
  })
  let sweptMs = Date.now()
  let running = 0

  /** At a request, since a timer would keep a Durable Object awake. */
  async function sweepSometimes(): Promise<void> {
    const nowMs = Date.now()
    if (nowMs - sweptMs < sweepEveryMs) return
    sweptMs = nowMs
    await handler.sweep()
  }

  return {
    async fetch(request) {
      if (request.method === 'GET' && streams !== true) {
        return errorResponse(405, -32000, 'Streams are not offered here', { headers: { allow: 'POST, DELETE' } })
      }
      await sweepSometimes()
      running += 1
      return answered(
        request,
        (sent) => handler.fetch(sent),
        () => {
          running -= 1
        },
      )
    },
    get running() {
      return running
    },
    close: () => handler.close(),
  }
}

function newId(): string {
  return `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', '')
}

/** Gives the request a signal that aborts when its response was sent or the client has disconnected; hosts have none, or only for the latter. */
async function answered(
  request: Request,
  respond: (request: Request) => Promise<Response>,
  onEnd: () => void,
): Promise<Response> {
  const ended = new AbortController()
  const end = () => ended.abort()
  ended.signal.addEventListener('abort', onEnd, { once: true })
  request.signal.addEventListener('abort', end, { once: true })
  try {
    const response = await respond(new Request(request, { signal: ended.signal }))
    const { body, status, headers } = response
    if (body === null || headers.get('content-type')?.startsWith('application/json')) {
      const whole = body && (await response.arrayBuffer())
      end()
      return new Response(whole, { status, headers })
    }
    return new Response(withEnd(body, end), { status, headers })
  } catch (error) {
    end()
    throw error
  }
}

function withEnd(body: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      controller.close()
      end()
    },
    async cancel(reason) {
      end()
      await reader.cancel(reason)
    },
  })
}
