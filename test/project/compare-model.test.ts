/** `npm run compare -- agents --model`, with a model's API that is faked in both formats. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { providers } from '../compare/agents/model/providers.mjs'
import { runModel } from '../compare/agents/model/run.mjs'
import { help, readOptions } from '../compare/agents/options.mjs'
import { openSession } from '../compare/agents/session.mjs'
import { introduction, tasks } from '../compare/agents/tasks/index.mjs'
import { startOurs } from '../compare/servers.mjs'
import { temporaryDirectory } from '../node/cli/run-cli.js'
import { isFull, longTest } from '../scale.js'
import { fakeModel, type Provider, type Reply } from './fake-model.js'

const key = 'sk-secret-of-the-test'
const ids = tasks.map(({ id }) => id)
const fix = [
  'edit_file',
  { path: 'src/core/periods.js', old_string: 'Math.floor(monthOf', new_string: 'Math.ceil(monthOf' },
] as const

describe.each(isFull ? (['openai', 'anthropic'] as const) : (['openai'] as const))('%s', (provider) => {
  test('a model that makes the right calls scores, and both sides of the talk are sent back to it', async () => {
    const { code, line, received } = await run(provider, [
      { text: 'Let me look.', calls: [['grep', { pattern: 'unknown period', path: 'src' }]] },
      { calls: [fix] },
      { text: 'Fixed.' },
    ])
    expect(code).toBe(0)
    expect(line).toMatchObject({
      task: 'period-bug',
      trial: 1,
      server: 'polyfs',
      right: true,
      stopped: 'answered',
      calls: 2,
      failed: 0,
      tokens: { input: 300, output: 30 },
    })
    expect(line.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(received.map(({ body }) => body.messages.length)).toEqual(provider === 'openai' ? [2, 4, 6] : [1, 3, 5])
    expect(JSON.stringify(received[1]?.body.messages)).toContain('throw new RangeError(`unknown period')
    expect(JSON.stringify(received[0]?.body)).toContain(introduction.slice(0, 40))
  })

  longTest('a model that only talks does not score, and the run succeeds', async () => {
    const { code, line, printed } = await run(provider, [{ text: 'All done.' }])
    expect(code).toBe(0)
    expect(line).toMatchObject({ right: false, calls: 0, stopped: 'answered' })
    expect(line.fault).toMatch(/^the code gives/)
    expect(printed).toContain('| tasks right | 0 of 1 |')
  })

  test('an unknown tool and arguments that are not JSON are failed calls that the model hears of', async () => {
    const { line, received } = await run(provider, [
      {
        calls: [
          ['no_such_tool', {}],
          ['grep', '{"pattern": "unknown'],
          ['grep', '[1]'],
        ],
      },
      { calls: [fix] },
      { text: 'Fixed.' },
    ])
    expect(line).toMatchObject({ right: true, calls: 4, failed: 3 })
    const replies = JSON.stringify(received[1]?.body.messages.slice(provider === 'openai' ? 3 : 2))
    expect(replies.match(/call-1-\d/g)).toEqual(['call-1-0', 'call-1-1', 'call-1-2'])
    expect(replies.match(/not a JSON object/g)).toHaveLength(2)
    const echoed = JSON.stringify(received[1]?.body.messages[provider === 'openai' ? 2 : 1])
    expect(echoed).not.toContain('unknown')
    expect(echoed.match(/"(arguments":"\{\}"|input":\{\})/g)).toHaveLength(3)
  })

  longTest('a request is repeated after 429 and 5xx', async () => {
    const { code, line, received } = await run(provider, [
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 529, body: 'overloaded' },
      { calls: [fix] },
      { text: 'Fixed.' },
    ])
    expect(code).toBe(0)
    expect(line).toMatchObject({ right: true, calls: 1 })
    expect(received).toHaveLength(4)
  })

  test('an API that keeps failing is given up, and the run fails', async () => {
    const { code, line, received, printed } = await run(provider, [{ status: 500, body: 'broken' }])
    expect(code).toBe(1)
    expect(printed).toContain('| no answer, 0 calls, ')
    expect(received).toHaveLength(5)
    expect(line).toMatchObject({ right: false, stopped: 'error' })
    expect(line.fault).toBe('no answer from the model: status 500: broken (5 attempts)')
  })

  longTest('an API that stalls is given up', async () => {
    const { code, line } = await run(provider, ['stall'], { timeoutMs: 100 })
    expect(code).toBe(1)
    expect(line.fault).toBe('no answer from the model: no answer within 0.1 s (5 attempts)')
  })

  longTest('an answer that is not what the API promises is an error of this trial', async () => {
    for (const body of ['<html>', '{"unexpected":true}', '[]', 'null']) {
      const { code, line, received } = await run(provider, [{ status: 200, body }])
      expect({ code, requests: received.length, stopped: line.stopped }).toEqual({
        code: 1,
        requests: 1,
        stopped: 'error',
      })
    }
  })

  test('a model that never stops is stopped after --max-calls, also within one message', async () => {
    const look = ['grep', { pattern: 'fax', path: 'src' }] as const
    const { code, line, reported } = await run(provider, [{ calls: [look, look, look] }], { maxCalls: 7 })
    expect(code).toBe(0)
    expect(reported).toMatch(/, 7 calls, stopped by --max-calls$/)
    expect(line).toMatchObject({ right: false, calls: 7, stopped: 'calls' })
  })

  longTest('a model that reads too much is stopped after --max-tokens', async () => {
    const { line, received } = await run(provider, [{ calls: [['workspace', {}]] }], { maxTokens: 300 })
    expect(line).toMatchObject({ calls: 3, stopped: 'tokens' })
    expect(received).toHaveLength(3)
  })

  test('a key that is refused ends the run at once', async () => {
    const { code, lines, received } = await run(provider, [{ status: 401, body: `bad key ${key}` }], { trials: 3 })
    expect(code).toBe(1)
    expect(received).toHaveLength(1)
    expect(lines).toHaveLength(1)
  })

  test('the key is sent to the API, and appears nowhere else', async () => {
    const { received, printed, reported, transcript } = await run(provider, [
      { text: `My key is ${key}`, calls: [['grep', { pattern: key }]] },
      { status: 400, body: `unexpected ${key}` },
    ])
    const { authorization, 'x-api-key': apiKey } = received[0]?.headers ?? {}
    expect(provider === 'openai' ? authorization : apiKey).toBe(provider === 'openai' ? `Bearer ${key}` : key)
    expect(transcript).toContain('My key is [key]')
    for (const text of [printed, reported, transcript]) expect(text).not.toContain(key)
  })

  longTest('a redirect is not followed', async () => {
    const elsewhere = await fakeModel(provider, [{ text: 'Hand it over.' }])
    const { code } = await run(provider, [{ status: 307, headers: { location: elsewhere.baseUrl } }])
    expect(code).toBe(1)
    expect(elsewhere.received).toEqual([])
  })
})

test.each([
  ['an object', { pattern: 'x' }, { pattern: 'x' }],
  ['text', '{"pattern":"x"}', { pattern: 'x' }],
  ['nothing', '', {}],
  ['left out', undefined, {}],
  ['null', null, undefined],
  ['a list', '[]', undefined],
])('arguments may be an object or its text: %s', (_, given, args) => {
  const message = { tool_calls: [{ id: '1', function: { name: 'grep', arguments: given } }] }
  const conversation = providers.openai.open({ model: 'any', system: '', prompt: '', tools: [] })
  expect(conversation.take({ choices: [{ message }] }).calls.map((call) => call.args)).toEqual([args])
})

test('an answer is judged as well as files are', async () => {
  const log = tasks.find(({ id }) => id === 'log')
  const fault = await log?.check({ root: '', answer: 'ANSWER: 1 2 3' })
  const right = /not (.*)$/.exec(String(fault))?.[1]
  const { line } = await run('openai', [{ text: `I looked.\n\n**ANSWER: ${right}**` }], { tasks: ['log'] })
  expect(line).toMatchObject({ right: true })
})

longTest('each trial begins with a fresh copy of the repository', async () => {
  const { lines, printed } = await run('openai', [{ calls: [fix] }, { text: 'Fixed.' }, { text: 'Already done.' }], {
    trials: 2,
  })
  expect(lines.map(({ right }) => right)).toEqual([true, false])
  expect(printed).toContain('| fix a bug from its report: periods | 1 of 2, 1 call, 0.')
})

test('a long result is cut', async () => {
  const { received } = await run('openai', [
    { calls: [['read_file', { path: 'logs/server.log', limit: 200_000, max_tokens: 1_000_000 }]] },
    { text: 'Too long.' },
  ])
  expect(JSON.stringify(received[1]?.body).length).toBeLessThan(300_000)
})

test('a server does not get the key', async () => {
  process.env.POLYFS_MODEL_KEY = key
  const session = await openSession(startOurs)
  try {
    const { text } = await session.call('bash', { command: 'env' })
    expect(text).toContain('PATH=')
    expect(text).not.toContain(key)
  } finally {
    delete process.env.POLYFS_MODEL_KEY
    session.close()
  }
})

test('without a key and an address of its own, nothing is sent', async () => {
  const reported: string[] = []
  const options = readOptions(['--model', 'any', '--provider', 'anthropic'], ids)
  const code = await runModel({ options, tasks, starts: {}, env: {}, report: (text: string) => reported.push(text) })
  expect(code).toBe(2)
  expect(reported).toEqual(['compare agents: set POLYFS_MODEL_KEY or ANTHROPIC_API_KEY'])
})

test.each([
  [['--tasks', 'rename,nothing'], /^--tasks: there is no nothing; there are rename, /],
  [['--servers', 'other'], '--servers: there is no other; there are polyfs, official'],
  [['--out', 'file'], '--out needs --model'],
  [['--model', 'any', '--provider', 'other'], '--provider is openai or anthropic'],
  [['--model', 'any', '--base-url', 'file:///etc'], '--base-url takes an http or https address'],
  [['--model', 'any', '--trials', '0'], '--trials takes a whole number from 1'],
  [['--model', 'any', '--max-calls', 'many'], '--max-calls takes a whole number from 1'],
  [['--key', 'secret'], /^Unknown option '--key'/],
])('%j is rejected', (argv, reason) => {
  expect(readOptions(argv, ids)).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason))
})

test('the help names every task and every option', () => {
  const text = help(tasks)
  for (const { id } of tasks) expect(text).toContain(`\n  ${id} `)
  for (const option of [
    'tasks',
    'servers',
    'model',
    'provider',
    'base-url',
    'trials',
    'out',
    'max-calls',
    'max-tokens',
    'timeout',
  ])
    expect(text).toContain(`\n  --${option} `)
})

interface Line {
  task: string
  right: boolean
  fault?: string
  stopped: string
  messages: { role: string }[]
}

/** Runs one task with polyfs, and returns what was sent, printed and written. */
async function run(
  provider: Provider,
  replies: readonly Reply[],
  { tasks: chosen = ['period-bug'], ...limits }: { tasks?: string[]; [limit: string]: unknown } = {},
) {
  const { baseUrl, received } = await fakeModel(provider, replies)
  const out = join(await temporaryDirectory(), 'transcripts.jsonl')
  const argv = ['--model', 'any', '--provider', provider, '--base-url', `${baseUrl}/`, '--out', out]
  const printed: string[] = []
  const reported: string[] = []
  const code = await runModel({
    options: { ...Object(readOptions(argv, ids)), ...limits },
    tasks: tasks.filter(({ id }) => chosen.includes(id)),
    starts: { polyfs: (root: string) => startOurs(root, '--no-shell') },
    env: { POLYFS_MODEL_KEY: key },
    print: (text: string) => printed.push(text),
    report: (text: string) => reported.push(text),
    pauseMs: 1,
  })
  const transcript = await readFile(out, 'utf8')
  const lines: Line[] = transcript
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const [line] = lines
  if (line === undefined) throw new Error('no transcript was written')
  return { code, line, lines, received, transcript, printed: printed.join('\n'), reported: reported.join('\n') }
}
