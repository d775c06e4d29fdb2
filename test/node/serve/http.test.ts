import { request } from 'node:http'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type HttpOptions, type HttpServer, serveHttp } from '../../../node/serve/http.js'
import { createGuard } from '../../../node/serve/http-guard.js'
import { rateLimit } from '../../../node/serve/rate-limit.js'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { fileEditor } from '../../../src/dialects/file-editor/tools.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { overlay } from '../../../src/fs/backends/overlay.js'
import { sessionHandler } from '../../../src/mcp/serve.js'
import { text } from '../../../src/tools/make-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { tool } from '../../conformance/define.js'
import { protocolMessages } from './protocol-messages.js'

const seed = { 'a.txt': 'alpha\n', 'inside/b.txt': 'beta\n' }

async function start(options: Partial<HttpOptions> = {}): Promise<HttpServer> {
  const server = await serveHttp({ workspace: createWorkspace({ fs: memory(seed) }), dialect: clarvis, ...options })
  onTestFinished(() => server.close())
  return server
}

interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Sent with node:http, which adds and corrects nothing. */
function send(
  { url }: { url: string },
  { method = 'POST', path = '/mcp', headers = {}, body = '' }: Partial<Parameters<typeof parts>[0]> = {},
): Promise<Reply> {
  const { port, hostname: host } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, method, path, headers: parts({ method, path, headers, body }) }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function parts({ headers }: { method: string; path: string; headers: Record<string, string>; body: string | Buffer }) {
  return { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
}

function rpc(method: string, params: object = {}, id: number | undefined = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', ...(id !== undefined && { id }), method, params })
}

const initialize = rpc('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})

/** What every request of the newest revision carries. */
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The message in a JSON response or in an event stream. */
function resultOf({ body }: Reply) {
  const line = body.split('\n').find((each) => each.startsWith('data: {')) ?? body
  return JSON.parse(line.replace(/^data: /, ''))
}

async function begin(server: HttpServer, headers: Record<string, string> = {}) {
  const reply = await send(server, { body: initialize, headers })
  const session = String(reply.headers['mcp-session-id'])
  const all = { ...headers, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
  await send(server, { body: rpc('notifications/initialized', {}, undefined), headers: all })
  const call = async (name: string, args: object) => {
    const answer = await send(server, { body: rpc('tools/call', { name, arguments: args }), headers: all })
    return resultOf(answer).result?.content[0].text ?? resultOf(answer).error.message
  }
  return { reply, session, headers: all, call }
}

describe('the guard', () => {
  const { port } = { port: 4100 }
  const guard = createGuard({
    host: '127.0.0.1',
    port,
    allowOrigins: ['https://app.example'],
    allowHosts: ['files.example'],
  })

  test.each<[verdict: string, headers: Record<string, string>]>([
    ['passes', { host: `127.0.0.1:${port}` }],
    ['passes', { host: `localhost:${port}` }],
    ['passes', { host: `LOCALHOST:${port}` }],
    ['passes', { host: `[::1]:${port}` }],
    ['passes', { host: 'files.example' }],
    ['passes', { host: 'files.example:8443' }],
    ['passes', { host: `localhost:${port}`, origin: `http://localhost:${port}` }],
    ['passes', { host: `localhost:${port}`, origin: 'https://app.example' }],
    ['passes', { host: `localhost:${port}`, origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }],
    ['Host not allowed', {}],
    ['Host not allowed', { host: 'evil.com' }],
    ['Host not allowed', { host: `evil.com:${port}` }],
    ['Host not allowed', { host: 'localhost' }],
    ['Host not allowed', { host: `localhost:${port + 1}` }],
    ['Host not allowed', { host: `localhost.evil.com:${port}` }],
    ['Host not allowed', { host: `127.0.0.1.nip.io:${port}` }],
    ['Host not allowed', { host: `0.0.0.0:${port}` }],
    ['Host not allowed', { host: 'evil.com/files.example' }],
    ['Origin not allowed', { host: `localhost:${port}`, origin: 'http://evil.com' }],
    ['Origin not allowed', { host: `localhost:${port}`, origin: 'null' }],
    ['Origin not allowed', { host: `localhost:${port}`, origin: '' }],
    ['Origin not allowed', { host: `localhost:${port}`, origin: `http://localhost:${port + 1}` }],
    ['Origin not allowed', { host: `localhost:${port}`, origin: `http://localhost:${port}.evil.com` }],
    ['Origin not allowed', { host: `localhost:${port}`, origin: `http://localhost:${port}/` }],
    ['Origin not allowed', { host: `localhost:${port}`, origin: 'https://app.example.evil.com' }],
    ['Origin not allowed', { host: `localhost:${port}`, origin: 'http://app.example' }],
    ['Origin not allowed', { host: `localhost:${port}`, 'sec-fetch-site': 'cross-site' }],
  ])('%s: %o', (verdict, headers) => {
    expect(guard.refuse({ method: 'POST', headers })?.reason ?? 'passes').toBe(verdict)
  })

  test('every route and method requires the token, except a preflight', () => {
    const asking = createGuard({
      host: '127.0.0.1',
      port,
      token: 'a-token-of-some-length',
      allowOrigins: ['https://a.b'],
    })
    const head = (authorization?: string, method = 'POST') => ({
      method,
      headers: {
        host: `127.0.0.1:${port}`,
        origin: 'https://a.b',
        ...(authorization !== undefined && { authorization }),
      },
    })
    for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'HEAD']) {
      expect(asking.refuse(head(undefined, method))).toEqual({ status: 401, reason: 'Bearer token required' })
    }
    for (const wrong of [
      '',
      'Bearer',
      'Bearer ',
      'Bearer a-token',
      'Basic a-token-of-some-length',
      'Bearer A-TOKEN-OF-SOME-LENGTH',
    ]) {
      expect(asking.refuse(head(wrong))?.status).toBe(401)
    }
    expect(asking.refuse(head('Bearer a-token-of-some-length'))).toBeUndefined()
    expect(asking.refuse(head('bearer a-token-of-some-length'))).toBeUndefined()
    expect(asking.refuse(head(undefined, 'OPTIONS'))).toBeUndefined()
  })

  test('bound to every address, the guard accepts the names of this machine', () => {
    const everywhere = createGuard({ host: '0.0.0.0', port, token: 'x' })
    const refusal = (host: string) => everywhere.refuse({ method: 'GET', headers: { host } })?.reason
    expect(refusal(`${hostname()}:${port}`)).toBe('Bearer token required')
    expect(refusal(`evil.com:${port}`)).toBe('Host not allowed')
  })
})

describe('over the wire', () => {
  test('a foreign Host or Origin is rejected first', async () => {
    const server = await start()
    const port = new URL(server.url).port
    for (const headers of [{ host: 'evil.com' }, { origin: 'http://evil.com' }, { origin: 'null' }] as Array<
      Record<string, string>
    >) {
      expect((await send(server, { body: initialize, headers })).status).toBe(403)
      expect((await send(server, { method: 'GET', path: '/healthz', headers })).status).toBe(403)
    }
    expect((await send(server, { body: initialize, headers: { origin: `http://127.0.0.1:${port}` } })).status).toBe(200)
  })

  test('a browser that comes under an unknown name gets a page that says what to do', async () => {
    const server = await start()
    const open = (host: string) =>
      send(server, { method: 'GET', path: '/', headers: { host, accept: 'text/html,application/xhtml+xml' } })
    const page = await open('forwarded.example:8080')
    expect([page.status, page.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8'])
    expect(page.body).toContain('npm start -- --allow-host forwarded.example:8080')
    const hostile = await open('<script>alert(1)</script>')
    expect(hostile.body).not.toContain('<script>')
    expect(hostile.body).toContain('--allow-host NAME')
  })

  test('a taken port is an error, or another is used when that is allowed', async () => {
    const first = await start()
    const port = Number(new URL(first.url).port)
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    const second = await start({ port, orAnyPort: true })
    expect(second.takenPort).toBe(port)
    expect(second.url).not.toBe(first.url)
    expect((await send(second, { body: initialize })).status).toBe(200)
    expect(first.takenPort).toBeUndefined()
  })

  test('off loopback a token is generated', async () => {
    const server = await start({ host: '0.0.0.0' })
    const { port } = new URL(server.url)
    const there = { url: `http://127.0.0.1:${port}/mcp` }
    expect(server.token).toMatch(/^[\w-]{43}$/)
    const refused = await send(there, { body: initialize })
    expect({ status: refused.status, challenge: refused.headers['www-authenticate'] }).toEqual({
      status: 401,
      challenge: 'Bearer realm="polyfs"',
    })
    expect((await send(there, { method: 'GET' })).status).toBe(401)
    expect((await send(there, { method: 'DELETE' })).status).toBe(401)
    const headers = { authorization: `Bearer ${server.token}` }
    expect((await send(there, { body: initialize, headers })).status).toBe(200)
  })

  test('an invalid request is rejected with a fitting status', async () => {
    const server = await start({ maxMessageBytes: 10_000 })
    const status = async (given: Parameters<typeof send>[1]) => (await send(server, given)).status
    expect(await status({ method: 'GET', path: '/' })).toBe(404)
    expect(await status({ path: '/mcp/../other', body: initialize })).toBe(404)
    expect(await status({ method: 'PUT', body: initialize })).toBe(405)
    expect(await status({ method: 'OPTIONS' })).toBe(405)
    expect(await status({ method: 'GET' })).toBe(400)
    expect(await status({ body: initialize, headers: { 'content-type': 'text/plain' } })).toBe(415)
    expect(await status({ body: initialize, headers: { 'content-type': 'application/json-seq' } })).toBe(415)
    expect(await status({ body: 'x'.repeat(20_000) })).toBe(413)
    expect(await status({ body: rpc('tools/list') })).toBe(400)
    expect(await status({ body: rpc('tools/list'), headers: { 'mcp-session-id': 'made-up' } })).toBe(404)
    const parsed = await send(server, { body: '{half' })
    expect({ status: parsed.status, body: JSON.parse(parsed.body) }).toEqual({
      status: 400,
      body: { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' }, id: null },
    })
    expect((await begin(server)).reply.status).toBe(200)
  })

  test('every message is answered, with a session, without one and in the newest revision, and causes no internal error', async () => {
    const faults: unknown[] = []
    const server = await start({ dialect: polyfs, onFault: (fault) => faults.push(fault) })
    const { headers: older } = await begin(server)
    const newer = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'read_file' }
    const values = ['null', '1', '"text"', 'true', '[]', '[null]', '[[]]', '[1,{}]', '{}', '{"id":1}', '{"method":1}']
    const lines = protocolMessages.map(({ line }) => (typeof line === 'string' ? line.replace('ID', '7') : line))
    for (const body of [...values, ...lines]) {
      for (const headers of [{}, older, newer]) {
        const { status } = await send(server, { body, headers })
        expect([200, 202, 400, 404], String(body.slice(0, 100))).toContain(status)
      }
    }
    expect(faults).toEqual([])
    expect((await send(server, { body: rpc('tools/list'), headers: older })).status).toBe(200)
  })

  test('a second Host is rejected, and a client that disconnects early causes no internal error', async () => {
    const faults: unknown[] = []
    const server = await start({ onFault: (fault) => faults.push(fault) })
    const { port } = new URL(server.url)
    const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`
    expect(await exchange(port, `${head}Host: evil.com\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
    await hangUp(port, `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`)
    expect((await begin(server)).reply.status).toBe(200)
    expect(faults).toEqual([])
  })

  test('a malformed request is answered with a short error, in older revisions and the newest', async () => {
    const server = await start({ dialect: polyfs })
    const session = (await begin(server)).reply.headers['mcp-session-id']
    const older = { 'mcp-session-id': String(session), 'mcp-protocol-version': '2025-11-25' }
    const answers = async (method: string, params: object) => {
      const newer = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }
      const sent = [
        await send(server, { body: rpc(method, params), headers: older }),
        await send(server, { body: rpc(method, { ...params, _meta: envelope }), headers: newer }),
      ]
      return sent.map((reply) => [reply.status, resultOf(reply).error])
    }
    const refused = (message: string) => [200, { code: -32602, message }]
    for (const [method, params, message] of [
      ['tools/list', { cursor: 5 }, 'Invalid tools/list param: cursor'],
      ['tools/list', { cursor: 'made-up' }, 'Invalid cursor: this list has one page'],
      ['prompts/list', { cursor: 'made-up' }, 'Invalid cursor: this list has one page'],
      ['resources/templates/list', { cursor: {} }, 'Invalid resources/templates/list param: cursor'],
      ['resources/read', {}, 'Missing resources/read param: uri'],
      ['prompts/get', { name: 'explore', arguments: { question: 5 } }, 'Invalid prompts/get param: arguments'],
    ] as const) {
      expect(await answers(method, params)).toEqual([refused(message), refused(message)])
    }
    expect(await answers('no/such', {})).toEqual([
      [200, { code: -32601, message: 'Method not found: no/such' }],
      [404, { code: -32601, message: 'Method not found' }],
    ])
    const [, removed] = await answers('resources/subscribe', {})
    expect(removed).toEqual([404, { code: -32601, message: 'Method not found' }])
  })

  test('CORS: an allowed page may send a preflight and read the response; no other origin is named', async () => {
    const server = await start({ allowOrigins: ['https://app.example'], token: 'a-token-of-some-length' })
    const origin = 'https://app.example'
    const preflight = await send(server, { method: 'OPTIONS', headers: { origin } })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      vary: 'origin',
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-expose-headers': 'mcp-session-id, mcp-protocol-version',
    })
    const headers = { origin, authorization: 'Bearer a-token-of-some-length' }
    const answer = await send(server, { body: initialize, headers })
    expect({ status: answer.status, allowed: answer.headers['access-control-allow-origin'] }).toEqual({
      status: 200,
      allowed: origin,
    })
    const { origin: _, ...plain } = headers
    expect((await send(server, { body: initialize, headers: plain })).headers).not.toHaveProperty(
      'access-control-allow-origin',
    )
  })

  test('/healthz answers without a token, and reveals nothing', async () => {
    const server = await start({ token: 'a-token-of-some-length' })
    const { status, body } = await send(server, { method: 'GET', path: '/healthz' })
    expect({ status, body }).toEqual({ status: 200, body: '{"status":"ok"}\n' })
  })

  test('requests from one address are rate-limited', async () => {
    const server = await start({ maxRequestsPerSecond: 1 })
    const statuses = []
    for (let i = 0; i < 4; i += 1) statuses.push((await send(server, { body: initialize })).status)
    expect(statuses.slice(0, 2)).toEqual([200, 200])
    expect(statuses).toContain(429)
  })

  test('a connection beyond the limit is closed, and accepted again once another has ended', async () => {
    const server = await start({ maxConnections: 2 })
    const { port } = new URL(server.url)
    const open = () => connect(Number(port), '127.0.0.1')
    const idle = [open(), open()]
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
    await expect(send(server, { method: 'GET', path: '/healthz' })).rejects.toThrow(/ECONNRESET|socket hang up/)
    idle[0]?.destroy()
    await expect
      .poll(() =>
        send(server, { method: 'GET', path: '/healthz' }).then(
          ({ status }) => status,
          () => 'closed',
        ),
      )
      .toBe(200)
    idle[1]?.destroy()
  })

  test('an 11 MB write is answered', async () => {
    const server = await start()
    const { call } = await begin(server)
    expect(await call('write_file', { path: 'big.txt', content: 'x'.repeat(11 << 20) })).toMatch(/big\.txt/)
  })
})

test('clients of the newest revision get notifications of changes on their stream', async () => {
  const server = await start({ dialect: polyfs })
  const options = { versionNegotiation: { mode: { pin: '2026-07-28' } } }
  const client = new Client({ name: 'test', version: '1' }, options)
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  onTestFinished(() => client.close())
  const received: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void received.push(params.uri))
  await client.listen({ resourceSubscriptions: ['polyfs:///a.txt'] })
  await client.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: 'x' } })
  await client.callTool({ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } })
  await expect.poll(() => received).toEqual(['polyfs:///a.txt'])
})

test('rates are counted for each client, and refill with time', () => {
  let at = 0
  const limit = rateLimit(10, () => at)
  const taken = (client: string) => Array.from({ length: 30 }, () => limit.take(client)).filter((x) => x === undefined)
  expect(taken('a')).toHaveLength(20)
  expect(limit.take('a')).toBe(1)
  expect(taken('b')).toHaveLength(20)
  at = 500
  expect(taken('a')).toHaveLength(5)
})

describe('sessions of older revisions', () => {
  test('each session has its own server, and its own choices of the agent', async () => {
    const server = await start({ dialect: fileEditor })
    const [one, other] = [await begin(server), await begin(server)]
    expect(one.session).not.toBe(other.session)
    await one.call('set_workspace', { path: '/inside' })
    expect(await one.call('list_files', { path: '.' })).toContain('b.txt')
    expect(await other.call('list_files', { path: '.' })).toContain('Workspace not set')
  })

  test('concurrent clients with the same ids get their own responses', async () => {
    const server = await start()
    const clients = await Promise.all([begin(server), begin(server), begin(server)])
    await Promise.all(clients.map(({ call }, i) => call('write_file', { path: `${i}.txt`, content: `${i}` })))
    const texts = await Promise.all(clients.map(({ call }, i) => call('read_file', { path: `${i}.txt` })))
    expect(texts).toEqual(['     1\t0', '     1\t1', '     1\t2'])
  })

  test('with a tree for each session, all start the same and stay separate', async () => {
    const tree = memory(seed)
    const openSession = () => createWorkspace({ fs: overlay(tree, memory()) })
    const server = await start({ openSession })
    const [one, other] = [await begin(server), await begin(server)]
    await one.call('write_file', { path: 'a.txt', content: 'changed\n' })
    expect(await one.call('read_file', { path: 'a.txt' })).toBe('     1\tchanged')
    expect(await other.call('read_file', { path: 'a.txt' })).toBe('     1\talpha')
    expect(await (await begin(server)).call('read_file', { path: 'a.txt' })).toBe('     1\talpha')
  })

  test('clients without sessions share a tree, and each name has its own', async () => {
    const files = memory(seed)
    const openSession = () => createWorkspace({ fs: overlay(files, memory()) })
    const server = await start({ workspace: openSession(), openSession, maxSessions: 3 })
    const call = async (path: string, name: string, args: object) => {
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
      const reply = await send(server, {
        path,
        headers,
        body: rpc('tools/call', { name, arguments: args, _meta: envelope }),
      })
      return reply.status === 200 ? resultOf(reply).result.content[0].text : reply.status
    }
    const write = (path: string, content: string) => call(path, 'write_file', { path: 'a.txt', content })
    const read = (path: string) => call(path, 'read_file', { path: 'a.txt' })
    await Promise.all([write('/mcp/one', '1\n'), write('/mcp/two', '2\n'), write('/mcp', '0\n')])
    const seen = [await read('/mcp/one'), await read('/mcp/two'), await read('/mcp')]
    expect(seen.map((text) => /\d$/m.exec(text)?.[0])).toEqual(['1', '2', '0'])
    expect(await read('/mcp/three')).toContain('alpha')
    expect(await read('/mcp/four')).toContain('alpha')
    expect([await read('/mcp/'), await read('/mcp/a/b'), await read(`/mcp/${'x'.repeat(65)}`)]).toEqual([404, 404, 404])
    const headers = { 'mcp-session-id': '/one', 'mcp-protocol-version': '2025-11-25' }
    expect((await send(server, { body: rpc('tools/list'), headers })).status).toBe(404)
    const shared = await start()
    expect((await send(shared, { path: '/mcp/one', body: initialize })).status).toBe(404)
  })

  test('a deleted session is not found', async () => {
    const server = await start()
    const { headers } = await begin(server)
    expect((await send(server, { method: 'DELETE', headers })).status).toBe(200)
    expect((await send(server, { body: rpc('tools/list'), headers })).status).toBe(404)
  })

  test('beyond the limit the session idle longest ends; while none is idle, new ones are rejected', async () => {
    const server = await start({ maxSessions: 2 })
    const [first, second] = [await begin(server), await begin(server)]
    await first.call('list_dir', {})
    const third = await begin(server)
    const status = async ({ headers }: { headers: Record<string, string> }) =>
      (await send(server, { body: rpc('tools/list'), headers })).status
    expect([await status(first), await status(second), await status(third)]).toEqual([200, 404, 200])

    const open = [first, third].map(({ headers }) => {
      const { port } = new URL(server.url)
      return new Promise<ReturnType<typeof request>>((resolve) => {
        const stream = request(
          { host: '127.0.0.1', port, path: '/mcp', headers: parts({ method: 'GET', path: '', body: '', headers }) },
          () => resolve(stream),
        )
        stream.on('error', () => {})
        stream.end()
      })
    })
    const streams = await Promise.all(open)
    expect((await send(server, { body: initialize })).status).toBe(503)
    for (const stream of streams) stream.destroy()
  })

  test('a session that is idle too long ends', async () => {
    let at = 0
    let ids = 0
    const handler = sessionHandler(
      { workspace: createWorkspace({ fs: memory(seed) }), dialect: clarvis },
      { maxSessions: 8, idleMs: 1000, newId: () => `session-${++ids}`, now: () => at },
    )
    const answered = new AbortController()
    const head = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: parts({ method: '', path: '', headers: {}, body: '' }),
      signal: answered.signal,
    })
    await handler.fetch(head, JSON.parse(initialize))
    at = 5000
    await handler.sweep()
    expect(handler.sessions).toBe(1)
    answered.abort()
    at = 5900
    await handler.sweep()
    expect(handler.sessions).toBe(1)
    at = 6100
    await handler.sweep()
    expect(handler.sessions).toBe(0)
  })

  test('a response lost with its connection can be fetched over another, only by the same session', async () => {
    let finish = () => {}
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    const slow = tool('slow', () => held.then(() => text('at last')))
    const server = await start({ dialect: { ...clarvis, tools: [slow] } })
    const { headers } = await begin(server)
    const { headers: strangers } = await begin(server)
    const lost = await lostCall(server, headers, rpc('tools/call', { name: 'slow', arguments: {} }, 7))
    finish()
    const accept = 'text/event-stream'
    const back = { ...headers, accept, 'last-event-id': lost }
    const fetched = await send(server, { method: 'GET', headers: back })
    expect(resultOf(fetched)).toEqual({ jsonrpc: '2.0', id: 7, result: text('at last') })
    const stolen = await send(server, { method: 'GET', headers: { ...strangers, accept, 'last-event-id': lost } })
    expect(stolen.status).toBe(400)
  })

  test('an open event stream does not delay closing the server', async () => {
    const server = await serveHttp({ workspace: createWorkspace({ fs: memory(seed) }), dialect: clarvis })
    const client = new FirstClient({ name: 'test', version: '1' })
    await client.connect(new FirstHttp(new URL(server.url)))
    await client.listTools()
    await server.close()
    await client.close()
    await expect(send(server, { body: initialize })).rejects.toThrow(/ECONNREFUSED/)
  })
})

/** Sends a call, disconnects as soon as the response has begun, and returns the id of its first event. */
function lostCall({ url }: HttpServer, headers: Record<string, string>, body: string): Promise<string> {
  const { port, hostname: host } = new URL(url)
  const all = parts({ method: 'POST', path: '/mcp', headers, body })
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, method: 'POST', path: '/mcp', headers: all }, (response) => {
      response.once('data', (chunk) => {
        const [, id = ''] = /^id: (.*)$/m.exec(String(chunk)) ?? []
        response.once('close', () => resolve(id))
        sent.destroy()
      })
      // The disconnect is intended.
      response.on('error', () => {})
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Everything the server sends in response to these bytes until it closes the connection. */
function exchange(port: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

function hangUp(port: string, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes, () => socket.destroy()))
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}
