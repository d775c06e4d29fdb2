/** The handler that every HTTP host shares, called as a service worker calls it: with nothing but a `Request`. */
import { expect, onTestFinished, test } from 'vitest'
import { replay } from '../../../src/dialects/replay/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { type HttpHandlerOptions, httpHandler } from '../../../src/mcp/serve.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

function open(options?: HttpHandlerOptions) {
  const workspace = createWorkspace({ fs: memory({ 'a.txt': 'alpha\n' }) })
  const faults: unknown[] = []
  const handler = httpHandler({ workspace, dialect: replay, onFault: (fault) => faults.push(fault) }, options)
  onTestFinished(() => handler.close())

  async function send(init: RequestInit) {
    const response = await handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, ...init }))
    const text = await response.text()
    const event = text.split('\n').find((line) => line.startsWith('data: {'))
    return { status: response.status, message: JSON.parse(event?.slice('data: '.length) ?? text) }
  }

  /** The same request in an older revision and in the newest. */
  async function both(method: string, params: unknown) {
    const older = await send({ body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }) })
    const isObject = typeof params === 'object' && params !== null
    const newest = await send({
      headers: { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': 'read_file' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method,
        params: isObject ? { ...params, _meta: envelope } : params,
      }),
    })
    return [older, newest]
  }

  return { handler, faults, send, both }
}

test('error codes of the dialect arrive as they are, in both revisions', async () => {
  const { both, faults } = open()
  const answer = {
    status: 200,
    message: { jsonrpc: '2.0', id: 7, error: { code: -32002, message: expect.stringContaining('/nope') } },
  }
  const answers = await both('tools/call', { name: 'read_file', arguments: { path: '/nope' } })
  expect(answers).toEqual([answer, answer])
  expect(faults).toEqual([])
})

test.each([
  ['a call without a name', 'tools/call', { arguments: {} }, 'Missing tools/call param: name'],
  ['arguments that are not an object', 'tools/call', { name: 'read_file', arguments: [1] }, 'Invalid params'],
])('%s is rejected in one line, in both revisions', async (_name, method, params, message) => {
  const answer = { status: 200, message: { jsonrpc: '2.0', id: 7, error: { code: -32602, message } } }
  expect(await open().both(method, params)).toEqual([answer, answer])
})

test('a malformed call in a batch of an older revision is rejected, and the others are answered', async () => {
  const { handler } = open()
  const call = (id: number, params: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params })
  const body = JSON.stringify([call(1, {}), call(2, { name: 'read_file', arguments: { path: '/a.txt' } })])
  const response = await handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
  const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'))
  const answers = events.map((line) => JSON.parse(line.slice('data: '.length)))
  expect(answers.sort((a, b) => a.id - b.id)).toMatchObject([
    { id: 1, error: { code: -32602, message: 'Missing tools/call param: name' } },
    { id: 2, result: { content: [{ text: 'alpha\n' }] } },
  ])
})

test('a body that can not be a message is rejected, before it is parsed where it exceeds a limit', async () => {
  const { send } = open({ maxRequestBytes: 200_000 })
  const rejected = (status: number, code: number, message: string) => ({
    status,
    message: { jsonrpc: '2.0', error: { code, message }, id: null },
  })
  expect(await send({ body: '['.repeat(65) })).toEqual(
    rejected(400, -32600, 'Message nested deeper than 64 levels: send flatter arguments'),
  )
  expect(await send({ body: `[${'1,'.repeat(60_000)}1]` })).toEqual(
    rejected(400, -32600, 'Message with more than 50000 values: split it into several requests'),
  )
  expect(await send({ body: `"${'x'.repeat(200_000)}"` })).toEqual(
    rejected(413, -32000, 'Message longer than 200000 bytes'),
  )
  expect(await send({ body: '{"jsonrpc":' })).toEqual(rejected(400, -32700, 'Parse error'))
  expect(await send({ body: '{}', headers: { 'content-type': 'text/plain' } })).toEqual(
    rejected(415, -32000, 'Content-Type must be application/json'),
  )
  expect(await send({ method: 'PUT', body: '{}' })).toEqual(rejected(405, -32000, 'Method not allowed'))
})

test('a request without `body`, as Firefox makes them, is read all the same', async () => {
  const { handler } = open({ maxRequestBytes: 1000 })
  async function send(body: string) {
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body })
    Object.defineProperty(request, 'body', { value: undefined })
    const response = await handler.fetch(request)
    return [response.status, await response.text()]
  }
  expect(await send('{"jsonrpc":"2.0","id":1,"method":"ping"}')).toEqual([
    200,
    expect.stringContaining('{"result":{},"jsonrpc":"2.0","id":1}'),
  ])
  expect(await send(`"${'x'.repeat(1000)}"`)).toEqual([413, expect.stringContaining('Message longer than 1000 bytes')])
})

test('with a store, a client goes on with its session after a restart, until it ends it', async () => {
  const stored = new Map<string, unknown>()
  const store = {
    load: (id: string) => stored.get(id),
    save: (id: string, initialize: unknown) => void stored.set(id, structuredClone(initialize)),
    remove: (id: string) => void stored.delete(id),
  }
  const workspace = createWorkspace({ fs: memory({ 'a.txt': 'alpha\n' }) })
  const sessions = { maxSessions: 2, idleMs: 60_000, newId: () => 'session-1', store }
  const start = () => httpHandler({ workspace, dialect: replay }, { sessions })
  const send = (handler: ReturnType<typeof start>, init: RequestInit, session?: string) =>
    handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        ...init,
        headers: { ...headers, ...(session !== undefined && { 'mcp-session-id': session }) },
      }),
    )
  let id = 0
  const message = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })

  const first = start()
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const begun = await send(first, { body: message('initialize', initialize) })
  expect(begun.headers.get('mcp-session-id')).toBe('session-1')
  await first.close()

  const second = start()
  const read = () => ({ body: message('tools/call', { name: 'read_file', arguments: { path: '/a.txt' } }) })
  // Both arrive before the session has begun again.
  const answers = await Promise.all([send(second, read(), 'session-1'), send(second, read(), 'session-1')])
  for (const answer of answers) expect(await answer.text()).toContain('alpha')
  expect((await send(second, read(), 'session-2')).status).toBe(404)

  expect((await send(second, { method: 'DELETE' }, 'session-1')).status).toBe(200)
  expect(stored.size).toBe(0)
  await second.close()
  const third = start()
  expect((await send(third, read(), 'session-1')).status).toBe(404)
  await third.close()
})
