/** Models behind fake servers that fail in every way. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type ChatOptions, chat } from '../../harness/agents/chat.js'
import { openEpisode } from '../../harness/episode/episode.js'
import { InfraError } from '../../harness/infra-error.js'
import { usageOf } from '../../harness/run-episode.js'
import type { Episode } from '../../harness/types.js'
import { type AiSdkLanguageModel, aiSdkModel } from '../../models/ai-sdk-model.js'
import { anthropicModel } from '../../models/anthropic-model.js'
import { askModel } from '../../models/ask-model.js'
import { type Message, type Model, ModelError } from '../../models/model.js'
import { openAiModel } from '../../models/openai-model.js'
import { setting } from '../agent/fake-models.js'

const apiKey = 'sk-secret-0123456789'

type Answer = (request: IncomingMessage, response: ServerResponse, body: Body) => void
interface Body {
  model: string
  messages: { role: string; content: unknown; tool_call_id?: string; tool_calls?: unknown[] }[]
  tools?: { name?: string; function?: { name: string } }[]
  system?: string
  max_tokens?: number
}

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** Answers one request after another; the last answer is repeated. */
async function fakeServer(answers: readonly Answer[]) {
  const bodies: Body[] = []
  const headers: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body: Body = JSON.parse(Buffer.concat(chunks).toString())
      const answer = answers[Math.min(bodies.length, answers.length - 1)] as Answer
      bodies.push(body)
      headers.push(request.headers)
      answer(request, response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, headers }
}

const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

const text =
  (value: string, status = 200): Answer =>
  (_request, response) =>
    void response.writeHead(status).end(value)

interface Call {
  id?: string
  tool: string
  args: string
}

/** The same answers in the formats of both APIs. */
const apis = {
  openai: {
    model: (url: string, more: object = {}): Model =>
      openAiModel({ baseUrl: `${url}/v1/`, model: 'm', apiKey, ...more }),
    says: (content: string | null, calls: readonly Call[] = []): Answer =>
      json({
        choices: [
          {
            message: {
              role: 'assistant',
              content,
              ...(calls.length > 0 && {
                tool_calls: calls.map(({ id = 'c1', tool, args }) => ({
                  id,
                  type: 'function',
                  function: { name: tool, arguments: args },
                })),
              }),
            },
          },
        ],
        usage: { prompt_tokens: 10, completion_tokens: 5 },
      }),
    results: ({ messages }: Body) => messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
  },
  anthropic: {
    model: (url: string, more: object = {}): Model => anthropicModel({ baseUrl: url, model: 'm', apiKey, ...more }),
    says: (content: string | null, calls: readonly Call[] = []): Answer =>
      json({
        content: [
          ...(content === null ? [] : [{ type: 'text', text: content }]),
          ...calls.map(({ id = 'c1', tool, args }) => ({ type: 'tool_use', id, name: tool, input: JSON.parse(args) })),
        ],
        stop_reason: 'end_turn',
        usage: { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 5 },
      }),
    results: ({ messages }: Body) =>
      messages
        .flatMap(({ content }) => (Array.isArray(content) ? content : []))
        .flatMap((block) => (block.type === 'tool_result' ? [block.content] : [])),
  },
}

const openAiConversation = [
  { role: 'user', content: 'Go.' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'c9', type: 'function', function: { name: 'fs_read', arguments: '{"path":"a"}' } },
      { id: 'c10', type: 'function', function: { name: 'fs_read', arguments: '{"pa' } },
    ],
  },
  { role: 'tool', tool_call_id: 'c9', content: 'x' },
  { role: 'tool', tool_call_id: 'c10', content: 'x' },
]

const anthropicConversation = [
  { role: 'user', content: 'Go.' },
  {
    role: 'assistant',
    content: [
      { type: 'tool_use', id: 'c9', name: 'fs_read', input: { path: 'a' } },
      { type: 'tool_use', id: 'c10', name: 'fs_read', input: {} },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'c9', content: 'x' },
      { type: 'tool_result', tool_use_id: 'c10', content: 'x', is_error: true },
    ],
  },
]

const files = { '/a.txt': 'hello\n' }
const never = new AbortController().signal

interface AskOptions extends Omit<ChatOptions, 'model'> {
  episode?: Episode
  signal?: AbortSignal
}

async function ask(model: Model, { episode, signal = never, ...options }: AskOptions = {}) {
  const opened = episode ?? (await openEpisode({ files }))
  const { answer } = await chat({ model, ...options }).run({ episode: opened, instruction: 'Read a.txt.', signal })
  return { answer, episode: opened }
}

describe.each(Object.entries(apis))('%s', (name, { model, says, results }) => {
  /** Waits are noted, not waited. */
  function noted() {
    const waits: number[] = []
    return { waits, wait: async (ms: number) => void waits.push(ms) }
  }

  test('calls tools until the model is done, and records messages, calls and usage', async () => {
    const { url, bodies, headers } = await fakeServer([
      says('I look.', [{ tool: 'read_file', args: '{"path":"a.txt"}' }]),
      says('It says hello.'),
    ])
    const { answer, episode } = await ask(model(url, { prices: { input: 2, output: 10 } }))
    expect(answer).toBe('It says hello.')
    expect(results(bodies[1] as Body)).toEqual([expect.stringContaining('hello')])
    expect(bodies[0]?.tools?.map((tool) => tool.name ?? tool.function?.name)).toContain('read_file')
    const usage = { inputTokens: 10, outputTokens: 5, cost: (10 * 2 + 5 * 10) / 1e6 }
    expect(episode.trace.events.slice(1).map(({ type, ...event }) => ({ type, ...event }))).toMatchObject([
      { type: 'message', role: 'user', text: 'Read a.txt.' },
      { type: 'message', role: 'assistant', text: 'I look.', model: 'm', usage },
      { type: 'call', tool: 'read_file', args: { path: 'a.txt' } },
      { type: 'message', role: 'assistant', text: 'It says hello.', usage },
    ])
    expect(JSON.stringify(headers[0])).toContain(apiKey)
    expect(episode.trace.toJsonl()).not.toContain(apiKey)
  })

  test('429 is repeated after the time that the server asks for', async () => {
    const { waits, wait } = noted()
    const busy = (headers: Record<string, string>) => json({ error: { message: 'slow down' } }, 429, headers)
    const { url } = await fakeServer([
      busy({ 'retry-after': '7' }),
      busy({ 'retry-after-ms': '250' }),
      busy({ 'retry-after': 'Tue, 01 Mar 2033 00:00:20 GMT', date: 'Mon, 28 Feb 2033 23:59:50 GMT' }),
      busy({}),
      busy({ 'retry-after': '86400' }),
      says('done'),
    ])
    expect((await ask(model(url), { wait })).answer).toBe('done')
    expect(waits).toEqual([7000, 250, 30_000, 8000, 60_000])
  })

  test.each([500, 502, 503, 529])('%i is repeated, longer apart each time', async (status) => {
    const { waits, wait } = noted()
    const { url } = await fakeServer([text('oops', status), text('', status), text('<html>', status), says('done')])
    expect((await ask(model(url), { wait })).answer).toBe('done')
    expect(waits).toEqual([1000, 2000, 4000])
  })

  test.each<[string, Answer]>([
    ['429', json({ error: { message: 'slow down' } }, 429)],
    ['500', text('oops', 500)],
    ['a truncated body', text('{"choices": [{"message": {"conte')],
    [
      'a connection that is cut',
      (_request, response) =>
        void response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
    ],
    ['no connection', (request) => void request.socket.destroy()],
    ['empty choices', json({ choices: [], content: [] })],
    ['something else', json({ hello: 'world' })],
    ['a list', json([])],
    [
      'a call without a name',
      json({
        choices: [{ message: { tool_calls: [{ id: 'x', function: {} }] } }],
        content: [{ type: 'tool_use', id: 'x' }],
      }),
    ],
  ])('%s for good leaves no result', async (_name, answer) => {
    const { waits, wait } = noted()
    const { url, bodies } = await fakeServer([answer])
    const failure = await ask(model(url), { wait, retries: 2 }).catch((error) => error)
    expect(failure).toBeInstanceOf(InfraError)
    expect(failure.message).toMatch(/^127\.0\.0\.1:\d+ .*, 3 times$/)
    expect([bodies.length, waits]).toEqual([3, [1000, 2000]])
  })

  test.each([401, 403, 404])(
    '%i leaves no result and is not repeated; keys are not repeated either',
    async (status) => {
      const { url, bodies } = await fakeServer([
        json({ error: { message: `bad key ${apiKey} for header-secret` } }, status),
      ])
      const failure = await ask(model(url, { headers: { 'x-more': 'header-secret' } })).catch((error) => error)
      expect(failure).toBeInstanceOf(InfraError)
      expect(failure.message).toMatch(
        new RegExp(`^127\\.0\\.0\\.1:\\d+ answered ${status}: bad key \\(secret\\) for \\(secret\\)$`),
      )
      expect(bodies).toHaveLength(1)
    },
  )

  test('a conversation that the model refuses is the failure of the agent', async () => {
    const { url } = await fakeServer([json({ error: { message: 'context is too long' } }, 400)])
    const failure = await ask(model(url)).catch((error) => error)
    expect(failure).toBeInstanceOf(ModelError)
    expect(failure.message).toContain('answered 400: context is too long')
  })

  test('a server that stalls is given up when the signal aborts, or after a time', async () => {
    const stalls: Answer = (_request, response) => void response.writeHead(200).write('{')
    const { url } = await fakeServer([stalls])
    const stopper = new AbortController()
    const asked = ask(model(url), { signal: stopper.signal })
    setTimeout(() => stopper.abort(new Error('enough')), 50)
    await expect(asked).rejects.toThrow('enough')
    await expect(ask(model(url), { timeoutMs: 50, retries: 1, wait: noted().wait })).rejects.toThrow(
      /did not answer within 50 ms$/,
    )
  })

  test('a signal that aborts while it waits ends the wait', async () => {
    const { url } = await fakeServer([json({}, 429, { 'retry-after': '60' })])
    const stopper = new AbortController()
    const asked = ask(model(url), { signal: stopper.signal })
    setTimeout(() => stopper.abort(new Error('enough')), 100)
    await expect(asked).rejects.toThrow('enough')
  })

  test('an unknown tool and wrong arguments are errors that the model can correct', async () => {
    const { url, bodies } = await fakeServer([
      says(null, [{ tool: 'teleport', args: '{}' }]),
      says(null, [{ tool: 'read_file', args: '{"pathh":"a.txt"}' }]),
      says(null, [{ tool: 'read_file', args: '{"path":"a.txt"}' }]),
      says('hello'),
    ])
    const { answer, episode } = await ask(model(url))
    expect(answer).toBe('hello')
    const [unknown, wrong, right] = results(bodies[3] as Body)
    expect(unknown).toContain('teleport')
    expect(wrong).toContain('path')
    expect(right).toContain('hello')
    expect(episode.trace.events.filter(({ type }) => type === 'call')).toHaveLength(3)
  })

  test('calls in parallel are made in their order, each with its own result', async () => {
    const calls = [1, 2, 3].map((number) => ({
      id: `c${number}`,
      tool: 'write_file',
      args: JSON.stringify({ path: `${number}.txt`, content: `${number}` }),
    }))
    const { url, bodies } = await fakeServer([says('All at once.', calls), says('done')])
    const { episode } = await ask(model(url))
    const made = episode.trace.events.flatMap((event) =>
      event.type === 'call' ? [(event.args as { path: string }).path] : [],
    )
    expect(made).toEqual(['1.txt', '2.txt', '3.txt'])
    expect((await episode.changes()).map(({ path }) => path)).toEqual(['/1.txt', '/2.txt', '/3.txt'])
    const sent = JSON.stringify(bodies[1]?.messages)
    expect(calls.map(({ id }) => sent.split(id).length - 1)).toEqual([2, 2, 2])
    expect(results(bodies[1] as Body)).toHaveLength(3)
  })

  test('a model that never stops is stopped by its turns, or by the budget', async () => {
    const again = says('again', [{ tool: 'read_file', args: '{"path":"a.txt"}' }])
    const { url, bodies } = await fakeServer([again])
    expect((await ask(model(url), { maxSteps: 3 })).answer).toBe('again')
    expect(bodies).toHaveLength(3)
    const episode = await openEpisode({ files, budget: { tokens: 60 } })
    await ask(model(url), { episode })
    expect([bodies.length, episode.exhausted]).toEqual([3 + 4, 'tokens'])
  })

  test('a very long answer arrives whole', async () => {
    const long = 'ü'.repeat(3_000_000)
    const { url } = await fakeServer([says(long)])
    expect((await ask(model(url))).answer === long).toBe(true)
  })

  test('an empty answer is an answer', async () => {
    const { url } = await fakeServer([says('')])
    expect((await ask(model(url))).answer).toBe('')
  })

  test('no URL gets into messages, because it may contain a key', async () => {
    const failing = async () => {
      throw new TypeError(`fetch failed for ${apiKey}`)
    }
    const url = 'https://user:pass@example.com/path-key?key=query-key'
    const failure = await ask(model(url, { fetch: failing }), { retries: 0 }).catch((error) => error)
    expect(failure.message).toBe("example.com can't be reached (fetch failed for (secret)), 1 times")
  })

  test('tools whose names the API does not accept get others there', async () => {
    const { loadDialect } = await import('../../src/dialects/registry.js')
    const episode = await openEpisode({ files, dialect: await loadDialect('fs') })
    const { url, bodies } = await fakeServer([
      says(null, [{ tool: 'fs_read_file', args: '{"path":"a.txt"}' }]),
      says('done'),
    ])
    await ask(model(url), { episode })
    const sent = bodies[0]?.tools?.map((tool) => tool.name ?? tool.function?.name) ?? []
    expect(sent.filter((each) => !/^[\w-]{1,64}$/.test(each ?? ''))).toEqual([])
    expect(episode.trace.events.flatMap((event) => (event.type === 'call' ? [event.tool] : []))).toEqual([
      'fs.read_file',
    ])
  })

  test('an agent of a page or a program works with it, too', async () => {
    const { url, bodies } = await fakeServer([
      says('I look.', [
        { id: 'same', tool: 'read_file', args: '{"path":"a.txt"}' },
        { id: 'same', tool: 'read_file', args: '{"path":"b.txt"}' },
      ]),
      says('One and two.'),
    ])
    const { agent } = setting([], { model: model(url) })
    const { end, calls, usage } = await agent.send('Read both.')
    expect([end?.reason, calls.map(({ state }) => state)]).toEqual(['done', ['done', 'done']])
    expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 10 })
    expect(results(bodies[1] as Body)).toEqual([expect.stringContaining('one'), expect.stringContaining('two')])
    // Each result belongs to a call, though the server gave both the same id.
    const ids = [...JSON.stringify(bodies[1]).matchAll(/"(?:id|tool_call_id|tool_use_id)":"([^"]+)"/g)].map(
      ([, id]) => id,
    )
    expect([ids.length, new Set(ids).size]).toEqual([4, 2])
  })

  test('a conversation that began with another model goes on with this one', async () => {
    const { url, bodies } = await fakeServer([says('done')])
    const messages: Message[] = [
      { role: 'user', text: 'Go.' },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'hm', raw: { other: { signature: 'x' } } },
          { type: 'call', id: 'c9', tool: 'fs.read', args: '{"path":"a"}', raw: { other: {} } },
          { type: 'call', id: 'c10', tool: 'fs.read', args: '{"pa', raw: { other: {} } },
        ],
      },
      {
        role: 'tools',
        results: ['c9', 'c10'].map((id) => ({ id, tool: 'fs.read', text: 'x', isError: id === 'c10' })),
      },
    ]
    const tools = [{ name: 'fs.read', description: '', inputSchema: { type: 'object' } }]
    const { parts } = await askModel(
      model(url),
      { messages, tools, signal: never },
      { stallMs: 60_000, retries: 0, retryDelayMs: 0 },
    )
    expect(parts).toEqual([{ type: 'text', text: 'done' }])
    expect(bodies[0]?.messages).toEqual(name === 'openai' ? openAiConversation : anthropicConversation)
  })

  test(`speaks the protocol of ${name}`, async () => {
    const { url, bodies, headers } = await fakeServer([says('done')])
    const episode = await openEpisode({ files })
    const agent = chat({ model: model(url, { body: { temperature: 0 } }), system: 'Be brief.' })
    await agent.run({ episode, instruction: 'Go.', signal: never })
    const common = { model: 'm', temperature: 0, tools: expect.any(Array) }
    if (name === 'openai') {
      const messages = [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Go.' },
      ]
      expect(bodies[0]).toEqual({ ...common, messages })
      expect(headers[0]).toMatchObject({ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' })
    } else {
      const messages = [{ role: 'user', content: 'Go.' }]
      expect(bodies[0]).toEqual({ ...common, messages, system: 'Be brief.', max_tokens: 8192 })
      expect(headers[0]).toMatchObject({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' })
    }
  })
})

test.each(['{"path": ', '[1]', '"a.txt"', 'null', '{path: "a.txt"}'])(
  'arguments that are not a JSON object: %s',
  async (args) => {
    const { says, model, results } = apis.openai
    const { url, bodies } = await fakeServer([says(null, [{ tool: 'read_file', args }]), says('sorry')])
    const { answer, episode } = await ask(model(url))
    expect(answer).toBe('sorry')
    expect(results(bodies[1] as Body)).toEqual([
      expect.stringMatching(/^read_file: the arguments .*\. Correct the call and try again\.$/),
    ])
    expect(episode.trace.events.map(({ type }) => type)).toEqual(['header', 'message', 'message', 'message', 'message'])
  },
)

test.each<[unknown, string]>([
  [
    {
      content: [
        { type: 'text', text: 'in ' },
        { type: 'text', text: 'parts' },
      ],
    },
    'in parts',
  ],
  [{ content: null, refusal: 'I will not.' }, 'I will not.'],
  [{ content: null }, ''],
])('texts as other servers send them: %j', async (message, answer) => {
  const { url } = await fakeServer([json({ choices: [{ message }] })])
  expect((await ask(apis.openai.model(url))).answer).toBe(answer)
})

test('a tool without parameters may be called without arguments', async () => {
  const { says, model, results } = apis.openai
  const { url, bodies } = await fakeServer([says(null, [{ tool: 'read_file', args: '' }]), says('done')])
  await ask(model(url))
  expect(results(bodies[1] as Body)[0]).not.toContain('JSON')
})

test('blocks of Anthropic are sent back as they came, signed thoughts too', async () => {
  const { model } = apis.anthropic
  const content = [
    { type: 'thinking', thinking: 'Let me look.', signature: 'c2lnbmVk' },
    { type: 'redacted_thinking', data: 'eHh4' },
    { type: 'text', text: 'I look.' },
    { type: 'text', text: 'Now.' },
    { type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a.txt' }, caller: { type: 'direct' } },
  ]
  const { url, bodies } = await fakeServer([
    json({ content, stop_reason: 'tool_use', usage: { input_tokens: 1, output_tokens: 1 } }),
    apis.anthropic.says('done'),
  ])
  const { episode } = await ask(model(url))
  expect(bodies[1]?.messages[1]).toEqual({
    role: 'assistant',
    content: [content[0], content[1], { type: 'text', text: 'I look.\nNow.' }, content[4]],
  })
  expect(episode.trace.events.flatMap((event) => (event.type === 'message' ? [event.text] : []))).toEqual([
    'Read a.txt.',
    'I look.\nNow.',
    'done',
  ])
})

test('tokens from a cache are counted, and cost what they cost', async () => {
  const usages = {
    openai: { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 4 }, completion_tokens: 5 },
    anthropic: { input_tokens: 4, cache_creation_input_tokens: 2, cache_read_input_tokens: 4, output_tokens: 5 },
  }
  const prices = { input: 2, cached: 1, output: 10 }
  const usage = { inputTokens: 10, cachedTokens: 4, outputTokens: 5, cost: (6 * 2 + 4 * 1 + 5 * 10) / 1e6 }
  for (const api of ['openai', 'anthropic'] as const) {
    const content = [{ type: 'text', text: 'done' }]
    const choices = [{ message: { role: 'assistant', content: 'done' } }]
    const { url } = await fakeServer([json({ choices, content, stop_reason: 'end_turn', usage: usages[api] })])
    const { episode } = await ask(apis[api].model(url, { prices }))
    expect(episode.trace.events.at(-1)).toMatchObject({ role: 'assistant', usage })
    expect(usageOf(episode.trace.events)).toEqual({ calls: 0, failedCalls: 0, turns: 1, ...usage })
  }
  const finish = {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: { total: 10, noCache: 6, cacheRead: 4 }, outputTokens: { total: 5 } },
  }
  const parts = [{ type: 'text-delta', id: '1', delta: 'done' }, finish]
  const stream = () =>
    new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part)
        controller.close()
      },
    })
  const sdk: AiSdkLanguageModel = { modelId: 'sdk', doStream: async () => ({ stream: stream() }) }
  const { answer, episode } = await ask(aiSdkModel(sdk, { prices }))
  expect(answer).toBe('done')
  expect(episode.trace.events.at(-1)).toMatchObject({ role: 'assistant', model: 'sdk', usage })
})

test.each([
  [400, ModelError],
  [413, ModelError],
  [401, InfraError],
  [404, InfraError],
])('a model of the AI SDK that refuses with %i fails as the others do', async (statusCode, type) => {
  const sdk: AiSdkLanguageModel = {
    modelId: 'sdk',
    doStream: () => Promise.reject(Object.assign(new Error('no'), { statusCode, isRetryable: false })),
  }
  expect(await ask(aiSdkModel(sdk)).catch((error) => error)).toBeInstanceOf(type)
})
