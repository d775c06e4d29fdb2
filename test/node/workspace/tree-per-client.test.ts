/** Clients with a tree each: changes of one are never discarded silently. */
import { expect, test } from 'vitest'
import { openInMemory } from '../../../node/workspace/memory-workspace.js'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { type SessionOptions, sessionHandler } from '../../../src/mcp/serve.js'
import { callTool } from '../../../src/tools/call-tool.js'

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function serve(given: Partial<SessionOptions> & { maxBytes?: number } = {}) {
  const { maxBytes, ...options } = given
  const { workspace, fork, drop } = await openInMemory(undefined, { shared: true, maxBytes })
  let ids = 0
  const open = { open: fork, dispose: drop }
  const handler = sessionHandler(
    { workspace, dialect: clarvis },
    { maxSessions: 2, idleMs: 1000, newId: () => `session-${++ids}`, ...open, ...options },
  )

  /** Resolves when the whole response has arrived. */
  async function send(message: object, headers: Record<string, string> = {}, place?: string) {
    const over = new AbortController()
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      signal: over.signal,
    })
    const response = await handler.fetch(request, { jsonrpc: '2.0', id: 1, ...message }, place)
    const body = await response.text()
    over.abort()
    const line = body.split('\n').find((each) => each.startsWith('data: {')) ?? body
    const { result, error } = JSON.parse(line.replace(/^data: /, ''))
    return { status: response.status, headers: response.headers, text: result?.content?.[0]?.text, error }
  }

  async function initialize() {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const { status, headers, error } = await send({ method: 'initialize', params })
    const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
    const call = (name: string, args: object) =>
      send({ method: 'tools/call', params: { name, arguments: args } }, session)
    return { status, error, call }
  }

  function at(place: string) {
    return (name: string, args: object) => {
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
      return send({ method: 'tools/call', params: { name, arguments: args, _meta: envelope } }, headers, place)
    }
  }

  return { handler, initialize, at }
}

const read = { path: 'a.txt' }
const write = { path: 'a.txt', content: 'mine' }

test('a named tree with changes outlives any number of other clients and any time', async () => {
  let at = 0
  const server = await serve({ now: () => at })
  await server.at('alice')('write_file', write)
  for (let i = 0; i < 10; i += 1) await server.initialize()
  for (let i = 0; i < 10; i += 1) expect((await server.at(`reader-${i}`)('list_dir', {})).status).toBe(200)
  at = 1e9
  await server.handler.sweep()
  expect((await server.at('alice')('read_file', read)).text).toBe('     1\tmine')
})

test('while every named tree has changes, a new one is refused with an explanation', async () => {
  const server = await serve()
  await server.at('alice')('write_file', write)
  await server.at('bob')('write_file', write)
  const { status, error } = await server.at('carol')('read_file', read)
  expect({ status, error }).toEqual({
    status: 503,
    error: { code: -32000, message: 'Too many names: the limit of 2 is reached; use an existing name' },
  })
  expect((await server.at('bob')('read_file', read)).text).toBe('     1\tmine')
})

test('a session with changes is not ended in favour of others, and its client is notified when it was idle too long', async () => {
  let at = 0
  const server = await serve({ now: () => at })
  const [first, second] = [await server.initialize(), await server.initialize()]
  await first.call('write_file', write)
  await second.call('read_file', read)
  const third = await server.initialize()
  expect(third.status).toBe(200)
  expect((await second.call('read_file', read)).error).toEqual({ code: -32001, message: 'Session not found' })
  await third.call('write_file', write)
  expect((await server.initialize()).error).toEqual({
    code: -32000,
    message: 'Too many sessions: the limit of 2 is reached; end one, or try again later',
  })
  expect((await first.call('read_file', read)).text).toBe('     1\tmine')
  at = 2000
  await server.handler.sweep()
  const { status, error } = await first.call('read_file', read)
  const message = 'Session not found: it has expired, and the files written in it are lost; start a new session'
  expect({ status, error }).toEqual({ status: 404, error: { code: -32001, message } })
})

test('all trees share one limit, and one that ends frees its share', async () => {
  let at = 0
  const server = await serve({ now: () => at, maxBytes: 1_000_000 })
  const large = { path: 'large.txt', content: 'x'.repeat(600_000) }
  const session = await server.initialize()
  expect((await session.call('write_file', large)).text).toContain('large.txt')
  const full = (await server.at('alice')('write_file', large)).text
  expect(full).toContain('no space')
  expect((await server.at('alice')('write_file', write)).text).toContain('a.txt')
  at = 2000
  await server.handler.sweep()
  expect((await server.at('alice')('write_file', large)).text).toContain('large.txt')
})

test('empty entries count towards the limit too, and removing them frees it', async () => {
  const { workspace } = await openInMemory(undefined, { shared: false, maxBytes: 100_000 })
  const call = async (tool: string, args: object) => (await callTool(workspace, polyfs, tool, args)).isError !== true
  const make = (i: number) => call('write_file', { path: `${i}`, content: '' })
  const made = await Promise.all(Array.from({ length: 60 }, (_, i) => make(i)))
  expect(made.every((isMade) => isMade)).toBe(true)
  const more = await Promise.all(Array.from({ length: 60 }, (_, i) => make(100 + i)))
  expect(more.filter((isMade) => isMade).length).toBe(37)
  for (let i = 0; i < 60; i += 1) await call('delete', { path: `${i}` })
  expect(await make(200)).toBe(true)
})
