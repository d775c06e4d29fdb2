import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable, Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { exactLine, httpHandler, type Served } from '../src/mcp/serve.js'

export interface HttpOptions extends Served {
  /** Loopback unless given. Off loopback anyone who reaches the port can use the tools. */
  host?: string
  /** Any free port unless given. */
  port?: number
  maxMessageBytes?: number
}

export interface HttpServer {
  /** Where clients connect, such as `http://127.0.0.1:4100/mcp`. */
  readonly url: string
  close(): Promise<void>
}

const path = '/mcp'

/** Serves MCP over streamable HTTP. A web page can't reach it: requests with a foreign Host or any Origin are refused. */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const { host = '127.0.0.1', port = 0, maxMessageBytes = 64 * 1024 * 1024 } = options
  const handler = httpHandler(options, { maxRequestBytes: maxMessageBytes })
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      options.onFault?.(error)
      response.destroy()
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, allowedHosts(host, (server.address() as AddressInfo).port))
    if (refusal !== undefined) {
      response.writeHead(refusal.status, { 'content-type': 'text/plain' }).end(`${refusal.reason}\n`)
      return
    }
    const reply = await handler.fetch(webRequest(request, response))
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    if (reply.body === null) response.end()
    // The two declarations of the same web stream differ only in name.
    else
      Readable.fromWeb(reply.body as Parameters<typeof Readable.fromWeb>[0])
        .pipe(exactCodes())
        .pipe(response)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${name}:${address.port}${path}`,
    async close() {
      await handler.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Codes as the dialect gave them; the rest passes unchanged, as it comes. */
function exactCodes(): Transform {
  let rest = ''
  const decoder = new StringDecoder('utf8')
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = (rest + decoder.write(chunk)).split('\n')
      rest = lines.pop() ?? ''
      done(null, lines.map((line) => `${exactLine(line)}\n`).join(''))
    },
    flush(done) {
      done(null, exactLine(rest + decoder.end()))
    },
  })
}

function allowedHosts(host: string, port: number): Set<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]', host.includes(':') ? `[${host}]` : host]
  return new Set(names.map((name) => `${name}:${port}`))
}

/** A page that rebinds its own name to loopback still sends that name as Host, and a browser always names the page as Origin. */
function refusalOf(
  { headers, url }: IncomingMessage,
  hosts: Set<string>,
): { status: number; reason: string } | undefined {
  if (!hosts.has(headers.host ?? '')) return { status: 403, reason: 'Host not allowed' }
  if (headers.origin !== undefined) return { status: 403, reason: 'Origin not allowed' }
  if (new URL(url ?? '/', 'http://localhost').pathname !== path)
    return { status: 404, reason: `Not found: the endpoint is ${path}` }
  return undefined
}

function webRequest(request: IncomingMessage, response: ServerResponse): Request {
  const headers = new Headers()
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    headers.append(request.rawHeaders[index] ?? '', request.rawHeaders[index + 1] ?? '')
  }
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { method = 'GET' } = request
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? (Readable.toWeb(request) as ReadableStream<Uint8Array>) : null
  return new Request(`http://${request.headers.host}${request.url}`, {
    method,
    headers,
    body,
    signal: gone.signal,
    // Node's fetch wants to hear that the body is a stream.
    ...({ duplex: 'half' } as RequestInit),
  })
}
