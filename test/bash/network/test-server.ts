/** A server on this machine whose answers depend on the request alone. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import zlib from 'node:zlib'

export interface TestServer {
  origin: string
  /** `METHOD path` of all requests so far. */
  seen: string[]
  close(): Promise<void>
}

type Answer = (request: http.IncomingMessage, response: http.ServerResponse, body: Buffer) => unknown

export async function testServer(answer: Answer = answers): Promise<TestServer> {
  const seen: string[] = []
  const server = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    response.sendDate = false
    response.on('error', () => {})
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => answer(request, response, Buffer.concat(pieces)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

const text = 'The quick brown fox jumps over the lazy dog.\n'.repeat(20)

function answers(request: http.IncomingMessage, response: http.ServerResponse, body: Buffer): unknown {
  const url = new URL(request.url ?? '/', 'http://server')
  const [, kind = '', value = ''] = url.pathname.split('/')
  response.setHeader('Connection', 'close')
  const send = (content: string | Buffer, headers: Record<string, string | string[]> = {}, status = 200) => {
    response.writeHead(status, {
      'Content-Type': 'text/plain',
      'Content-Length': Buffer.byteLength(content),
      ...headers,
    })
    response.end(request.method === 'HEAD' ? undefined : content)
  }
  switch (kind) {
    case 'echo':
      return send(echoed(request, body))
    case 'status':
      return send(`status ${value}\n`, {}, Number(value))
    case 'redirect':
      return send('moved\n', { Location: url.searchParams.get('to') ?? '/echo' }, Number(value))
    case 'hops':
      return send('', { Location: Number(value) > 1 ? `/hops/${Number(value) - 1}` : '/echo' }, 302)
    case 'loop':
      return send('', { Location: '/loop' }, 302)
    case 'text':
      return ranged(request, response, text)
    case 'gzip':
      return send(zlib.gzipSync(text), { 'Content-Encoding': 'gzip' })
    case 'deflate':
      return send(zlib.deflateSync(text), { 'Content-Encoding': 'deflate' })
    case 'cookies':
      return send('set\n', { 'Set-Cookie': ['a=1; Path=/', 'b=2; Path=/deep', 'c=3; HttpOnly', 'old=x; Max-Age=0'] })
    case 'login':
      if (request.headers.authorization === `Basic ${btoa('ann:secret')}`) return send('welcome\n')
      return send('who are you?\n', { 'WWW-Authenticate': 'Basic realm="test"' }, 401)
    case 'named':
      return send('named\n', { 'Content-Disposition': 'attachment; filename="given.txt"' })
    case 'empty':
      return send('')
    case 'many':
      return send('many\n', { 'X-One': ['1', '2'], 'X-Two': 'b' })
    default:
      return send('not found\n', {}, 404)
  }
}

function echoed({ method, url, headers }: http.IncomingMessage, body: Buffer): string {
  const lines = Object.entries(headers)
    .filter(
      ([name, value]) =>
        !['connection', 'host', 'expect'].includes(name) && !(name === 'content-length' && value === '0'),
    )
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}: ${value}`)
  const boundary = /boundary=(\S+)/.exec(headers['content-type'] ?? '')?.[1]
  const plain = `${[`${method} ${url}`, ...lines].join('\n')}\n\n${body.toString('latin1')}\n`
  return boundary === undefined ? plain : plain.replaceAll(boundary, 'BOUNDARY')
}

function ranged(request: http.IncomingMessage, response: http.ServerResponse, content: string): void {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  if (first === undefined) {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': content.length })
    response.end(request.method === 'HEAD' ? undefined : content)
    return
  }
  const end = last === '' || last === undefined ? content.length - 1 : Math.min(Number(last), content.length - 1)
  if (Number(first) >= content.length) {
    response.writeHead(416, { 'Content-Range': `bytes */${content.length}`, 'Content-Length': 0 })
    response.end()
    return
  }
  const part = content.slice(Number(first), end + 1)
  response.writeHead(206, {
    'Content-Type': 'text/plain',
    'Content-Length': part.length,
    'Content-Range': `bytes ${first}-${end}/${content.length}`,
  })
  response.end(part)
}
