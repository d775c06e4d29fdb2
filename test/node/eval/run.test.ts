import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EpisodeResult } from '../../../harness/run-types.js'
import { readRun } from '../../../node/eval/results/run-directory.js'
import { longTest } from '../../scale.js'
import { runCli, temporaryDirectory } from '../cli/run-cli.js'
import { runEval, sayYes, solution, writeSuite } from './suite.js'

async function newDirectory(): Promise<string> {
  return join(await temporaryDirectory(), 'run')
}

/** What a run says, without times and its random id; sorted. */
function essence(directory: string): unknown[] {
  const results = readRun(directory).results.map(({ wallMs: _, run: __, ...rest }: EpisodeResult) => rest)
  return results.sort((a, b) => (`${a.task} ${a.trial}` < `${b.task} ${b.trial}` ? -1 : 1))
}

/** An agent of the user's. `log` gets a line for every episode. */
async function agentModule(body: string): Promise<string> {
  const file = join(await temporaryDirectory(), 'agent.mjs')
  await writeFile(file, `export default { name: 'mine', async run({ episode, task, signal }) { ${body} } }\n`)
  return file
}

test('oracle: everything passes, and the directory has all files', async () => {
  const suite = await writeSuite({ one: sayYes, two: sayYes })
  const out = await newDirectory()
  const { code, stdout, stderr } = await runEval('run', suite, '--trials', '2', '--out', out)
  expect(stdout).toBe(`4 passed
pass rate  100.0 % (100.0 to 100.0)
score      100.0 % (100.0 to 100.0)
pass@k     1: 100.0 %, 2: 100.0 %
pass^k     1: 100.0 %, 2: 100.0 %
coverage   100.0 %, 4 of 4 episodes
usage      4 calls (0 failed)
results    ${out}
`)
  expect(stderr.split('\n').filter((line) => /^\d\/4 {2}(one|two) #[12] {2}passed$/.test(line)).length).toBe(4)
  expect(code).toBe(0)
  expect((await readdir(out)).sort()).toEqual([
    ...['junit.xml', 'report.html', 'results.jsonl', 'run.json', 'summary.json', 'traces'],
  ])
  expect((await readdir(join(out, 'traces'))).sort()).toEqual([
    ...['one.oracle.1.jsonl', 'one.oracle.2.jsonl', 'two.oracle.1.jsonl', 'two.oracle.2.jsonl'],
  ])
  expect(JSON.parse(await readFile(join(out, 'summary.json'), 'utf8')).passRate.value).toBe(1)
})

longTest('trials have seeds of their own, and a run can be repeated exactly', async () => {
  const suite = await writeSuite({ one: sayYes })
  const script = join(await temporaryDirectory(), 'calls.json')
  await writeFile(script, JSON.stringify([{ tool: 'bash', args: { command: 'echo $RANDOM > answer.txt' } }]))
  const [first, second] = [await newDirectory(), await newDirectory()]
  const options = ['--agent', `scripted:${script}`, '--trials', '3', '--seed', '11']
  await runEval('run', suite, ...options, '--out', first)
  await runEval('run', suite, ...options, '--threads', '2', '--parallel', '3', '--out', second)
  expect(essence(second)).toEqual(essence(first))
  expect(
    readRun(first)
      .results.map(({ seed }) => seed)
      .sort(),
  ).toEqual([11, 12, 13])
  const hashes = readRun(first).results.map(({ transcriptHash }) => transcriptHash)
  expect(new Set(hashes).size).toBe(3)
})

describe('exit codes', () => {
  test('1 below --fail-under, 0 at it', async () => {
    const suite = await writeSuite({ one: sayYes, two: { ...sayYes, 'solution/solve.sh': 'true\n' } })
    const below = await runEval('run', suite, '--fail-under', '0.51', '--out', await newDirectory())
    expect(below.code).toBe(1)
    expect(below.stderr).toContain('polyfs: the pass rate is 0.500, below 0.51\n')
    expect((await runEval('run', suite, '--fail-under', '0.5', '--out', await newDirectory())).code).toBe(0)
  })

  test('3 when results are missing, whatever the rate; --resume runs only those again', async () => {
    const suite = await writeSuite({ one: sayYes, two: sayYes })
    const [out, script] = [await newDirectory(), join(await temporaryDirectory(), 'calls.json')]
    await writeFile(script, JSON.stringify({ one: solution }))
    const options = ['--agent', `scripted:${script}`, '--out', out]
    const { code, stdout, stderr } = await runEval('run', suite, ...options, '--fail-under', '1')
    expect(code).toBe(3)
    expect(stdout).toContain('1 passed, 1 infra\npass rate  100.0 %')
    expect(stdout).toContain('coverage   50.0 %, 1 of 2 episodes\n')
    expect(stderr).toContain('polyfs: 1 of 2 episodes have no result; --resume runs them again\n')
    const again = await runEval('run', '--resume', '--out', out)
    expect(again.code).toBe(3)
    expect(again.stderr).toContain(`2/2  two #1  infra: ${script} has no calls for this task\n`)
    expect(again.stderr).not.toContain('one #1')
  })
})

test('a task that needs more is skipped with its reason, and is not part of any rate', async () => {
  const unsuitable = { ...sayYes, 'environment/Dockerfile': 'FROM debian\nRUN apt-get install gcc\n' }
  const suite = await writeSuite({ one: sayYes, two: unsuitable })
  const out = await newDirectory()
  const { code, stdout } = await runEval('run', suite, '--trials', '2', '--out', out)
  expect(code).toBe(0)
  expect(stdout).toContain('2 passed, 1 skipped\n')
  expect(stdout).toContain('coverage   100.0 %, 2 of 2 episodes\n')
  const again = await runEval('run', '--resume', '--out', out)
  expect(again.stdout).toBe(stdout)
  expect(readRun(out).results.find(({ task }) => task === 'two')?.reason).toMatch(/RUN/)
})

test('agents of the user: errors, answers and what ends them', async () => {
  const checks = '[[check]]\nfile = "answer.txt"\nequals = "yes\\n"\n[metadata.polyfs]\n'
  const suite = await writeSuite({
    crash: sayYes,
    endless: sayYes,
    fine: sayYes,
    hang: {
      ...sayYes,
      'task.toml': '[agent]\ntimeout_sec = 0.2\n',
      'tests/checks.toml': checks.split('[metadata')[0] ?? '',
    },
  })
  const agent = await agentModule(`
    if (task.id === 'crash') throw new Error('broken')
    if (task.id === 'hang') await new Promise(() => {})
    for (let i = 0; task.id === 'endless' && episode.exhausted === undefined; i += 1) await episode.tools.call('read_file', { path: 'answer.txt' })
    await episode.tools.call('write_file', { path: 'answer.txt', content: 'yes\\n' })
    return { answer: 'done' }`)
  const out = await newDirectory()
  const { code } = await runEval('run', suite, '--agent', agent, '--max-calls', '5', '--retries', '1', '--out', out)
  expect(code).toBe(3)
  const { results } = readRun(out)
  expect(
    Object.fromEntries(results.map(({ task, outcome, reason, attempts }) => [task, [outcome, reason, attempts]])),
  ).toEqual({
    crash: ['agent-error', 'broken', 1],
    endless: ['budget', 'the budget of calls is used up', 1],
    fine: ['passed', undefined, 1],
    hang: ['infra', 'it took longer than 0.2 s', 2],
  })
  expect(results.every(({ agent: name }) => name === 'mine')).toBe(true)
})

test('a thread that dies takes down its episodes only, and they are tried again', async () => {
  const suite = await writeSuite({ deadly: sayYes, fine: sayYes, other: sayYes })
  const agent = await agentModule(`
    if (task.id === 'deadly') process.exit(1)
    await new Promise((done) => setTimeout(done, 50))
    await episode.tools.call('write_file', { path: 'answer.txt', content: 'yes\\n' })
    return { answer: '' }`)
  const out = await newDirectory()
  const { code } = await runEval('run', suite, '--agent', agent, '--threads', '2', '--parallel', '2', '--out', out)
  expect(code).toBe(3)
  expect(Object.fromEntries(readRun(out).results.map(({ task, outcome }) => [task, outcome]))).toEqual({
    deadly: 'infra',
    fine: 'passed',
    other: 'passed',
  })
  expect(readRun(out).results.find(({ task }) => task === 'deadly')).toMatchObject({
    reason: 'the thread that ran it was lost: it ended',
    attempts: 3,
  })
})

test('--max-cost starts no further episode, and a resumed run goes on', async () => {
  const suite = await writeSuite(Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((id) => [id, sayYes])))
  const agent = await agentModule(`
    episode.trace.add({ type: 'message', role: 'assistant', text: '', usage: { inputTokens: 1, outputTokens: 1, cost: 1 } })
    return { answer: '' }`)
  const out = await newDirectory()
  const { code, stderr } = await runEval(
    'run',
    suite,
    '--agent',
    agent,
    '--parallel',
    '1',
    '--max-cost',
    '2',
    '--out',
    out,
  )
  expect(code).toBe(3)
  expect(stderr).toContain(
    `polyfs: the cost limit is reached; go on with a higher one: polyfs eval run --resume --out ${out} --max-cost N\n`,
  )
  const done = readRun(out).results.length
  expect(done).toBeLessThan(5)
  expect((await runEval('run', '--resume', '--out', out, '--max-cost', '1')).code).toBe(3)
  expect(readRun(out).results.length).toBe(done)
  expect((await runEval('run', '--resume', '--out', out, '--max-cost', '100')).code).toBe(0)
  expect(readRun(out).results.length).toBe(5)
})

test('--faults: the same faults for the same seed, and the trace has them', async () => {
  const suite = await writeSuite({ one: sayYes })
  const directory = await temporaryDirectory()
  const [script, faults] = [join(directory, 'calls.json'), join(directory, 'faults.json')]
  await writeFile(
    script,
    JSON.stringify(Array.from({ length: 20 }, () => ({ tool: 'read_file', args: { path: 'answer.txt' } }))),
  )
  await writeFile(faults, JSON.stringify({ rate: 0.5, codes: ['IO'], operations: ['readFile'] }))
  const runs = [await newDirectory(), await newDirectory()]
  for (const out of runs) {
    await runEval('run', suite, '--agent', `scripted:${script}`, '--faults', faults, '--out', out)
  }
  const [first, second] = runs.map((out) => readRun(out).results[0])
  expect(first?.transcriptHash).toBe(second?.transcriptHash)
  expect(first?.usage.failedCalls).toBeGreaterThan(2)
  expect(first?.usage.failedCalls).toBeLessThan(18)
  expect(await readFile(join(runs[0] ?? '', 'traces/one.scripted.1.jsonl'), 'utf8')).toContain('"code":"IO"')
})

test('chat: a model over HTTP, its cost, and a key that gets into no file', async () => {
  const secret = 'sk-very-secret-key'
  const sent: { key: string | undefined; messages: unknown[] }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.url?.startsWith('/refused'))
      return response.writeHead(401).end(`{"error":{"message":"Incorrect API key: ${secret}"}}`)
    const { messages } = JSON.parse(body)
    sent.push({ key: request.headers.authorization, messages })
    const isFirst = messages.length === 1
    const call = { name: 'write_file', arguments: JSON.stringify({ path: 'answer.txt', content: 'yes\n' }) }
    const message = isFirst
      ? { role: 'assistant', content: null, tool_calls: [{ id: '1', type: 'function', function: call }] }
      : { role: 'assistant', content: 'done' }
    const finish_reason = isFirst ? 'tool_calls' : 'stop'
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ choices: [{ message, finish_reason }], usage: { prompt_tokens: 1000, completion_tokens: 100 } }),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const before = process.env.OPENAI_API_KEY
  process.env.OPENAI_API_KEY = secret
  try {
    const suite = await writeSuite({ one: sayYes })
    const out = await newDirectory()
    const model = `openai:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1#tiny`
    const { code, stdout } = await runEval(
      'run',
      suite,
      '--agent',
      'chat',
      '--model',
      model,
      '--price',
      '3,15',
      '--out',
      out,
    )
    expect(code).toBe(0)
    expect(stdout).toContain('usage      1 call (0 failed), 2 turns, 2000 + 200 tokens, cost 0.0090\n')
    expect(sent.map(({ key }) => key)).toEqual([`Bearer ${secret}`, `Bearer ${secret}`])
    expect(readRun(out).results).toMatchObject([{ agent: 'chat:tiny', outcome: 'passed' }])
    const refused = await newDirectory()
    await runEval(
      'run',
      suite,
      '--agent',
      'chat',
      '--model',
      model.replace('/v1', '/refused'),
      '--retries',
      '0',
      '--out',
      refused,
    )
    expect(readRun(refused).results[0]?.reason).toContain('401')
    for (const directory of [out, refused]) {
      for (const name of await readdir(directory, { recursive: true })) {
        if (name !== 'traces') expect(await readFile(join(directory, name), 'utf8')).not.toContain(secret)
      }
    }
  } finally {
    if (before === undefined) delete process.env.OPENAI_API_KEY
    else process.env.OPENAI_API_KEY = before
    server.closeAllConnections()
    server.close()
  }
})

test.each([[], ['--threads', '1']])('errors that an agent forgets to handle end nothing %s', async (...options) => {
  const suite = await writeSuite({ one: sayYes, two: sayYes })
  const agent = await agentModule(`
    void Promise.reject(new Error('stray'))
    setTimeout(() => { throw new Error('later') }, 1)
    await new Promise((done) => setTimeout(done, 30))
    await episode.tools.call('write_file', { path: 'answer.txt', content: 'yes\\n' })
    return { answer: '' }`)
  // In a process of its own: the test runner counts stray errors as failures.
  const { code, stderr, stdout } = await runCli([
    'eval',
    'run',
    suite,
    '--agent',
    agent,
    '--out',
    await newDirectory(),
    ...options,
  ])
  expect(stdout).toContain('2 passed\n')
  expect(code).toBe(0)
  expect(stderr).toContain('polyfs: an error that nobody handled: stray\n')
  expect(stderr).toContain('polyfs: an error that nobody handled: later\n')
})

test('many episodes at once', async () => {
  const suite = await writeSuite({ one: sayYes })
  const out = await newDirectory()
  const { code, stderr } = await runCli([
    'eval',
    'run',
    suite,
    '--agent',
    'nop',
    '--trials',
    '60',
    '--parallel',
    '40',
    '--out',
    out,
  ])
  expect(code).toBe(0)
  expect(stderr).not.toContain('Warning')
  expect(readRun(out).results.length).toBe(60)
})

test('replay:DIR makes the calls of another run', async () => {
  const suite = await writeSuite({ one: sayYes, two: sayYes })
  const [first, second] = [await newDirectory(), await newDirectory()]
  await runEval('run', suite, '--out', first)
  const { code } = await runEval('run', suite, '--agent', `replay:${first}`, '--out', second)
  expect(code).toBe(0)
  expect(readRun(second).results.map(({ agent, outcome, usage }) => [agent, outcome, usage.calls])).toEqual([
    ['replay', 'passed', 1],
    ['replay', 'passed', 1],
  ])
})

describe('--resume', () => {
  test('refuses what differs, and names it', async () => {
    const suite = await writeSuite({ one: sayYes })
    const agent = await agentModule(`return { answer: '' }`)
    const out = await newDirectory()
    await runEval('run', suite, '--agent', agent, '--trials', '2', '--max-calls', '7', '--out', out)
    const resume = (...more: string[]) => runEval('run', '--resume', '--out', out, ...more)
    const refusal = async (...more: string[]) => {
      const { code, stderr } = await resume(...more)
      expect(code).toBe(2)
      return /can't be resumed: (.*)\. Name another directory/.exec(stderr)?.[1]
    }
    expect((await resume('--trials', '2', '--max-calls', '7', suite)).code).toBe(0)
    expect(await refusal('--trials', '3', '--seed', '9')).toBe('--trials is 3, but was 2; --seed is 9, but was 1')
    expect(await refusal('--agent', 'nop', '--max-calls', '8', '--max-tokens', '5')).toBe(
      `--agent is nop, but was ${agent}; --max-calls is 8, but was 7; --max-tokens is 5, but was not given`,
    )
    await appendFile(agent, '\n')
    expect(await refusal()).toBe('the file of the agent has changed')
    await writeFile(join(suite, 'one/instruction.md'), 'Something else.\n')
    expect(await refusal()).toBe(`the tasks in ${suite} differ; the file of the agent has changed`)
    const other = await writeSuite({ one: sayYes, two: sayYes })
    expect(await refusal(other)).toBe(`the tasks in ${other} differ; the file of the agent has changed`)
  })

  test('goes on when the suite was moved', async () => {
    const suite = await writeSuite({ one: sayYes })
    const out = await newDirectory()
    await runEval('run', suite, '--out', out)
    const moved = await writeSuite({ one: sayYes })
    expect((await runEval('run', moved, '--resume', '--out', out)).code).toBe(0)
  })

  test('begins a run that was killed before it began', async () => {
    const suite = await writeSuite({ one: sayYes })
    const out = await newDirectory()
    await mkdir(join(out, 'traces'), { recursive: true })
    await writeFile(join(out, 'run.json.0123456789ab.new'), '{"for')
    expect((await runEval('run', suite, '--resume', '--out', out)).code).toBe(0)
    expect(readRun(out).results.length).toBe(1)
  })

  test('writes the reports again when nothing is left to run', async () => {
    const suite = await writeSuite({ one: sayYes })
    const out = await newDirectory()
    const first = await runEval('run', suite, '--out', out)
    await rm(join(out, 'report.html'))
    const second = await runEval('run', '--resume', '--out', out)
    expect(second).toEqual({ ...first, stderr: '' })
    expect(await readFile(join(out, 'report.html'), 'utf8')).toContain('<!doctype html>')
  })
})

test('what is wrong with tasks is listed, and nothing runs', async () => {
  const suite = await writeSuite({
    'bad-toml': { ...sayYes, 'task.toml': '[metadata\n' },
    'no-checks': { 'task.toml': '', 'instruction.md': 'Do it.\n', 'environment/a': '' },
    'unknown-check': { ...sayYes, 'tests/checks.toml': '[[check]]\nfiel = "a"\n' },
  })
  const out = await newDirectory()
  const { code, stderr, stdout } = await runEval('run', suite, '--out', out)
  expect([code, stdout]).toEqual([2, ''])
  for (const place of [
    `${suite}/bad-toml/task.toml:1`,
    `${suite}/no-checks/tests`,
    `${suite}/unknown-check/tests/checks.toml:`,
  ]) {
    expect(stderr).toContain(place)
  }
  expect(stderr).toMatch(/polyfs: nothing was run: \d problems in the tasks\n$/)
  await expect(readdir(out)).rejects.toThrow('ENOENT')
})

test('the same id in two suites is refused', async () => {
  const [first, second] = [await writeSuite({ one: sayYes }), await writeSuite({ one: sayYes })]
  const { code, stderr } = await runEval('run', first, second)
  expect(code).toBe(2)
  expect(stderr).toContain('one')
})
