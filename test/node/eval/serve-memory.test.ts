/** Clients of `polyfs eval serve` that fill its memory, and that open episodes and leave. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadSuite } from '../../../harness/tasks/load-suite.js'
import { servedEpisodes } from '../../../node/eval/serve/episodes.js'
import { type ServeEpisodesOptions, serveEpisodes } from '../../../node/eval/serve/server.js'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { built } from '../cli/built.js'
import { suiteFiles } from './greeting-suite.js'

const suite = await loadSuite(memory(suiteFiles), '/suite')
const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
const mB = 1 << 20

async function start(options: Partial<ServeEpisodesOptions> = {}) {
  const server = await serveEpisodes({ suite, shell, ...options })
  onTestFinished(() => server.close())
  const ask = async (method: string, path: string, body?: unknown) => {
    const sent = body instanceof Uint8Array ? body.slice() : JSON.stringify(body)
    const response = await fetch(`${server.url}${path}`, { method, ...(body !== undefined && { body: sent }) })
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
  }
  const open = async () => `/episodes/${(await ask('POST', '/episodes', { task: 'greeting' })).body.id}`
  return { ask, open }
}

test('files that a client writes are bounded in each episode', async () => {
  const { ask, open } = await start({ maxBytes: 8 * mB })
  const at = await open()
  const statuses: number[] = []
  for (let number = 0; number < 8; number += 1)
    statuses.push((await ask('PUT', `${at}/files/app/${number}`, new Uint8Array(mB))).status)
  expect(statuses).toEqual([204, 204, 204, 204, 204, 507, 507, 507])
  expect(await ask('PUT', `${at}/files/app/x`, new Uint8Array(mB))).toEqual({
    status: 507,
    body: { error: { code: 'NO_SPACE', message: expect.stringContaining('/app/x') } },
  })
  const other = await open()
  expect((await ask('PUT', `${other}/files/app/x`, new Uint8Array(mB))).status).toBe(204)
})

describe('all open episodes together', () => {
  test('are bounded: what was refused because of others has no score, and ends give the memory back', async () => {
    const { ask, open } = await start({ maxMemoryBytes: 4 * mB })
    const [one, other] = [await open(), await open()]
    for (let number = 0; number < 3; number += 1)
      expect((await ask('PUT', `${one}/files/app/${number}`, new Uint8Array(mB))).status).toBe(204)
    expect((await ask('PUT', `${other}/files/app/x`, new Uint8Array(mB))).status).toBe(507)
    expect(await ask('POST', `${other}/score`)).toEqual({
      status: 502,
      body: {
        error: {
          code: 'infra',
          message: 'There is no score: the memory that it shares with other episodes was used up.',
        },
      },
    })
    expect((await ask('POST', `${one}/score`)).status).toBe(200)
    await ask('DELETE', one)
    const third = await open()
    for (let number = 0; number < 3; number += 1)
      expect((await ask('PUT', `${third}/files/app/${number}`, new Uint8Array(mB))).status).toBe(204)
  })

  test('no further one is opened or forked when they are full', async () => {
    const { ask, open } = await start({ maxMemoryBytes: mB })
    const first = await open()
    const full = {
      status: 503,
      body: {
        error: {
          code: 'too-much-memory',
          message: `The open episodes hold ${mB} bytes, which is the limit: end some with DELETE, or start the server with a higher --max-memory-bytes.`,
        },
      },
    }
    for (let number = 1; number < 16; number += 1) expect((await ask('POST', `${first}/fork`)).status).toBe(201)
    expect(await ask('POST', `${first}/fork`)).toEqual(full)
    expect(await ask('POST', '/episodes', { task: 'greeting' })).toEqual(full)
    await ask('DELETE', first)
    expect((await ask('POST', '/episodes', { task: 'greeting' })).status).toBe(201)
  })

  test('that were opened and left are ended, and so is what they hold', async () => {
    let nowMs = 0
    const options = { suite, maxEpisodes: 100, maxMemoryBytes: 8 * mB, idleMs: 60_000, now: () => nowMs }
    const episodes = servedEpisodes(options)
    let refused = 0
    for (let number = 0; number < 10_000; number += 1) {
      if (number % 1000 === 999) {
        nowMs += 60_001
        await episodes.sweep()
        expect(episodes.count).toBe(0)
      }
      await episodes.open({ task: 'greeting', seed: number }).catch(() => {
        refused += 1
      })
      expect(episodes.count).toBeLessThanOrEqual(100)
    }
    expect(refused).toBe(10_000 - 1001)
    await episodes.close()
  })
})

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])(
  'what every object has is not a request: %s',
  async (name) => {
    const { ask, open } = await start()
    const at = await open()
    for (const method of ['GET', 'POST'])
      expect(await ask(method, `${at}/${name}`, method === 'POST' ? {} : undefined)).toEqual({
        status: 404,
        body: { error: { code: 'not-found', message: `There is no ${method} ${at}/${name}.` } },
      })
    expect((await ask('POST', '/episodes', { task: name })).body.error.code).toBe('unknown-task')
    expect((await ask('POST', `${at}/call`, { tool: name, args: {} })).body).toMatchObject({ isError: true })
    const budget = JSON.parse(`{"task":"greeting","budget":{"${name}":1}}`)
    expect((await ask('POST', '/episodes', budget)).body.error.code).toBe('bad-field')
  },
)
