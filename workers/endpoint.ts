import { errorResponse } from '../src/mcp/http/error-response.js'
import { addressOf } from './names.js'
import { hasToken } from './token-check.js'

/** Answers the requests for one workspace: a stub of a Durable Object, or what `workspaceHandler` returns. */
export interface RequestTarget {
  fetch(request: Request): Promise<Response>
}

export interface EndpointOptions<Env> {
  /** Who answers for the workspace of this name; undefined when there is none. Called with names that passed the check only. */
  workspace(name: string, env: Env): RequestTarget | undefined | Promise<RequestTarget | undefined>
  /** The bearer token that every request must have. While it returns none, every request is refused. */
  token?: string | ((env: Env) => string | undefined)
  /**
   * Decides about a request in place of a token, or after it. False is answered with 403, a `Response` is sent as it is.
   * It gets the request without its body.
   */
  authorize?: (
    request: Request,
    context: { name: string; env: Env },
  ) => boolean | Response | Promise<boolean | Response>
  /** Origins of pages that may use the endpoint, such as `https://app.example`; none unless given. */
  allowOrigins?: readonly string[]
  /** Called with internal errors; the client only learns that there was one. */
  onFault?: (fault: unknown) => void
}

export interface Endpoint<Env> {
  /** `env` is what Workers get; hosts without one leave it out. */
  fetch(request: Request, env?: Env): Promise<Response>
}

/**
 * An MCP endpoint in front of many workspaces, as the default export of a Worker, or for `Bun.serve` and `Deno.serve`. It serves `/mcp/NAME` and,
 * without a token, `/healthz`. Throws if neither `token` nor `authorize` is given.
 */
export function mcpEndpoint<Env = undefined>(options: EndpointOptions<Env>): Endpoint<Env> {
  const { authorize, allowOrigins = [], onFault } = options
  if (options.token === undefined && authorize === undefined) {
    throw new TypeError('mcpEndpoint needs a token or a function authorize')
  }
  const origins = new Set(allowOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')))

  async function refusal(request: Request, name: string, env: Env): Promise<Response | undefined> {
    if (options.token !== undefined) {
      const token = typeof options.token === 'string' ? options.token : options.token(env)
      if (!token) return errorResponse(503, -32000, 'No token is configured for this server')
      if (!(await hasToken(request, token))) {
        const headers = { 'www-authenticate': 'Bearer realm="polyfs"' }
        return errorResponse(401, -32000, 'Bearer token required', { headers })
      }
    }
    if (authorize === undefined) return undefined
    const head = new Request(request.url, { method: request.method, headers: request.headers })
    const decision = await authorize(head, { name, env })
    if (decision instanceof Response) return decision
    // Only `true` allows: a function that forgets to return allows nothing.
    return decision === true ? undefined : errorResponse(403, -32000, 'Not allowed')
  }

  async function answer(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/healthz') return health(request)
    const { name } = addressOf(pathname) ?? {}
    if (name === undefined) return errorResponse(404, -32000, 'Not found: the endpoint is /mcp/NAME')
    const refused = await refusal(request, name, env)
    if (refused !== undefined) return refused
    const target = await options.workspace(name, env)
    if (target === undefined) return errorResponse(404, -32000, `There is no workspace ${name}`)
    try {
      return await target.fetch(request)
    } catch (error) {
      onFault?.(error)
      return errorResponse(503, -32000, unanswered, { headers: { 'retry-after': '1' } })
    }
  }

  return {
    async fetch(request, env) {
      const origin = request.headers.get('origin')
      const isForeign = origin !== null && origins.has(origin.toLowerCase())
      if (origin !== null && !isForeign && !isOwn(origin, request)) {
        return errorResponse(403, -32000, 'Origin not allowed')
      }
      if (request.method === 'OPTIONS' && origin !== null)
        return withOrigin(new Response(null, { status: 204 }), origin)
      try {
        // Left out only by hosts whose functions do not use it.
        const response = await answer(request, env as Env)
        return isForeign ? withOrigin(response, origin) : response
      } catch (error) {
        onFault?.(error)
        return errorResponse(500, -32603, 'Internal error')
      }
    },
  }
}

const unanswered =
  'The workspace did not answer, as while it is moved or updated. It is not known whether the call was made: look, then send it again'

function isOwn(origin: string, { url }: Request): boolean {
  return origin.toLowerCase() === new URL(url).origin
}

function health({ method }: Request): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return new Response(method === 'HEAD' ? null : '{"status":"ok"}\n', { headers })
}

/** CORS: allows a page of another origin to send the protocol's headers and to read the response. */
function withOrigin({ body, status, headers: given }: Response, origin: string): Response {
  const headers = new Headers(given)
  headers.set('access-control-allow-origin', origin)
  headers.append('vary', 'origin')
  headers.set('access-control-allow-methods', 'GET, POST, DELETE')
  headers.set(
    'access-control-allow-headers',
    'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name',
  )
  headers.set('access-control-expose-headers', 'mcp-session-id, mcp-protocol-version')
  headers.set('access-control-max-age', '600')
  return new Response(body, { status, headers })
}
