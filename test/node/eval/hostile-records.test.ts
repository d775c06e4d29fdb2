/** Runs and traces that someone else wrote: a sentence and a status for each, nothing printed or written that was not meant. */
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../cli/run-cli.js'
import { runEval, sayYes, solution, writeFiles } from './suite.js'

let directory: string
let files: Record<string, string>
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'polyfs-test-records-'))
  const suite = join(directory, 'suite')
  await writeFiles(join(suite, 'right'), sayYes)
  await writeFiles(directory, { 'calls.json': JSON.stringify(solution) })
  const out = join(directory, 'run')
  await runEval('run', suite, '--agent', `scripted:${join(directory, 'calls.json')}`, '--out', out)
  const [trace = ''] = await readdir(join(out, 'traces'))
  files = Object.fromEntries(
    await Promise.all(
      ['run.json', 'results.jsonl', `traces/${trace}`].map(async (name) => [
        name,
        await readFile(join(out, name), 'utf8'),
      ]),
    ),
  )
})

afterAll(() => rm(directory, { recursive: true }))

/** A copy of the run with one file changed. */
async function copyWith(name: string, change: (text: string) => string): Promise<{ out: string; trace: string }> {
  const out = await temporaryDirectory()
  await writeFiles(out, files)
  const [trace = ''] = await readdir(join(out, 'traces'))
  const file = join(out, name === 'trace' ? `traces/${trace}` : name)
  await writeFile(file, change(await readFile(file, 'utf8')))
  return { out, trace: join(out, 'traces', trace) }
}

type Fields = Record<string, unknown>
const withFields = (fields: Fields) => (text: string) => `${JSON.stringify({ ...JSON.parse(text), ...fields })}\n`
/** As `1e999`, which `JSON.stringify` does not write. */
const infinite = (text: string) => text.replaceAll('"INFINITE"', '1e999')
const script = '<script>alert(1)</script>'
const escapes = '\u001b]0;x\u0007\u009b2J\u202e\r'
const unprintable = /[\p{Cc}\p{Cf}]/u
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('a result', () => {
  const usage = { calls: 1, failedCalls: 0, turns: 0, inputTokens: 0, outputTokens: 0 }
  const wrong: Record<string, Fields> = {
    'markup for a count': { usage: { ...usage, calls: script } },
    'no counts': { usage: {} },
    'a cost that is a text': { usage: { ...usage, cost: script } },
    'an infinite count': { usage: { ...usage, calls: 'INFINITE' } },
    'an infinite value': { value: 'INFINITE' },
    'a value that is a text': { value: '1' },
    'no score but null': { scores: [null] },
    'a score that is markup': { scores: [{ name: 'a', value: script, reason: '' }] },
    'a score without a reason': { scores: [{ name: 'a', value: 0 }] },
    'a reason that is a number': { reason: 5 },
    'a path for a trial': { trial: '../../x' },
    'an infinite trial': { trial: 'INFINITE' },
    'a time that is a text': { wallMs: script },
    'an outcome that objects inherit': { outcome: 'constructor' },
  }
  test.each(Object.entries(wrong))('with %s is named, in reports and when scored again', async (_, fields) => {
    const { out } = await copyWith('results.jsonl', (text) => infinite(withFields(fields)(text)))
    for (const command of ['report', 'rescore']) {
      const { code, stdout, stderr } = await runEval(command, out)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('results.jsonl:1: not a result; remove the line')
    }
    expect((await readdir(out)).sort()).toEqual(['results.jsonl', 'run.json', 'traces'])
  })

  test('with markup and escape sequences in its texts shows them as text', async () => {
    const hostile = `${script}${escapes}`
    const { out } = await copyWith('results.jsonl', (text) =>
      withFields({ outcome: 'failed', reason: hostile, scores: [{ name: hostile, value: 0, reason: hostile }] })(text),
    )
    const page = join(out, 'page.html')
    const { code, stdout } = await runEval('report', out, '--html', page)
    expect(code).toBe(0)
    expect(stdout.replaceAll('\n', '')).not.toMatch(unprintable)
    const html = await readFile(page, 'utf8')
    expect(html).not.toContain('<script')
    expect(html).not.toContain('\u001b')
  })

  test('of a task outside the directory names no file there', async () => {
    const { out } = await copyWith('results.jsonl', withFields({ task: '../../../../etc/passwd' }))
    const { code, stdout } = await runEval('rescore', out)
    expect({ code, stdout }).toMatchObject({ code: 3, stdout: expect.stringContaining('passed -> infra') })
    expect(await readFile(join(out, 'rescored.jsonl'), 'utf8')).toContain('its trace is missing')
  })

  test('may have a key __proto__, and may be nested a million deep: neither counts', async () => {
    const { out } = await copyWith('results.jsonl', (text) =>
      text.replace('{', `{"__proto__":{"outcome":"failed"},"more":${deep(5000)},`),
    )
    expect(await runEval('report', out)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 passed') })
    await appendFile(join(out, 'results.jsonl'), `${deep(1_000_000)}\n`)
    expect(await runEval('report', out)).toMatchObject({ code: 2, stdout: '' })
  })
})

test.each<[string, Fields]>([
  ['invalid tasks', { tasks: [null] }],
  ['no settings', { settings: [] }],
  ['settings without suites', { settings: { agent: 'a', trials: 1, seed: 1 } }],
  ['an infinite number of trials', { settings: { suites: [], agent: 'a', trials: 'INFINITE', seed: 1 } }],
  ['no date', { startedAt: null }],
  ['the wrong version', { format: `polyfs-eval/2${escapes}` }],
])('a run with %s is refused in a sentence', async (_, fields) => {
  const { out } = await copyWith('run.json', (text) => infinite(withFields(fields)(text)))
  for (const command of ['report', 'rescore']) {
    expect(await runEval(command, out)).toEqual({
      code: 2,
      stdout: '',
      stderr: `polyfs: ${join(out, 'run.json')} is not of the format polyfs-eval/1; it may be from another version of polyfs\n`,
    })
  }
})

describe('a trace', () => {
  const first = (fields: Fields) => (text: string) => {
    const [line = '', ...others] = text.split('\n')
    return infinite([withFields(fields)(line).trim(), ...others].join('\n'))
  }
  const call = (fields: Fields) => (text: string) =>
    text
      .split('\n')
      .map((line) => (line.includes('"type":"call"') ? infinite(withFields(fields)(line).trim()) : line))
      .join('\n')
  const wrong: Record<string, (text: string) => string> = {
    'that is empty': () => '',
    'that is cut in the header': (text) => text.slice(0, 40),
    'of another version': first({ format: `polyfs-trace/9${escapes}` }),
    'with a root that is not text': first({ root: {} }),
    'with an infinite seed': first({ seed: 'INFINITE' }),
    'with a time that is a text': first({ startMs: 'now' }),
    'with no limits': first({ limits: null }),
    'with a budget that is a list': first({ budget: [] }),
    'with variables that are not texts': first({ env: { PATH: 5 } }),
    'with a dialect that objects inherit': first({ dialect: 'constructor' }),
    'of a task that objects inherit': first({ task: '__proto__' }),
    'with a tool that is not text': call({ tool: 5 }),
    'with an invalid result': call({ result: null }),
    'with a line that is too deep': (text) => text.replace('\n', `\n${deep(1_000_000)}\n`),
    'with an event that objects inherit': (text) => text.replace('\n', '\n{"type":"constructor"}\n'),
  }
  test.each(Object.entries(wrong))('%s is refused in a sentence, and is not scored again', async (what, change) => {
    const { out, trace } = await copyWith('trace', change)
    const { code, stdout, stderr } = await runEval('replay', trace)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^polyfs: .+\n$/)
    expect(stderr.replaceAll('\n', '')).not.toMatch(unprintable)
    // Scoring again goes by the task of the result.
    if (!what.startsWith('of a task')) expect((await runEval('rescore', out)).code).toBe(3)
  })

  test.each<[string, Fields]>([
    ['a tool that objects inherit', { tool: 'constructor' }],
    ['arguments that are deep', { args: JSON.parse(deep(3000)) }],
    ['a path that leads out', { args: { path: '../../../../tmp/out.txt', content: 'x' } }],
    ['another result', { result: { content: [{ type: 'text', text: escapes }] } }],
  ])('whose call has %s diverges', async (_, fields) => {
    const { trace } = await copyWith('trace', call(fields))
    const { code, stdout } = await runEval('replay', trace)
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('Call 1 is not as recorded') })
    expect(stdout.replaceAll('\n', '')).not.toMatch(unprintable)
  })
})
