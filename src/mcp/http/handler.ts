/** MCP over streamable HTTP, for every host that has `Request` and `Response`: Node, service workers, edge runtimes. */
import type { Served } from '../server/served.js'
import { errorResponse } from './error-response.js'
import { readBody as readRequestBody } from './read-body.js'
import { type SessionHandler, type SessionOptions, sessionHandler } from './sessions.js'
import { statelessHandler } from './stateless.js'

export interface HttpHandlerOptions {
  /** The longest body that is accepted; 64 MiB unless given. */
  maxRequestBytes?: number
  /**
   * Gives each client of an older protocol revision a session. Unless given, those requests stand alone like the newest revision's, and
   * what an agent chooses applies to all clients.
   */
  sessions?: SessionOptions
}

export interface HttpRequestOptions {
  /** Reads the body in place of the handler, for hosts that limit the memory of all bodies together. Returns a response to reject it. */
  readBody?: () => Promise<Uint8Array | Response>
  /** The workspace that requests with this name share; requires `sessions.open` or `sessions.openNamed`. */
  workspaceName?: string | undefined
}

export interface HttpHandler {
  /** Answers one request. Its signal must abort when the response has been sent or the client has disconnected. */
  fetch(request: Request, options?: HttpRequestOptions): Promise<Response>
  /** Ends sessions that have been idle too long; to be called regularly where there are sessions. */
  sweep(): Promise<void>
  close(): Promise<void>
}

const methods = ['GET', 'POST', 'DELETE']

export function httpHandler(served: Served, options: HttpHandlerOptions = {}): HttpHandler {
  const { maxRequestBytes = 64 * 1024 * 1024, sessions } = options
  const handler: Omit<SessionHandler, 'sessions'> = sessions
    ? sessionHandler(served, sessions)
    : { ...statelessHandler(served), async sweep() {} }
  return {
    async fetch(request, { readBody = () => readRequestBody(request, maxRequestBytes), workspaceName } = {}) {
      const { method, headers } = request
      if (!methods.includes(method)) {
        return errorResponse(405, -32000, 'Method not allowed', { headers: { allow: methods.join(', ') } })
      }
      if (method !== 'POST') return handler.fetch(request, undefined, workspaceName)
      if (!/^application\/json *(;|$)/i.test(headers.get('content-type') ?? '')) {
        return errorResponse(415, -32000, 'Content-Type must be application/json')
      }
      const body = await readBody()
      if (body instanceof Response) return body
      const message = parse(body)
      if (message === undefined) return errorResponse(400, -32700, 'Parse error')
      return handler.fetch(request, message.value, workspaceName)
    },
    sweep: () => handler.sweep(),
    close: () => handler.close(),
  }
}

function parse(body: Uint8Array): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
