/** An HTTP server that admits only who may use it, with limits on connections, requests and bodies. What it answers is up to the caller. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { answerEarly } from './early-answer.js'
import { httpBodies, type RejectedBody } from './http-bodies.js'
import { createGuard, isLoopback, urlHost } from './http-guard.js'
import type { PageFiles } from './page-files.js'
import { rateLimit } from './rate-limit.js'
import { refusedHostPage } from './refused-host-page.js'
import { requestTarget } from './request-target.js'

export interface GuardedServerOptions {
  /** Loopback unless given. */
  host?: string
  /** Any free port unless given. */
  port?: number
  /** True uses any free port when `port` is taken. */
  orAnyPort?: boolean
  /** The bearer token that every request must have. Off loopback one is generated unless given. */
  token?: string
  /** Other host names under which clients may reach the server, such as a proxy's. */
  allowHosts?: readonly string[]
  /** Origins of pages that may use the server; none unless given. */
  allowOrigins?: readonly string[]
  maxMessageBytes?: number
  /** Limit of all incomplete or unanswered messages; four times `maxMessageBytes` unless given. Beyond it the largest incomplete one is rejected. */
  maxHeldBytes?: number
  /** How long a message may take to arrive, plus a second for each 64 kB; 15 seconds unless given. */
  slowMessageMs?: number
  /** How long a connection may be open before the head of a request has arrived; 15 seconds unless given. */
  slowHeadMs?: number
  /** How long a client may read nothing of what waits for it; 30 seconds unless given. */
  unreadMs?: number
  /** Connections that are open at the same time; 2000 unless given. Beyond it new ones are closed unanswered. */
  maxConnections?: number
  /** Limit of requests per second from one address; 2000 unless given. */
  maxRequestsPerSecond?: number
  /** A page to serve beside the endpoint. Its files are public: they need no token. */
  page?: PageFiles
  /** Takes requests for another protocol, such as WebSocket, once their Host and Origin are checked; without it there are none. It checks who asks. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Called with internal errors; the client only learns that there was one. */
  onFault?: (fault: unknown) => void
}

/** A request that may be answered. */
export interface Exchange {
  method: string
  /** Under which the client reaches the server, with the port. */
  host: string
  /** Without the query. */
  pathname: string
  /** The head of the request, for handlers that take one. Its signal aborts when the response has been sent or the client has disconnected. */
  request(): Request
  /** The body as a JSON message, or, with `isBinary`, as any bytes. */
  readBody(options?: { isBinary?: boolean }): Promise<Buffer | RejectedBody>
}

export interface GuardedServer {
  /** Such as `http://127.0.0.1:4100`. */
  readonly origin: string
  /** The wanted port, when it was taken and another is used. */
  readonly takenPort?: number
  /** The bearer token that clients must send; absent when none is required. */
  readonly token?: string
  /** Accepts no more requests, waits a moment for running ones, and then for `beforeEnd`. */
  close(beforeEnd?: () => Promise<void>): Promise<void>
}

const healthPath = '/healthz'
const shutdownMs = 2000
const checkConnectionsMs = 5000

/** A web page can't reach it unless it is allowed: requests with a foreign Host or Origin are refused, with a JSON-RPC error as body. */
export async function guardedServer(
  options: GuardedServerOptions,
  respond: (exchange: Exchange) => Promise<Response>,
): Promise<GuardedServer> {
  const { host = '127.0.0.1', port = 0, maxMessageBytes = 64 * 1024 * 1024, onFault } = options
  const token = options.token ?? (isLoopback(host) ? undefined : randomBytes(32).toString('base64url'))
  const limit = rateLimit(options.maxRequestsPerSecond ?? 2000)
  const bodies = httpBodies({
    maxBytes: maxMessageBytes,
    maxHeldBytes: options.maxHeldBytes ?? 4 * maxMessageBytes,
    graceMs: options.slowMessageMs ?? 15_000,
  })
  const running = new Set<ServerResponse>()
  let stopping = false

  const { slowHeadMs: headersTimeout = 15_000, unreadMs = 30_000 } = options
  const connectionsCheckingInterval = Math.min(checkConnectionsMs, headersTimeout)
  const server = createServer({ headersTimeout, connectionsCheckingInterval }, (request, response) => {
    // An answer may take long, but not to be read.
    response.setTimeout(unreadMs, () => response.writableLength > 0 && response.destroy())
    // Not GET: `close` does not wait for endless streams.
    if (request.method !== 'GET') running.add(response)
    response.once('close', () => running.delete(response))
    answer(request, response).catch((error) => {
      // The client disconnected; no internal error.
      if (error.code === 'ECONNRESET') return
      onFault?.(error)
      if (response.headersSent) response.destroy()
      else refuse(request, response, 500, 'Internal error', {}, -32603)
    })
  })
  // Each takes a file descriptor, which the process needs for its work too.
  server.maxConnections = options.maxConnections ?? 2000
  await listen(port).catch((error) => {
    if (error.code !== 'EADDRINUSE' || options.orAnyPort !== true) throw error
    return listen(0)
  })
  const address = server.address() as AddressInfo
  const { allowHosts, allowOrigins } = options
  const guard = createGuard({
    host,
    port: address.port,
    ...(token !== undefined && { token }),
    ...(allowHosts && { allowHosts }),
    ...(allowOrigins && { allowOrigins }),
  })

  const { upgrade } = options
  if (upgrade !== undefined) server.on('upgrade', (request, socket, head) => upgradeOf(upgrade, request, socket, head))

  function upgradeOf(
    accept: NonNullable<GuardedServerOptions['upgrade']>,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): void {
    // The client disconnected; no internal error.
    socket.on('error', () => {})
    const { method = 'GET', headers } = request
    const isRefused = hasSeveralHosts(request) || guard.refuse({ method, headers })?.status === 403
    const isLimited = limit.take(request.socket.remoteAddress ?? '') !== undefined
    if (requestTarget(request.url) === undefined) {
      refuseUpgrade(socket, '400 Bad Request')
      return
    }
    if (isRefused || isLimited || stopping) {
      const status = isRefused ? '403 Forbidden' : isLimited ? '429 Too Many Requests' : '503 Service Unavailable'
      refuseUpgrade(socket, status)
      return
    }
    try {
      accept(request, socket, head)
    } catch (fault) {
      onFault?.(fault)
      refuseUpgrade(socket, '500 Internal Server Error')
    }
  }

  function listen(wanted: number): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(wanted, host, () => {
        server.removeListener('error', reject)
        resolve()
      })
    })
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers } = request
    if (hasSeveralHosts(request)) return refuse(request, response, 400, 'More than one Host', { connection: 'close' })
    const target = requestTarget(request.url)
    if (target === undefined) return refuse(request, response, 400, notAPath, { connection: 'close' })
    const { pathname } = target
    const refused = guard.refuse({ method, headers })
    if (pathname === healthPath && refused?.status !== 403) return health(request, response)
    if (refused?.status !== 403 && (await options.page?.(request, response))) return
    if (refused?.reason === 'Host not allowed' && isPageRequest(request)) {
      response.writeHead(refused.status, pageHeaders)
      response.end(refusedHostPage(headers.host))
      return
    }
    if (refused !== undefined) {
      const challenge = refused.status === 401 ? { 'www-authenticate': 'Bearer realm="polyfs"' } : {}
      return refuse(request, response, refused.status, refused.reason, challenge)
    }
    if (guard.isForeign(headers.origin)) allowOrigin(response, headers.origin)
    if (method === 'OPTIONS' && headers.origin !== undefined) {
      response.writeHead(204).end()
      return
    }
    if (stopping) return refuse(request, response, 503, 'Shutting down', { connection: 'close' })
    const waitSeconds = limit.take(request.socket.remoteAddress ?? '')
    if (waitSeconds !== undefined) {
      return refuse(request, response, 429, 'Too many requests', { 'retry-after': String(waitSeconds) })
    }
    const exchange: Exchange = {
      method,
      // The guard requires one.
      host: headers.host ?? '',
      pathname,
      request: () => webRequest(request, response),
      readBody: (how) => bodies.read(request, response, how),
    }
    await send(request, response, await respond(exchange))
  }

  return {
    origin: `http://${urlHost(address.address)}:${address.port}`,
    ...(port !== 0 && port !== address.port && { takenPort: port }),
    ...(token !== undefined && { token }),
    async close(beforeEnd) {
      stopping = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.race([
        Promise.all([...running].map((response) => new Promise((resolve) => response.once('close', resolve)))),
        new Promise((resolve) => setTimeout(resolve, shutdownMs)),
      ])
      await beforeEnd?.()
      server.closeAllConnections()
      await closed
    },
  }
}

const notAPath = 'The target of a request has to be a path that begins with one slash'

/** Closes the connection also for a client that does not. */
export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
}

/** Node uses the first Host header, but a proxy in front may have used another one. */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length > 1
}

/** True when a browser opens an address, rather than a client sending a message. */
function isPageRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept ?? '').includes('text/html')
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
}

function health({ method }: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(method === 'HEAD' ? undefined : '{"status":"ok"}\n')
}

/** Rejects a request with a JSON-RPC error as body. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
  code = -32000,
): void {
  const body = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })}\n`)
  const own = { 'content-type': 'application/json', ...headers }
  if (request.complete) response.writeHead(status, own).end(body)
  else answerEarly(request, response, { status, headers: own, body })
}

function send(request: IncomingMessage, response: ServerResponse, reply: Response): void | Promise<void> {
  if (!request.complete) return sendEarly(request, response, reply)
  for (const [name, value] of reply.headers) response.setHeader(name, value)
  response.writeHead(reply.status)
  // Tells the client at once that its stream is open, which may have no event for long.
  if (request.method === 'GET') response.flushHeaders()
  if (reply.body === null) response.end()
  // The two declarations of the same web stream differ only in name.
  else
    Readable.fromWeb(reply.body as Parameters<typeof Readable.fromWeb>[0])
      .on('error', () => response.destroy())
      .pipe(response)
}

/** Answers a request whose body was not read to its end: it was rejected. */
async function sendEarly(request: IncomingMessage, response: ServerResponse, reply: Response): Promise<void> {
  const body = Buffer.from(await reply.arrayBuffer())
  answerEarly(request, response, { status: reply.status, headers: Object.fromEntries(reply.headers), body })
}

/** CORS: allows a page of another origin to send the protocol's headers and to read the response. */
function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'origin')
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE')
  response.setHeader(
    'access-control-allow-headers',
    'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name',
  )
  response.setHeader('access-control-expose-headers', 'mcp-session-id, mcp-protocol-version')
  response.setHeader('access-control-allow-private-network', 'true')
  response.setHeader('access-control-max-age', '600')
}

/** The head of the request; its body is read by `httpBodies`. */
function webRequest(request: IncomingMessage, response: ServerResponse): Request {
  const headers = new Headers()
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    headers.append(request.rawHeaders[index] ?? '', request.rawHeaders[index + 1] ?? '')
  }
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    signal: gone.signal,
  })
}
