import { existsSync } from 'node:fs'
import { cp, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { EpisodeResult } from '../../../harness/run-types.js'
import { longTest } from '../../scale.js'
import { built } from '../cli/built.js'
import { runCli, temporaryDirectory } from '../cli/run-cli.js'
import { type Child, startChild } from '../crash/children.js'
import { writeSuite } from './greeting-suite.js'
import { freePort, type RedisServer, redisIsMissing, startRedis, whyNoRedis } from './redis-server.js'

const trials = 12

/** What a run determines: everything but times and how often it was tried. */
async function resultsIn(directory: string) {
  const lines = (await readFile(path.join(directory, 'results.jsonl'), 'utf8')).trimEnd().split('\n')
  return lines
    .map((line) => JSON.parse(line) as EpisodeResult)
    .map(({ task, trial, outcome, value, scores, transcriptHash }) => ({
      task,
      trial,
      outcome,
      value,
      scores,
      transcriptHash,
    }))
    .sort((a, b) => (a.task === b.task ? a.trial - b.trial : a.task < b.task ? -1 : 1))
}

describe('without Redis', () => {
  test.for([
    [['worker', '--queue'], "Option '--queue <value>' argument missing"],
    [['worker'], '--queue redis://HOST:PORT is missing'],
    [['worker', '--queue', 'localhost'], "--queue takes an address such as redis://127.0.0.1:6379, not 'localhost'"],
    [
      ['worker', '--queue', 'redis://127.0.0.1:PORT'],
      "Redis can't be reached at redis://127.0.0.1:PORT: connect ECONNREFUSED 127.0.0.1:PORT",
    ],
    [['worker', '--queue', 'redis://h', '--parallel', '0'], "--parallel takes a whole number from 1, not '0'"],
  ] as const)('there is one line: polyfs eval %j', async ([args, message]) => {
    const port = String(await freePort())
    built('node/cli.js')
    const { code, stderr } = await runCli(['eval', ...args.map((arg) => arg.replace('PORT', port))])
    expect(stderr).toBe(
      `polyfs: ${message.replaceAll(':PORT', `:${port}`).replace(`HOST:${port}`, 'HOST:PORT')} (polyfs eval worker --help shows the options)\n`,
    )
    expect(code).toBe(2)
  })
})

test('without BullMQ there is one line that says what to install', async () => {
  const directory = await temporaryDirectory()
  const program = path.join(directory, 'node/cli.js')
  for (const name of ['cli.js', 'main.js']) await cp(built(`node/${name}`), path.join(directory, 'node', name))
  await cp(path.join(built('node/cli.js'), '../../chunks'), path.join(directory, 'chunks'), { recursive: true })
  await writeFile(path.join(directory, 'package.json'), '{"type":"module"}')
  const { code, complained } = await startChild(program, 'eval', 'worker', '--queue', 'redis://127.0.0.1:1').ended
  expect(complained).toBe(
    'polyfs: --queue needs two packages that are not installed: run npm install bullmq ioredis (polyfs eval worker --help shows the options)\n',
  )
  expect(code).toBe(2)
})

describe('a run by way of a queue', { timeout: 240_000 }, () => {
  let redis: RedisServer
  beforeAll(async () => {
    if (!redisIsMissing) redis = await startRedis()
  })
  beforeEach((context) => context.skip(redisIsMissing, whyNoRedis))
  afterAll(() => redis?.remove())

  const start = (...args: string[]): Child => {
    const child = startChild(built('node/cli.js'), 'eval', ...args)
    onTestFinished(() => void child.process.kill('SIGKILL'))
    return child
  }
  const startWorker = () => start('worker', '--queue', redis.url, '--lost-after', '2', '--parallel', '2')

  test('has the results of a run on one machine, though workers and the runner are killed', async () => {
    const directory = await temporaryDirectory()
    const { suite, agent } = await writeSuite(directory)
    const [alone, shared] = [path.join(directory, 'alone'), path.join(directory, 'shared')]
    const run = ['run', suite, '--agent', agent, '--trials', String(trials)]
    expect(await runCli(['eval', ...run, '--out', alone])).toMatchObject({ code: 0 })

    const first = startWorker()
    await first.says(/waits for episodes, 2 at a time/)
    const runner = start(...run, '--out', shared, '--queue', redis.url)
    await first.says(/greeting #\d+: (passed|failed)/)
    first.process.kill('SIGKILL')
    await first.ended

    const second = startWorker()
    await second.says(/greeting #\d+: (passed|failed)/)
    runner.process.kill('SIGKILL')
    await runner.ended
    await sleep(500)

    const resumed = start('run', '--resume', '--out', shared, '--queue', redis.url)
    expect(await resumed.ended).toMatchObject({ code: 0 })
    second.process.kill('SIGTERM')
    expect(await second.ended).toMatchObject({ code: 0, complained: '' })

    const results = await resultsIn(shared)
    expect(results).toEqual(await resultsIn(alone))
    expect(results.filter(({ outcome }) => outcome === 'passed')).toHaveLength(8)
    expect(results.filter(({ outcome }) => outcome === 'failed')).toHaveLength(4)
  })

  longTest('reports what a worker can not run as missing, and runs it again when it is resumed', async () => {
    const directory = await temporaryDirectory()
    const { suite, agent } = await writeSuite(directory)
    const out = path.join(directory, 'out')
    const runner = start('run', suite, '--agent', agent, '--out', out, '--queue', redis.url)
    // It is written when the tasks have been loaded.
    while (!existsSync(path.join(out, 'run.json'))) await sleep(50)
    await rename(suite, `${suite}-away`)
    const worker = startWorker()
    await worker.says(/greeting #1: infra/)
    expect((await runner.ended).code).toBe(3)
    expect((await resultsIn(out)).filter(({ task }) => task === 'greeting')).toMatchObject([{ outcome: 'infra' }])

    await rename(`${suite}-away`, suite)
    const again = start('run', '--resume', '--out', out, '--queue', redis.url)
    await worker.says(/greeting #1: passed/)
    expect((await again.ended).code).toBe(0)
    worker.process.kill('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 0, complained: '' })
  })

  longTest('is withdrawn when it has cost enough, and can be resumed', async () => {
    const directory = await temporaryDirectory()
    const { suite, agent } = await writeSuite(directory)
    const out = path.join(directory, 'out')
    const worker = startWorker()
    const limited = ['--out', out, '--queue', redis.url, '--max-cost', '3']
    const runner = start('run', suite, '--agent', agent, '--trials', String(trials), ...limited)
    const { code, complained } = await runner.ended
    expect(complained).toContain('the cost limit is reached')
    expect(code).toBe(3)
    const early = (await resultsIn(out)).filter(({ task }) => task === 'greeting')
    expect(early.length).toBeGreaterThanOrEqual(3)
    expect(early.length).toBeLessThan(trials)

    const resumed = start('run', '--resume', '--out', out, '--queue', redis.url)
    expect((await resumed.ended).code).toBe(0)
    worker.process.kill('SIGTERM')
    await worker.ended
    expect((await resultsIn(out)).filter(({ task }) => task === 'greeting')).toHaveLength(trials)
  })
})
