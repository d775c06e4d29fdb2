import { randomBytes } from 'node:crypto'
import { errorResponse } from '../../src/mcp/http/error-response.js'
import { httpHandler, type Served } from '../../src/mcp/serve.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { type Exchange, type GuardedServerOptions, guardedServer } from './guarded-server.js'
import type { RejectedBody } from './http-bodies.js'

export interface HttpOptions extends Served, Omit<GuardedServerOptions, 'onFault'> {
  /** Sessions of clients of older protocol revisions; 32 unless given. */
  maxSessions?: number
  /** How long a session may be idle; 30 minutes unless given. */
  sessionIdleMs?: number
  /**
   * Opens the workspace of a session; all share one unless given. Clients of the newest revision have no sessions and share that one too,
   * except those that use `/mcp/NAME`: each name has a workspace of its own. There may be as many names as sessions; a named workspace that
   * was written to stays until the server closes.
   */
  openSession?: () => Workspace
  /** Called with a workspace from `openSession` or `openNamed` that is no longer used. */
  closeSession?: (workspace: Workspace) => void
  /** Opens the workspace that is stored under the name of `/mcp/NAME`, for every client that uses this address. At most 1024 are open. */
  openNamed?: (name: string) => Workspace
}

export interface HttpServer {
  /** Where clients connect, such as `http://127.0.0.1:4100/mcp`. */
  readonly url: string
  /** The bearer token that clients must send; absent when none is required. */
  readonly token?: string
  /** The URL of the page, when one is served. */
  readonly pageUrl?: string
  /** The wanted port, when it was taken and another is used. */
  readonly takenPort?: number
  /** Accepts no more requests, and waits a moment for running ones. */
  close(): Promise<void>
}

const path = '/mcp'
const sweepEveryMs = 30_000
const maxNamed = 1024

/** Serves MCP over streamable HTTP. A web page can't reach it unless it is allowed: requests with a foreign Host or Origin are refused. */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const { onFault } = options
  const handler = httpHandler(options, {
    sessions: {
      maxSessions: options.maxSessions ?? 32,
      idleMs: options.sessionIdleMs ?? 30 * 60_000,
      newId: () => randomBytes(24).toString('base64url'),
      ...(options.openSession && { open: options.openSession }),
      ...(options.closeSession && { dispose: options.closeSession }),
      ...(options.openNamed && { openNamed: options.openNamed, maxNamed }),
    },
  })
  const { origin, takenPort, token, close } = await guardedServer(options, respond)
  const sweeping = setInterval(() => void handler.sweep().catch(onFault), sweepEveryMs).unref()

  async function respond(exchange: Exchange): Promise<Response> {
    const { pathname } = exchange
    const workspaceName = workspaceNameIn(pathname)
    if (pathname !== path && workspaceName === undefined)
      return errorResponse(404, -32000, `Not found: the endpoint is ${path}`)
    return handler.fetch(exchange.request(), { readBody: () => mcpBody(exchange), workspaceName })
  }

  /** The NAME of `/mcp/NAME`, where there are workspaces by name. */
  function workspaceNameIn(pathname: string): string | undefined {
    const [, name] = options.openSession || options.openNamed ? (/^\/mcp\/([\w.-]{1,64})$/.exec(pathname) ?? []) : []
    return name
  }

  return {
    url: `${origin}${path}`,
    ...(options.page && { pageUrl: `${origin}/` }),
    ...(takenPort !== undefined && { takenPort }),
    ...(token !== undefined && { token }),
    close() {
      clearInterval(sweeping)
      return close(() => handler.close())
    },
  }
}

/** The body of an MCP request, or the response that rejects it. */
export async function mcpBody({ readBody }: Exchange): Promise<Buffer | Response> {
  const body = await readBody()
  return 'status' in body ? rejection(body) : body
}

function rejection({ status, reason }: RejectedBody): Response {
  return errorResponse(status, status === 400 ? -32600 : -32000, reason, {
    ...(status === 503 && { headers: { 'retry-after': '1' } }),
  })
}
