/** Calls that are answered past the SDK, beside the SDK's own answers to the same messages. */
import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FsError } from '../../src/errors.js'
import { memory } from '../../src/fs/backends/memory.js'
import { directCalls } from '../../src/mcp/fast/direct-calls.js'
import { serveLazily } from '../../src/mcp/fast/lazy-sdk.js'
import { type Served, serve } from '../../src/mcp/serve.js'
import { withExactCodes } from '../../src/mcp/server/exact-error-codes.js'
import { rejectMalformedCalls } from '../../src/mcp/server/malformed-calls.js'
import { rejectUnknownMethods } from '../../src/mcp/server/protocol-errors.js'
import { createServer } from '../../src/mcp/server/server.js'
import type { Dialect, Tool } from '../../src/tools/dialect.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { dialects } from '../dialects/all.js'

const clientInfo = { name: 'test', version: '1' }

const eras = {
  '2025-11-25': {},
  '2026-07-28': {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}

describe.each(Object.entries(eras))('in revision %s', (version, envelope) => {
  /** Greets the server where that is done, sends the messages, and returns the lines it sends until every request is settled. */
  async function talk(
    start: Start,
    dialect: Dialect,
    messages: readonly Message[],
    { count = messages.length, inTurn = false }: Expected,
  ): Promise<string[]> {
    const { lines, send, sent } = start({ workspace: createWorkspace({ fs: await tree(), readOnly: true }), dialect })
    if (version === '2025-11-25') {
      send({ id: 'hello', method: 'initialize', params: { protocolVersion: version, capabilities: {}, clientInfo } })
      await sent(1)
      send({ method: 'notifications/initialized' })
      await nothingAhead()
      lines.length = 0
    }
    for (const [index, message] of messages.entries()) {
      send(enveloped(message))
      if (inTurn) await sent(index + 1)
    }
    await sent(count)
    // The two trees were made at different times.
    return lines.map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time'))
  }

  function enveloped({ params, ...message }: Message): Message {
    if (Object.keys(envelope).length === 0 || typeof params !== 'object' || params === null) {
      return { ...message, ...(params !== undefined && { params }) }
    }
    const { _meta } = params as { _meta?: unknown }
    const isMeta = _meta === undefined || (typeof _meta === 'object' && _meta !== null)
    return { ...message, params: isMeta ? { ...params, _meta: { ...envelope, ...(_meta as object) } } : params }
  }

  async function same(dialect: Dialect, messages: readonly Message[], expected: Expected = {}): Promise<string[]> {
    const direct = await talk(startDirect, dialect, messages, expected)
    const greeted = await talk(startGreeting, dialect, messages, expected)
    const reference = await talk(startReference, dialect, messages, expected)
    expect([...direct].sort()).toEqual([...reference].sort())
    expect([...greeted].sort()).toEqual([...reference].sort())
    return direct
  }

  it.each(Object.keys(dialects))('%s answers with the same bytes', async (name) => {
    const dialect = dialects[name] as Dialect
    const calls = dialect.tools.flatMap((tool) => argumentsToTry.map((args) => ({ name: tool.name, arguments: args })))
    const plain = [...calls, { name: dialect.tools[0]?.name }, { name: 'no-such-tool', arguments: {} }]
    await same(
      dialect,
      plain.map((params, id) => ({ id, method: 'tools/call', params })),
      // What one chooses, the next goes by.
      { inTurn: true },
    )
  })

  it('malformed and unusual calls get the same answers', async () => {
    const params: unknown[] = [
      undefined,
      5,
      {},
      { name: 5 },
      { name: 'steps', arguments: 5 },
      { name: 'steps', arguments: null },
      { name: 'steps', arguments: { '': 1 }, _meta: 5 },
      { name: 'steps', _meta: { progressToken: {} } },
      { name: 'steps', _meta: { progressToken: 1.5 } },
      { name: 'steps', _meta: { 'a.b/c': 1 } },
      { name: 'steps', _meta: {} },
      { name: 'steps', more: 1 },
      { name: 'steps', task: 'none' },
      { name: 'echo', arguments: JSON.parse('{"__proto__": {"a": 1}, "b": 2}') },
      { name: 'missing', arguments: {} },
      { name: 'fault', arguments: {} },
    ]
    const messages = params.map((each, id) => ({ id, method: 'tools/call', params: each }))
    // Without an id nobody waits for an answer.
    await same(staged(), [...messages, { method: 'tools/call', params: { name: 'steps' } }], {
      count: messages.length,
    })
  })

  it('progress is reported in the same words', async () => {
    const params = { name: 'steps', arguments: {}, _meta: { progressToken: 'token' } }
    const lines = await same(staged(), [{ id: 'a', method: 'tools/call', params }], { count: 3 })
    expect(lines.filter((line) => line.includes('notifications/progress'))).toHaveLength(2)
  })

  it('what is cancelled is aborted with its reason and not answered; an id can be used again', async () => {
    const reasons: unknown[] = []
    const messages = [
      { id: 1, method: 'tools/call', params: { name: 'wait', arguments: {} } },
      { id: 2, method: 'tools/call', params: { name: 'steps', arguments: {} } },
      { method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } },
      { method: 'notifications/cancelled', params: { requestId: 7 } },
      { id: 1, method: 'tools/call', params: { name: 'steps', arguments: {} } },
    ]
    await same(staged(reasons), messages, { count: 2 })
    expect(reasons).toEqual(['enough', 'enough', 'enough'])
  })

  it('of two calls with one id both are answered', async () => {
    const call = { id: 1, method: 'tools/call', params: { name: 'steps', arguments: {} } }
    await same(staged(), [call, call])
  })
})

describe('a greeting before the SDK is loaded', () => {
  const hello = (params: unknown): Message => ({ id: 'hello', method: 'initialize', params })
  const usual = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const ready = { method: 'notifications/initialized' }
  const list = { id: 'list', method: 'tools/list' }
  const beyond = [
    { id: 'prompts', method: 'prompts/list' },
    { id: 'resources', method: 'resources/list', params: {} },
    { id: 'ping', method: 'ping' },
    { id: 'unknown', method: 'no/such' },
    { id: 'page', method: 'tools/list', params: { cursor: 'x' } },
    { ...hello(usual), id: 'again' },
  ]

  /** Each message waits for the answer to the one before. */
  async function talk(start: Start, dialect: Dialect, messages: readonly Message[]): Promise<string[]> {
    const { lines, send, sent } = start({ workspace: createWorkspace({ fs: await tree(), readOnly: true }), dialect })
    let count = 0
    for (const message of messages) {
      send(message)
      if (message.id !== undefined) await sent(++count)
    }
    return lines
  }

  async function same(dialect: Dialect, messages: readonly Message[]): Promise<string[]> {
    const lines = await talk(startGreeting, dialect, messages)
    expect(lines).toEqual(await talk(startReference, dialect, messages))
    return lines
  }

  it.each(Object.keys(dialects))('%s answers with the same bytes', async (name) => {
    const call = { id: 'call', method: 'tools/call', params: { name: 'read_file', arguments: { path: '/a.txt' } } }
    await same(dialects[name] as Dialect, [hello(usual), ready, list, call, ...beyond, call])
  })

  it.each([
    { ...usual, protocolVersion: '2025-06-18' },
    { ...usual, protocolVersion: '2024-11-05' },
    { ...usual, protocolVersion: '2024-10-07' },
    { ...usual, protocolVersion: '1999-01-01' },
    { ...usual, protocolVersion: 5 },
    { ...usual, capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} } },
    { ...usual, capabilities: { elicitation: { form: {}, url: {} }, experimental: { x: {} } } },
    { ...usual, capabilities: { roots: 5 } },
    { ...usual, capabilities: 5 },
    { ...usual, clientInfo: { ...clientInfo, title: 'Test', icons: [] } },
    { ...usual, clientInfo: { name: 5, version: '1' } },
    { ...usual, clientInfo: undefined },
    { ...usual, _meta: { progressToken: 1 } },
    { protocolVersion: '2025-11-25' },
    {},
    undefined,
  ])('of %j it says the same', async (params) => {
    await same(dialects.clarvis, [hello(params), ready, list])
  })

  it('whatever comes first, and whatever is said twice', async () => {
    const { clarvis } = dialects
    await same(clarvis, [list, hello(usual), ready, list])
    await same(clarvis, [ready, hello(usual), hello(usual), ready, ready, list, ...beyond])
  })

  it('what is sent at once is answered once', async () => {
    const messages = [hello(usual), ready, list, ...beyond]
    const { lines, send, sent } = startGreeting({
      workspace: createWorkspace({ fs: await tree(), readOnly: true }),
      dialect: dialects.polyfs,
    })
    for (const message of messages) send(message)
    await sent(messages.length - 1)
    const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id)
    expect(ids.sort()).toEqual(messages.flatMap(({ id }: Message) => id ?? []).sort())
  })
})

it('calls under way end with the connection, without an answer', async () => {
  const reasons: unknown[] = []
  const { lines, send, sent, close } = startDirect({
    workspace: createWorkspace({ fs: memory({}) }),
    dialect: staged(reasons),
  })
  send({ id: 0, method: 'tools/call', params: { name: 'steps', arguments: {} } })
  await sent(1)
  await nothingAhead()
  send({ id: 1, method: 'tools/call', params: { name: 'wait', arguments: {} } })
  await close()
  await expect.poll(() => reasons).toEqual([new Error('Connection closed')])
  expect(lines).toHaveLength(1)
})

it('only calls pass the SDK by, and none overtakes what it was given before', async () => {
  const order: string[] = []
  const far: Transport = { start: async () => {}, send: async () => {}, close: async () => {} }
  const { transport, begin } = directCalls(far)
  transport.onmessage = (message) => void order.push('id' in message ? `SDK ${message.id}` : 'SDK')
  begin({
    async call({ name }) {
      order.push(name)
      return { content: [] }
    },
    callSync: () => undefined,
  })
  const send = (message: Message) => far.onmessage?.({ jsonrpc: '2.0', ...message } as never)
  send({ id: 1, method: 'tools/call', params: { name: 'first' } })
  send({ method: 'notifications/roots/list_changed' })
  send({ id: 2, method: 'tools/call', params: { name: 'second' } })
  await nothingAhead()
  send({ id: 3, method: 'tools/call', params: { name: 'third' } })
  expect(order).toEqual(['first', 'SDK', 'SDK 2', 'third'])
})

type Message = { id?: string | number; method: string; params?: unknown }

interface Expected {
  /** Of lines; one for each message unless given. */
  count?: number
  /** Each message waits for the answer to the one before. */
  inTurn?: boolean
}

interface Started {
  lines: string[]
  send(message: Message): void
  /** Settles when so many lines were sent. */
  sent(count: number): Promise<void>
  close(): Promise<void>
}
type Start = (served: Served) => Started

const startDirect: Start = (served) => start((transport) => serve(transport, served))

const startGreeting: Start = (served) => start((transport) => serveLazily(transport, served))

const startReference: Start = (served) =>
  start((transport) =>
    serveStdio(() => rejectUnknownMethods(createServer(served, {})), {
      transport: rejectMalformedCalls(withExactCodes(transport)),
    }),
  )

function start(over: (transport: Transport) => { close(): Promise<void> }): Started {
  const lines: string[] = []
  let onLine = () => {}
  const transport: Transport = {
    start: async () => {},
    send: async (message) => {
      lines.push(JSON.stringify(message))
      onLine()
    },
    close: async () => transport.onclose?.(),
  }
  const server = over(transport)
  onTestFinished(() => server.close())
  const send = (message: Message) => transport.onmessage?.(structuredClone({ jsonrpc: '2.0', ...message }) as never)
  const sent = (count: number) =>
    new Promise<void>((resolve) => {
      onLine = () => {
        if (lines.length === count) resolve()
      }
      onLine()
    })
  return { lines, send, sent, close: () => server.close() }
}

/** What was given to the SDK a turn ago is not overtaken. */
function nothingAhead(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}

/** Of every tool: some fit, most don't. */
const argumentsToTry = [
  {},
  { path: 'a.txt' },
  { path: '/a.txt' },
  { path: '/' },
  { path: '/missing.txt' },
  { path: '/../out' },
  { path: '/pixel.png' },
  { paths: ['/a.txt', '/missing.txt'] },
  { pattern: 'lazy', path: '/' },
  { path: 5, surplus: true },
]

async function tree() {
  const pixel = Uint8Array.from(atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'), (c) =>
    c.charCodeAt(0),
  )
  const fs = memory({ '/a.txt': 'the "lazy" dog\nünïcode\n' })
  await fs.writeFile('/pixel.png', pixel)
  return fs
}

/** Tools that do what real ones do in their own time. */
function staged(reasons: unknown[] = []): Dialect {
  const tool = (name: string, call: Tool['call']): Tool => ({
    name,
    title: name,
    description: name,
    annotations: { readOnlyHint: true },
    schema: () => ({ input: { type: 'object' } }),
    mutates: false,
    call,
  })
  return {
    name: 'staged',
    tools: [
      tool('steps', async (_args, _workspace, { onProgress }) => {
        onProgress?.({ done: 1, total: 2 })
        onProgress?.({ done: 2, total: 2 })
        return { isError: false, structuredContent: { b: 1, a: 2 }, content: [{ type: 'text', text: 'done' }] }
      }),
      tool('echo', async (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] })),
      tool('missing', async () => {
        throw new FsError('NOT_FOUND', { path: '/x' })
      }),
      tool('fault', async () => {
        throw new Error('broken')
      }),
      tool('wait', (_args, _workspace, { signal }) => {
        return new Promise((_resolve, reject) => {
          const giveUp = () => {
            reasons.push(signal?.reason)
            reject(new FsError('ABORTED', {}))
          }
          if (signal?.aborted) giveUp()
          else signal?.addEventListener('abort', giveUp)
        })
      }),
    ],
    fail: ({ code }) => ({ protocolError: { code: code === 'NOT_FOUND' ? -32002 : -32000, message: code } }),
  }
}
