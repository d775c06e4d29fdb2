import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadSuite } from '../../../harness/tasks/load-suite.js'
import { parseTrace } from '../../../harness/trace/trace.js'
import { servedEpisodes } from '../../../node/eval/serve/episodes.js'
import { type ServeEpisodesOptions, serveEpisodes } from '../../../node/eval/serve/server.js'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { scaled } from '../../scale.js'
import { built } from '../cli/built.js'
import { suiteFiles } from './greeting-suite.js'

const suite = await loadSuite(memory(suiteFiles), '/suite')
const shell = emulatedShell({ worker: built('node/emulated-worker.js') })

async function start(options: Partial<ServeEpisodesOptions> = {}) {
  const faults: unknown[] = []
  const server = await serveEpisodes({ suite, shell, onFault: (fault) => faults.push(fault), ...options })
  onTestFinished(async () => {
    await server.close()
    expect(faults).toEqual([])
  })
  return {
    server,
    async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const isBytes = body instanceof Uint8Array
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: isBytes ? body.slice() : JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = /^application\/json(;|$)/.test(response.headers.get('content-type') ?? '')
      return { status: response.status, body: isJson ? JSON.parse(text) : text }
    },
  }
}

type Ask = Awaited<ReturnType<typeof start>>['ask']

async function opened(ask: Ask, more: object = {}): Promise<string> {
  const { status, body } = await ask('POST', '/episodes', { task: 'greeting', ...more })
  expect(status).toBe(201)
  return `/episodes/${body.id}`
}

describe('an episode over HTTP', () => {
  test('is opened, worked on, scored and deleted', async () => {
    const { server, ask } = await start()
    expect((await ask('GET', '/tasks')).body).toMatchObject({
      tasks: [{ id: 'greeting', instruction: 'Write hello into greeting.txt.\n' }],
      skipped: [{ id: 'container', reason: expect.stringContaining('RUN') }],
    })
    const { body: info } = await ask('POST', '/episodes', { task: 'greeting', seed: 7 })
    expect(info).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      task: 'greeting',
      seed: 7,
      root: '/app',
      instruction: 'Write hello into greeting.txt.\n',
      mcpUrl: `${server.url}/episodes/${info.id}/mcp`,
    })
    const at = `/episodes/${info.id}`
    expect((await ask('GET', at)).body).toEqual(info)
    expect((await ask('POST', `${at}/score`)).body).toMatchObject({ value: 0, passed: false })
    expect(
      (await ask('POST', `${at}/call`, { tool: 'write_file', args: { path: 'greeting.txt', content: 'hello\n' } }))
        .body,
    ).toMatchObject({ isError: false, text: expect.stringContaining('greeting.txt') })
    expect((await ask('POST', `${at}/score`, { answer: 'done' })).body).toMatchObject({ value: 1, passed: true })
    expect((await ask('GET', `${at}/changes`)).body).toEqual({
      changes: [{ path: '/app/greeting.txt', change: 'added', kind: 'file' }],
      stateHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect((await ask('DELETE', at)).status).toBe(204)
    expect(await ask('GET', at)).toEqual({
      status: 410,
      body: { error: { code: 'episode-ended', message: 'The episode has ended: it was deleted.' } },
    })
  })

  test('gives a trace that can be replayed, with the scores until another call is made', async () => {
    const { ask } = await start()
    const at = await opened(ask)
    await ask('POST', `${at}/call`, { tool: 'read_file', args: { path: 'notes.txt' } })
    const typesOf = async () => parseTrace((await ask('GET', `${at}/trace`)).body).events.map(({ type }) => type)
    expect(await typesOf()).toEqual(['header', 'call'])
    await ask('POST', `${at}/score`)
    expect(await typesOf()).toEqual(['header', 'call', 'score'])
    await ask('POST', `${at}/call`, { tool: 'read_file', args: { path: 'notes.txt' } })
    expect(await typesOf()).toEqual(['header', 'call', 'call'])
  })

  test('forks: both go on from there', async () => {
    const { ask } = await start()
    const at = await opened(ask)
    await ask('POST', `${at}/call`, { tool: 'write_file', args: { path: 'greeting.txt', content: 'hello\n' } })
    const { status, body: fork } = await ask('POST', `${at}/fork`, {})
    expect(status).toBe(201)
    const forked = `/episodes/${fork.id}`
    await ask('POST', `${at}/call`, { tool: 'delete', args: { path: 'greeting.txt' } })
    expect((await ask('POST', `${forked}/score`)).body.value).toBe(1)
    expect((await ask('POST', `${at}/score`)).body.value).toBe(0)
  })

  test('runs commands, and reads and writes files, of any bytes and names', async () => {
    const { ask } = await start()
    const at = await opened(ask)
    const exec = await ask('POST', `${at}/exec`, {
      command: 'cat; echo $X >&2; pwd; exit 3',
      stdin: 'in\n',
      env: { X: 'y' },
      cwd: '/',
    })
    expect(exec.body).toEqual({ ended: 'exit', exitCode: 3, stdout: 'in\n/\n', stderr: 'y\n', truncated: false })
    const path = `${at}/files/app/${encodeURIComponent('a b/ü?#%.bin').replace('%2F', '/')}`
    expect((await ask('PUT', path, new Uint8Array([91, 91, 255, 0, 123]))).status).toBe(204)
    const response = await ask('POST', `${at}/exec`, { command: "od -An -tx1 'a b/ü?#%.bin'" })
    expect(response.body.stdout.trim()).toBe('5b 5b ff 00 7b')
    expect((await ask('GET', `${at}/files/app`)).body).toEqual({
      entries: [
        { name: 'a b', kind: 'directory' },
        { name: 'notes.txt', kind: 'file' },
      ],
    })
    expect(await ask('GET', `${at}/files/app/notes.txt`)).toEqual({ status: 200, body: 'some notes\n' })
    expect(await ask('GET', `${at}/files/app/missing`)).toEqual({
      status: 404,
      body: { error: { code: 'NOT_FOUND', message: 'not found: /app/missing' } },
    })
  })

  test('is served over MCP, where its calls are recorded like others', async () => {
    const { server, ask } = await start()
    const at = await opened(ask)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}${at}/mcp`)))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('write_file')
    await client.callTool({ name: 'write_file', arguments: { path: 'greeting.txt', content: 'hello\n' } })
    await client.close()
    expect((await ask('POST', `${at}/score`)).body.value).toBe(1)
    expect((await ask('GET', `${at}/trace`)).body).toContain('"tool":"write_file"')
    expect((await ask('GET', `${at}/tools`)).body.tools.map(({ name }: { name: string }) => name)).toEqual(
      tools.map(({ name }) => name),
    )
  })

  test('gives the same transcript for the same seed and calls', async () => {
    const { ask } = await start()
    const transcripts: string[] = []
    for (let turn = 0; turn < 2; turn += 1) {
      const at = await opened(ask, { seed: 5 })
      for (const command of ['echo $RANDOM; date; mktemp', 'ls -la'])
        await ask('POST', `${at}/call`, { tool: 'bash', args: { command } })
      transcripts.push((await ask('GET', `${at}/trace`)).body.replaceAll(/"wallMs":\d+/g, ''))
    }
    expect(transcripts[1]).toBe(transcripts[0])
  })

  test('ends its calls with the budget', async () => {
    const { ask } = await start()
    const at = await opened(ask, { budget: { calls: 1 } })
    const call = { tool: 'read_file', args: { path: 'notes.txt' } }
    expect((await ask('POST', `${at}/call`, call)).body).toMatchObject({ isError: false, exhausted: 'calls' })
    expect((await ask('POST', `${at}/call`, call)).body).toMatchObject({ isError: true, exhausted: 'calls' })
  })

  test('answers calls of unknown tools with a result', async () => {
    const { ask } = await start()
    const at = await opened(ask)
    expect((await ask('POST', `${at}/call`, { tool: 'none' })).body).toMatchObject({ isError: true })
  })
})

describe('a server of episodes', () => {
  test('opens only so many at once', async () => {
    const { ask } = await start({ maxEpisodes: 3 })
    const many = await Promise.all(Array.from({ length: 10 }, () => ask('POST', '/episodes', { task: 'greeting' })))
    expect(many.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(many.find(({ status }) => status !== 201)).toEqual({
      status: 503,
      body: {
        error: {
          code: 'too-many-episodes',
          message:
            '3 episodes are open, which is the limit: end one with DELETE, or start the server with a higher --max-episodes.',
        },
      },
    })
    const [first] = many.filter(({ status }) => status === 201)
    expect((await ask('POST', `/episodes/${first?.body.id}/fork`)).status).toBe(503)
    await ask('DELETE', `/episodes/${first?.body.id}`)
    await opened(ask)
  })

  test('ends episodes that nobody uses, and says so', async () => {
    let nowMs = 0
    const episodes = servedEpisodes({
      suite,
      maxEpisodes: 10,
      maxMemoryBytes: 1 << 30,
      idleMs: 60_000,
      now: () => nowMs,
    })
    const [idle, busy, used] = [
      await episodes.open({ task: 'greeting', seed: 1 }),
      await episodes.open({ task: 'greeting', seed: 1 }),
      await episodes.open({ task: 'greeting', seed: 1 }),
    ]
    const release = busy.hold()
    nowMs = 50_000
    await used.use(async () => {})
    nowMs = 61_000
    await episodes.sweep()
    expect(episodes.count).toBe(2)
    expect(() => episodes.get(idle.id)).toThrow('The episode has ended: nobody used it for 1 minutes.')
    release()
    nowMs = 200_000
    await episodes.sweep()
    expect(episodes.count).toBe(0)
  })

  test('requires its token, and refuses other hosts and pages', async () => {
    const { server, ask } = await start({ token: 'secret-token-of-the-test' })
    expect((await ask('GET', '/tasks')).status).toBe(401)
    const authorization = 'Bearer secret-token-of-the-test'
    expect((await ask('GET', '/tasks', undefined, { authorization })).status).toBe(200)
    expect((await ask('GET', '/tasks', undefined, { authorization, origin: 'https://evil.example' })).status).toBe(403)
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:/)
  })

  test.for([
    ['POST', '/episodes', {}, 400, 'The field task must be a text; it is missing.'],
    ['POST', '/episodes', { task: 'x' }, 404, 'There is no task "x"; GET /tasks lists them.'],
    ['POST', '/episodes', { task: 'container' }, 422, "The task container can't be run here: "],
    ['POST', '/episodes', { task: 'greeting', seed: 1.5 }, 400, 'The field seed must be a whole number; it is 1.5.'],
    [
      'POST',
      '/episodes',
      { task: 'greeting', sede: 1 },
      400,
      'There is no field "sede", only task, seed, budget, faults.',
    ],
    [
      'POST',
      '/episodes',
      { task: 'greeting', budget: { call: 1 } },
      400,
      'The field budget must be an object with some of calls, turns, tokens, bytes, each a whole number; it is {"call":1}.',
    ],
    [
      'POST',
      '/episodes',
      { task: 'greeting', faults: { rate: 2 } },
      400,
      'rate of a fault schedule must be a number from 0 to 1, not 2.',
    ],
    ['POST', '/episodes', [1], 400, 'The body must be a JSON object.'],
    ['POST', '/episodes', new Uint8Array([123, 255]), 400, 'The body is not JSON.'],
    ['GET', '/episodes', undefined, 405, '/episodes takes POST, not GET.'],
    ['GET', '/episodes/none', undefined, 404, 'There is no episode "none".'],
    ['GET', '/other', undefined, 404, 'There is no GET /other.'],
    ['POST', 'ID/other', {}, 404, 'There is no POST /episodes/'],
    ['GET', 'ID/call', undefined, 405, ' takes POST, not GET.'],
    ['POST', 'ID/tools', {}, 405, ' takes GET, not POST.'],
    ['POST', 'ID/call', { args: {} }, 400, 'The field tool must be a text; it is missing.'],
    [
      'POST',
      'ID/exec',
      { command: 'true', timeoutMs: 0 },
      400,
      'The field timeoutMs must be a whole number from 1; it is 0.',
    ],
    [
      'POST',
      'ID/exec',
      { command: 'true', env: { A: 1 } },
      400,
      'The field env must be an object of texts; it is {"A":1}.',
    ],
    ['POST', 'ID/exec', { command: 'true', cwd: '/none' }, 404, 'not found: /none'],
    ['POST', 'ID/fork', { seed: 'a' }, 400, 'The field seed must be a whole number; it is "a".'],
    ['GET', 'ID/files/%ff', undefined, 400, 'The path of the file is not percent-encoded UTF-8.'],
    ['POST', 'ID/files/a', {}, 405, ' takes GET, PUT, not POST.'],
    ['PUT', 'ID/files/app', new Uint8Array(1), 409, 'is a directory: /app'],
    ['PUT', 'ID/files/app/%00', new Uint8Array(1), 409, 'invalid path: '],
    ['GET', 'ID/files/app/../../../etc/passwd', undefined, 404, 'There is no '],
  ] as const)('answers with a sentence: %s %s %j', async ([method, path, body, status, message]) => {
    const { ask } = await start()
    const at = await opened(ask)
    const answer = await ask(method, path.replace('ID', at), body)
    expect(answer.body.error.message).toContain(message)
    expect(answer.status).toBe(status)
  })

  test('refuses bodies that are too large', async () => {
    const { ask } = await start({ maxMessageBytes: 1000 })
    const at = await opened(ask)
    const answer = await ask('PUT', `${at}/files/app/a`, new Uint8Array(2000))
    expect(answer).toEqual({
      status: 413,
      body: { error: { code: 'bad-body', message: 'Message longer than 1000 bytes.' } },
    })
  })

  test('calls a scorer that fails missing data, not a score', async () => {
    const [task] = suite.tasks
    if (task === undefined) throw new Error('no task')
    const broken = { ...task, score: [() => Promise.reject(new Error('no judge'))] }
    const { ask } = await start({ suite: { tasks: [broken], skipped: [] } })
    const at = await opened(ask)
    expect(await ask('POST', `${at}/score`)).toEqual({
      status: 502,
      body: { error: { code: 'infra', message: 'There is no score: a scorer failed: no judge.' } },
    })
  })

  test('answers any request, and no internal error is behind it', { timeout: 60_000 }, async () => {
    const { server, ask } = await start({ maxMessageBytes: 10_000, maxEpisodes: 5 })
    const at = await opened(ask)
    const id = at.slice('/episodes/'.length)
    const segment = fc.constantFrom(
      '',
      'episodes',
      'tasks',
      id,
      'call',
      'exec',
      'fork',
      'score',
      'files',
      'mcp',
      'trace',
      'constructor',
      'toString',
      '..',
      '%2e%2e',
      '%00',
      'app',
    )
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constantFrom(null, true, {}, [], 'greeting', 'read_file', 'true'),
      fc.object({ maxDepth: 1 }),
    )
    const field = fc.constantFrom(
      'task',
      'seed',
      'budget',
      'faults',
      'tool',
      'args',
      'command',
      'cwd',
      'env',
      'stdin',
      'timeoutMs',
      'answer',
      '__proto__',
    )
    const body = fc.oneof(
      fc.dictionary(field, value).map((fields) => JSON.stringify(fields)),
      fc.string({ unit: 'binary' }),
      fc.constant('['.repeat(9000)),
    )
    const request = fc.record({
      method: fc.oneof(
        { weight: 3, arbitrary: fc.constant('POST') },
        fc.constantFrom('GET', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'),
      ),
      path: fc.oneof(
        fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`),
        fc.constantFrom('call', 'exec', 'fork', 'score', 'files/app/a', 'mcp').map((what) => `${at}/${what}`),
        fc.constant('/episodes'),
      ),
      body,
    })
    const seen = new Set<number>()
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, body: content }) => {
        // Its own episode must stay for the others.
        if (method === 'DELETE' && path === at) return
        const hasBody = method !== 'GET' && method !== 'HEAD'
        const sent = fetch(`${server.url}${path}`, { method, ...(hasBody && { body: content }) })
        const response = await sent.catch((error) => {
          // A body that is refused before all of it has arrived meets a closed connection now and then.
          if (error.cause?.code === 'ECONNRESET' || error.cause?.code === 'EPIPE') return undefined
          throw error
        })
        if (response === undefined) return
        const text = await response.text()
        seen.add(response.status)
        expect(response.status).not.toBe(500)
        if (response.status < 400 || method === 'HEAD') return
        expect(JSON.parse(text).error.message).toMatch(/\S/)
      }),
      { numRuns: scaled(1000) },
    )
    expect([...seen]).toEqual(expect.arrayContaining([400, 404, 405]))
    expect((await ask('GET', '/tasks')).status).toBe(200)
  })
})
