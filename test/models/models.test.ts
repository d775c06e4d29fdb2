/** Models behind the AI SDK's providers, with an endpoint that streams; the model that is a script, and the one that only completes text. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { afterEach, describe, expect, test } from 'vitest'
import { mcpTools } from '../../agent/tools.js'
import { type AiSdkModelOptions, aiSdkModel } from '../../models/ai-sdk-model.js'
import type { Model } from '../../models/model.js'
import { scriptedModel } from '../../models/scripted-model.js'
import { type TextCompletion, textModel } from '../../models/text-model.js'
import { costOf } from '../../models/usage.js'
import { call, setting, text } from '../agent/fake-models.js'
import { type FakeEndpoint, fakeEndpoint, type Reply } from './fake-endpoint.js'

const apiKey = 'sk-secret-0123'
let endpoint: FakeEndpoint | undefined

afterEach(async () => {
  await endpoint?.close()
  endpoint = undefined
})

const providers = {
  openai: (baseURL: string, options?: AiSdkModelOptions) =>
    aiSdkModel(createOpenAICompatible({ name: 'fake', baseURL, apiKey, includeUsage: true })('fake-1'), options),
  anthropic: (baseURL: string, options?: AiSdkModelOptions) =>
    aiSdkModel(createAnthropic({ baseURL, apiKey })('fake-1'), options),
}

describe.each(['openai', 'anthropic'] as const)('%s', (provider) => {
  async function agentWith(replies: Reply[], options: Partial<Parameters<typeof setting>[1]> = {}) {
    endpoint = await fakeEndpoint(replies)
    const model: Model = providers[provider](endpoint.url, { secrets: [apiKey] })
    return { ...setting([], { model, ...options }), endpoint }
  }

  test('streams, calls tools with arguments in pieces, and gets their results', async () => {
    const {
      agent,
      endpoint: api,
      events,
      read,
    } = await agentWith([
      [
        { text: 'I write it.' },
        { tool: 'write_file', args: { path: 'a.txt', content: 'uno\n' } },
        { tool: 'read_file', args: { path: 'none' } },
      ],
      [{ text: 'Done.' }],
    ])
    const turn = await agent.send('Translate')
    expect(turn.end).toEqual({ reason: 'done', atMs: 0 })
    expect(turn.calls.map(({ tool, state }) => [tool, state])).toEqual([
      ['write_file', 'done'],
      ['read_file', 'failed'],
    ])
    expect(turn.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 })
    expect(await read('a.txt')).toBe('uno\n')
    expect(events.flatMap((event) => (event.type === 'text' ? event.text : [])).join('|')).toBe('I| write| it.|Done.')
    expect(events.flatMap((event) => (event.type === 'writing' ? `${event.tool}${event.text}` : []))[0]).toContain(
      'write_file',
    )
    expect(api.received).toHaveLength(2)
    expect(JSON.stringify(api.received[1]?.body)).toContain('replaced a.txt')
    expect(JSON.stringify(api.received[1]?.body)).toContain('not_found: none does not exist')
    expect(JSON.stringify(api.received[0]?.headers)).toContain(apiKey)
  })

  test('broken arguments and unknown tools go back to it, and it goes on', async () => {
    const { agent, endpoint: api } = await agentWith([
      [
        { tool: 'read_file', args: '{"path": "a.t' },
        { tool: 'fly', args: {} },
      ],
      [{ text: 'I see.' }],
    ])
    const turn = await agent.send('Read')
    expect(turn.end).toEqual({ reason: 'done', atMs: 0 })
    expect(turn.calls.map(({ state }) => state)).toEqual(['wrong', 'wrong'])
    expect(JSON.stringify(api.received[1]?.body)).toContain('There is no tool')
  })

  test('a refusal is reported in the words of the host, without the key', async () => {
    const body = JSON.stringify({
      type: 'error',
      error: { type: 'authentication_error', message: `Incorrect API key provided: ${apiKey}` },
    })
    const { agent } = await agentWith([{ status: 401, body }])
    const { end } = await agent.send('Go')
    expect(end).toEqual({ reason: 'failed', message: 'Incorrect API key provided: … (HTTP 401)', atMs: 0 })
  })

  test('a busy host is asked again after the time it names', async () => {
    const busy = {
      status: 429,
      body: '{"error":{"message":"slow down","type":"rate_limit_error"},"type":"error"}',
      headers: { 'retry-after': '0' },
    }
    const { agent, events } = await agentWith([busy, { ...busy, status: 503 }, [{ text: 'Yes.' }]])
    expect((await agent.send('Go')).end?.reason).toBe('done')
    expect(events.flatMap((event) => (event.type === 'retry' ? event.delayMs : []))).toEqual([0, 0])
  })

  test('a host that is not there is named', async () => {
    const { agent, endpoint: api } = await agentWith([], { retries: 0 })
    await api.close()
    expect((await agent.send('Go')).end).toMatchObject({
      reason: 'failed',
      message: expect.stringContaining('connect'),
    })
  })

  test('an answer whose connection is cut in the middle is asked for again', async () => {
    const { agent } = await agentWith([[{ text: 'I be' }, 'cut'], [{ text: 'Whole.' }]])
    const { end, messages } = await agent.send('Go')
    expect(end?.reason).toBe('done')
    expect(JSON.stringify(messages)).not.toContain('I be')
  })

  test('a stall is noticed, and Stop ends it at once', async () => {
    const { agent } = await agentWith([[{ text: 'I' }, 'stall']], {
      stallMs: 60_000,
      onEvent: ({ type }) => type === 'text' && agent.stop(),
    })
    expect((await agent.send('Go')).end?.reason).toBe('stopped')
    const impatient = await agentWith([['stall'], [{ text: 'Here.' }]], { stallMs: 100 })
    expect((await impatient.agent.send('Go')).end?.reason).toBe('done')
  })
})

test('a model of the AI SDK gets its own metadata back', async () => {
  const signature = { anthropic: { signature: 'abc' } }
  const usage = {
    inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: 0 },
    outputTokens: { total: 2, text: 2, reasoning: 0 },
  }
  const model = new MockLanguageModelV3({
    modelId: 'mock',
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start', warnings: [] },
          { type: 'reasoning-start', id: 'r' },
          { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
          { type: 'reasoning-end', id: 'r', providerMetadata: signature },
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'Yes.' },
          { type: 'text-end', id: 't' },
          { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
        ],
      }),
    }),
  })
  const { agent } = setting([], { model: aiSdkModel(model), system: 'Be short.' })
  const turn = await agent.send('Well?')
  expect(turn.usage).toEqual({ inputTokens: 10, cachedTokens: 6, outputTokens: 2 })
  await agent.send('Really?')
  expect(model.doStreamCalls[1]?.prompt).toEqual([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm', providerOptions: signature },
        { type: 'text', text: 'Yes.' },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'Really?' }] },
  ])
})

test('a script says and does what it is given', async () => {
  const model = scriptedModel([
    { text: 'I write.', calls: [{ tool: 'write_file', args: { path: 'x', content: 'y' } }] },
    { text: 'Done.' },
  ])
  const { agent, read, events } = setting([], { model })
  expect((await agent.send('Go')).end?.reason).toBe('done')
  expect(await read('x')).toBe('y\n')
  expect(events.flatMap((event) => (event.type === 'text' ? event.text : []))).toEqual(['I', ' write.', 'Done.'])
})

describe('a model that completes text', () => {
  function completing(answers: string[]) {
    const asked: TextCompletion[] = []
    const model = textModel({
      name: 'small',
      tools: ['read_file', 'write_file'],
      async *complete(request) {
        asked.push(request)
        yield* (answers[asked.length - 1] ?? '').match(/[\s\S]{1,7}/g) ?? []
      },
    })
    return { asked, model }
  }

  test('calls tools through JSON, also where it wraps it in words', async () => {
    const { asked, model } = completing([
      'Sure! ```json\n{"say": "I read it.", "tool": "read_file", "args": {"path": "a.txt"}}\n```',
      '{"say":"It says one."}',
    ])
    const { agent } = setting([], { model })
    const turn = await agent.send('What is in a.txt?')
    expect(turn.calls).toMatchObject([{ tool: 'read_file', args: { path: 'a.txt' }, state: 'done' }])
    expect(turn.messages.at(-1)).toEqual({ role: 'assistant', parts: [{ type: 'text', text: 'It says one.' }] })
    expect(asked[1]?.messages).toEqual([
      { role: 'user', content: 'What is in a.txt?' },
      { role: 'assistant', content: '{"say":"I read it.","tool":"read_file","args":{"path":"a.txt"}}' },
      { role: 'user', content: 'Result of read_file:\n1\tone\n[1 line, hash 2c8b08da5ce60398]' },
    ])
    expect(asked[0]?.system).toContain('- write_file: ')
    expect(asked[0]?.system).not.toContain('- bash: ')
    expect(asked[0]?.schema).toMatchObject({ properties: { tool: { enum: ['read_file', 'write_file'] } } })
  })

  test('that forgets the JSON has said something', async () => {
    const { model } = completing(['It is a file with {one} line.'])
    const turn = await setting([], { model }).agent.send('?')
    expect(turn.messages.at(-1)).toEqual({
      role: 'assistant',
      parts: [{ type: 'text', text: 'It is a file with {one} line.' }],
    })
  })
})

test('the tools of any MCP client can be used', async () => {
  const client = {
    listTools: async () => ({ tools: [{ name: 'hello', inputSchema: { type: 'object' } }] }),
    callTool: async ({ name, arguments: args }: { name: string; arguments: object }) => ({
      content: [
        { type: 'text', text: `${name} ${JSON.stringify(args)}` },
        { type: 'image', data: '', mimeType: 'image/png' },
      ],
    }),
  }
  const { agent } = setting([[call('hello', { a: 1 })], [text('.')]], { tools: mcpTools(client) })
  expect((await agent.send('Go')).calls[0]?.output).toBe('hello {"a":1}\n(image, image/png)')
})

test('the cost of tokens', () => {
  const usage = { inputTokens: 1_000_000, cachedTokens: 400_000, outputTokens: 100_000 }
  expect(costOf(usage, { input: 3, output: 15 })).toBeCloseTo(4.5)
  expect(costOf(usage, { input: 3, cached: 0.3, output: 15 })).toBeCloseTo(1.8 + 0.12 + 1.5)
})
