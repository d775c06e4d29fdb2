/** Answers that break off at any byte, in any way, from a server on this machine. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterEach, describe, expect, test } from 'vitest'
import type { AgentTools } from '../../agent/tools.js'
import { aiSdkModel } from '../../models/ai-sdk-model.js'
import { modelFetch } from '../../models/model-fetch.js'
import { seededRandom } from '../../src/text/seeded-random.js'
import { setting } from '../agent/fake-models.js'
import { scaled, seeded } from '../scale.js'
import { fakeEndpoint, type Reply } from './fake-endpoint.js'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const providers = {
  openai: (baseURL: string) =>
    aiSdkModel(
      createOpenAICompatible({ name: 'fake', baseURL, apiKey: 'k', includeUsage: true, fetch: modelFetch() })('m'),
    ),
  anthropic: (baseURL: string) => aiSdkModel(createAnthropic({ baseURL, apiKey: 'k', fetch: modelFetch() })('m')),
}

const steps: Reply[] = [
  [{ text: 'First I note one, then two. ' }, { tool: 'note', args: { n: 1 } }, { tool: 'note', args: { n: 2 } }],
  [{ tool: 'note', args: { n: 3, text: 'a longer text, in several pieces, with "quotes" and ümlauts' } }],
  [{ text: 'All is noted.' }],
]

/** How an answer breaks off. */
const endings = {
  'the connection is reset': (response: ServerResponse) => response.destroy(),
  'the stream just ends': (response: ServerResponse) => response.end(),
  'a line breaks off and the stream ends': (response: ServerResponse) => response.end('\n\n'),
}
const overloaded = (response: ServerResponse) =>
  response.end(
    '\n\nevent: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  )

/** The body of each step as a whole. */
async function wholeBodies(path: string): Promise<Buffer[]> {
  const endpoint = await fakeEndpoint([...steps])
  closers.push(endpoint.close)
  const bodies: Buffer[] = []
  for (const _ of steps) {
    const answer = await fetch(`${endpoint.url}${path}`, { method: 'POST', body: '{}' })
    bodies.push(Buffer.from(await answer.arrayBuffer()))
  }
  return bodies
}

type Cut = { at: number; end(response: ServerResponse): void }

/** Gives each step whole, once its cuts are used up. */
async function cuttingServer(bodies: readonly Buffer[], cuts: readonly Cut[][]): Promise<string> {
  const left = cuts.map((each) => [...each])
  const server = createServer(async (request, response) => {
    let sent = ''
    for await (const chunk of request) sent += chunk
    const { messages } = JSON.parse(sent) as { messages: { role: string }[] }
    const step = messages.filter(({ role }) => role === 'assistant').length
    const cut = left[step]?.shift()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    const body = bodies[step] as Buffer
    if (cut === undefined) return response.end(body)
    response.write(body.subarray(0, Math.floor(cut.at * body.length)), () => cut.end(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

function notes(): { tools: AgentTools; made: unknown[] } {
  const made: unknown[] = []
  return {
    made,
    tools: {
      listTools: async () => [{ name: 'note', description: 'Notes a number.', inputSchema: { type: 'object' } }],
      async callTool(_name, args) {
        made.push((args as { n: number }).n)
        return { content: [{ type: 'text', text: 'noted' }] }
      },
    },
  }
}

describe.each([
  ['openai', '/chat/completions', endings],
  ['anthropic', '/messages', { ...endings, 'the host is overloaded': overloaded }],
] as const)('%s', (provider, path, ways) => {
  async function converse(bodies: readonly Buffer[], cuts: readonly Cut[][]) {
    const { tools, made } = notes()
    const model = providers[provider](await cuttingServer(bodies, cuts))
    const { agent, events } = setting([], { model, tools })
    const turn = await agent.send('Note it.')
    return { turn, made, retries: events.filter(({ type }) => type === 'retry').length }
  }

  test.each(Object.entries(ways))('%s in the middle of each answer: it is asked for again', async (_name, end) => {
    const bodies = await wholeBodies(path)
    const { turn, made, retries } = await converse(
      bodies,
      steps.map(() => [{ at: 0.5, end }]),
    )
    expect(turn.end).toMatchObject({ reason: 'done' })
    expect(made).toEqual([1, 2, 3])
    expect(retries).toBe(3)
  })

  test('wherever answers break off, each call is made once, and texts are whole', async () => {
    const bodies = await wholeBodies(path)
    const random = seededRandom(seeded(7))
    const all = Object.values(ways)
    for (let round = 0; round < scaled(60); round += 1) {
      const cuts = steps.map(() =>
        Array.from({ length: Math.floor(random() * 4) }, () => ({
          at: random(),
          end: all[Math.floor(random() * all.length)] as Cut['end'],
        })),
      )
      const { turn, made } = await converse(bodies, cuts)
      const shown = JSON.stringify(cuts.map((each) => each.map(({ at }) => at)))
      expect(turn.end, shown).toMatchObject({ reason: 'done' })
      expect(made, shown).toEqual([1, 2, 3])
      const texts = turn.messages.flatMap((message) =>
        message.role === 'assistant'
          ? message.parts.map((part) => (part.type === 'text' ? part.text.trim() : part.type))
          : [],
      )
      expect(texts, shown).toEqual(['First I note one, then two.', 'call', 'call', 'call', 'All is noted.'])
    }
  })

  test('an answer that always breaks off ends the turn after the repetitions, with no call made', async () => {
    const bodies = await wholeBodies(path)
    const { turn, made, retries } = await converse(bodies, [
      Array.from({ length: 9 }, () => ({ at: 0.9, end: endings['the connection is reset'] })),
    ])
    expect(turn.end).toMatchObject({ reason: 'failed' })
    expect([made, retries]).toEqual([[], 3])
  })
})

test('an error that would come again is not asked for again', async () => {
  const refuse: Cut['end'] = (response) =>
    response.end(
      '\n\nevent: error\ndata: {"type":"error","error":{"type":"invalid_request_error","message":"Too long"}}\n\n',
    )
  const bodies = await wholeBodies('/messages')
  const { tools, made } = notes()
  const model = providers.anthropic(await cuttingServer(bodies, [[{ at: 0.5, end: refuse }]]))
  const { agent, events } = setting([], { model, tools })
  expect((await agent.send('Note it.')).end).toMatchObject({ reason: 'failed', message: 'Too long' })
  expect([made, events.filter(({ type }) => type === 'retry')]).toEqual([[], []])
})
