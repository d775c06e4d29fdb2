/** Calls that are answered past the SDK, beside the SDK's own answers to the same messages. */
import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Dialect, Tool } from '../../src/dialects/dialect.js'
import { dialects } from '../../src/dialects/index.js'
import { FsError } from '../../src/errors.js'
import { memory } from '../../src/fs/memory.js'
import { directCalls } from '../../src/mcp/direct-calls.js'
import { withExactCodes } from '../../src/mcp/exact-codes.js'
import { refusingMalformedCalls, refusingUnknownMethods } from '../../src/mcp/malformed-calls.js'
import { type Served, serve } from '../../src/mcp/serve.js'
import { createServer } from '../../src/mcp/server.js'
import { createWorkspace } from '../../src/workspace.js'

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
    const reference = await talk(startReference, dialect, messages, expected)
    expect([...direct].sort()).toEqual([...reference].sort())
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

  it('progress is told in the same words', async () => {
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
    expect(reasons).toEqual(['enough', 'enough'])
  })

  it('of two calls with one id both are answered', async () => {
    const call = { id: 1, method: 'tools/call', params: { name: 'steps', arguments: {} } }
    await same(staged(), [call, call])
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
  await vi.waitFor(() => expect(reasons).toEqual([new Error('Connection closed')]))
  expect(lines).toHaveLength(1)
})

it('only calls pass the SDK by, and none overtakes what it was given before', async () => {
  const order: string[] = []
  const far: Transport = { start: async () => {}, send: async () => {}, close: async () => {} }
  const { transport, begin } = directCalls(far)
  transport.onmessage = (message) => void order.push('id' in message ? `SDK ${message.id}` : 'SDK')
  begin(
    async ({ name }) => {
      order.push(name)
      return { content: [] }
    },
    () => undefined,
  )
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

const startReference: Start = (served) =>
  start((transport) =>
    serveStdio(() => refusingUnknownMethods(createServer(served, {})), {
      transport: refusingMalformedCalls(withExactCodes(transport)),
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
    inputSchema: { type: 'object' },
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
