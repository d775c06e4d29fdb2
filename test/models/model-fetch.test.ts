/** Hostile endpoints of models: redirects, and answers without bounds. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterEach, describe, expect, test } from 'vitest'
import { chat } from '../../harness/agents/chat.js'
import { openEpisode } from '../../harness/episode/episode.js'
import { InfraError } from '../../harness/infra-error.js'
import { aiSdkModel } from '../../models/ai-sdk-model.js'
import { anthropicModel } from '../../models/anthropic-model.js'
import type { Model } from '../../models/model.js'
import { modelFetch } from '../../models/model-fetch.js'
import { openAiModel } from '../../models/openai-model.js'
import type { ConnectionOptions } from '../../models/request-json.js'
import { setting } from '../agent/fake-models.js'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serve(handler: Handler): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    request.resume()
    request.on('end', () => handler(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** Writes the same bytes again and again, until enough are written or nobody reads. Resolves with how many were taken. */
async function flood(response: ServerResponse, piece: string | Buffer, bytes: number): Promise<number> {
  let written = 0
  let resume = () => {}
  for (const event of ['drain', 'close']) response.on(event, () => resume())
  while (written < bytes && !response.destroyed) {
    written += piece.length
    const drained = new Promise<void>((resolve) => {
      resume = resolve
    })
    if (!response.write(piece)) await drained
  }
  response.end()
  return written
}

const apiKey = 'sk-secret-0123456789'
const never = new AbortController().signal

const harness = {
  openai: (url: string, more: ConnectionOptions = {}) =>
    openAiModel({ baseUrl: `${url}/v1`, model: 'm', apiKey, headers: { 'x-own': apiKey }, ...more }),
  anthropic: (url: string, more: ConnectionOptions = {}) =>
    anthropicModel({ baseUrl: url, model: 'm', apiKey, headers: { 'x-own': apiKey }, ...more }),
}

const loop = {
  openai: (url: string) =>
    aiSdkModel(
      createOpenAICompatible({ name: 'f', baseURL: `${url}/v1`, apiKey, includeUsage: true, fetch: modelFetch() })('m'),
    ),
  anthropic: (url: string) => aiSdkModel(createAnthropic({ baseURL: `${url}/v1`, apiKey, fetch: modelFetch() })('m')),
}

async function ask(model: Model, { signal = never, timeoutMs = 60_000 } = {}): Promise<unknown> {
  const episode = await openEpisode({ files: {} })
  const asked = chat({ model, timeoutMs }).run({ episode, instruction: 'Hello', signal })
  return asked.then(({ answer }) => answer).catch((error: unknown) => error)
}

describe.each(['openai', 'anthropic'] as const)('%s', (api) => {
  test.each([301, 302, 303, 307, 308])(
    'a redirect with %i is not followed, and says what to correct',
    async (status) => {
      const thief = await serve((_request, response) => void response.end('{}'))
      const { url, requests } = await serve(
        (_request, response) =>
          void response.writeHead(status, { location: `${thief.url}/v1/steal?key=query-key` }).end('moved'),
      )
      const words = `The endpoint redirects to ${thief.url}, where no key is sent: set the model’s address to the one that answers`
      const failure = await ask(harness[api](url))
      expect(failure).toEqual(new InfraError(`${new URL(url).host}: ${words}`))
      const { agent } = setting([], { model: loop[api](url) })
      expect((await agent.send('Go')).end).toEqual({ reason: 'failed', message: words, atMs: 0 })
      expect([thief.requests.length, requests.length]).toEqual([0, 2])
    },
  )

  test('a redirect to the same origin is not followed either', async () => {
    const { url, requests } = await serve(
      (_request, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
    )
    expect(String(await ask(harness[api](url)))).toContain('redirects to another address')
    expect(requests.length).toBe(1)
  })

  const ways = {
    'brackets without end': ['[', /nested too deeply/],
    'objects without end': ['{"a":', /nested too deeply/],
    'values without end': ['[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],'.repeat(100), /too many values|nested too deeply/],
    'a text without end': ['a', /longer than/],
  } as const

  test.each(Object.entries(ways))(
    '%s: it is read no further, and not asked for again',
    async (_name, [piece, words]) => {
      const taken: number[] = []
      const { url, requests } = await serve(async (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        if (piece === 'a') response.write('"')
        taken.push(await flood(response, piece.repeat(Math.ceil(65_536 / piece.length)), 200_000_000))
      })
      const failure = await ask(harness[api](url))
      expect(failure).toBeInstanceOf(InfraError)
      expect(String(failure)).toMatch(words)
      expect(requests.length).toBe(1)
      while (taken.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      expect(taken[0]).toBeLessThan(60_000_000)
    },
  )

  test('a compressed answer counts as what it unpacks to', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000, '[1],'))
    const { url, requests } = await serve(
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
    )
    expect(String(await ask(harness[api](url)))).toMatch(/too many values/)
    expect(requests.length).toBe(1)
  })

  test('the body of a refusal is read to a bound', async () => {
    const { url, requests } = await serve(async (_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      await flood(response, 'no '.repeat(20_000), 200_000_000)
    })
    expect(String(await ask(harness[api](url)))).toMatch(/answered 400: no no no/)
    const { agent } = setting([], { model: loop[api](url) })
    expect((await agent.send('Go')).end).toMatchObject({ reason: 'failed' })
    expect(requests.length).toBe(2)
  })

  test('the time limit holds over all repetitions', async () => {
    const { url } = await serve((_request, response) => void response.writeHead(429, { 'retry-after': '60' }).end('{}'))
    const failure = await ask(harness[api](url), { timeoutMs: 200 })
    expect(failure).toBeInstanceOf(InfraError)
    expect(String(failure)).toMatch(/ did not answer within 200 ms; before, 127\.0\.0\.1:\d+ answered 429/)
  })

  const streams = {
    'a line without end': ['data: "' + 'a'.repeat(60_000), /line longer than/],
    'a line of brackets': [`data: ${'['.repeat(60_000)}`, /nested too deeply/],
    'lines without end': ['\n'.repeat(65_536), /more than 1000000 lines/],
  } as const

  test.each(Object.entries(streams))(
    'a stream with %s ends the turn, and is not asked for again',
    async (_name, [piece, words]) => {
      const { url, requests } = await serve(async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        await flood(response, piece, 200_000_000)
      })
      const { agent } = setting([], { model: loop[api](url) })
      const { end } = await agent.send('Go')
      expect(end).toMatchObject({ reason: 'failed', message: expect.stringMatching(words) })
      expect(requests.length).toBe(1)
    },
  )
})

test('a stream of many small lines is read whole, in the bytes that were sent', async () => {
  const sent = Array.from({ length: 20_000 }, (_, index) => `data: {"n":[${index},"ü\\"[{"]}\n`).join('')
  const { url } = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const bytes = Buffer.from(sent)
    for (let at = 0; at < bytes.length; at += 997) response.write(bytes.subarray(at, at + 997))
    response.end()
  })
  const response = await modelFetch()(url, { method: 'POST', headers: {}, credentials: 'omit' })
  expect((await response.text()) === sent).toBe(true)
})
