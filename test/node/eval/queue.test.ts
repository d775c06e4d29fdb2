import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { Queue, Worker } from 'bullmq'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jobId, workThrough } from '../../../harness/queue.js'
import type { EpisodeJob, EpisodeResult } from '../../../harness/run-types.js'
import { type BullmqQueue, bullmqQueue, placeOf } from '../../../node/eval/bullmq-queue.js'
import { longTest, sample } from '../../scale.js'
import { startChild } from '../crash/children.js'
import { jobOf, lostAfterMs, resultOf, settingsOf } from './queue-jobs.js'
import { freePort, type RedisServer, redisIsMissing, startRedis, whyNoRedis } from './redis-server.js'

/** Messages of a worker to Redis, after each of which it is killed. */
const firstMessages = Array.from({ length: 20 }, (_, index) => index + 1)

const never = new AbortController().signal

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

let runs = 0
const newRun = () => `run-${process.pid}-${++runs}`

describe('an address', () => {
  test.for([
    ['redis://127.0.0.1', { host: '127.0.0.1', port: 6379, db: 0 }, 'redis://127.0.0.1:6379'],
    ['redis://host:1/3', { host: 'host', port: 1, db: 3 }, 'redis://host:1'],
    [
      'rediss://me:p%40ss@[::1]:7/',
      { host: '::1', port: 7, db: 0, username: 'me', password: 'p@ss', tls: { servername: '::1' } },
      'rediss://[::1]:7',
    ],
  ] as const)('is read: %s', ([url, connection, shown]) => {
    expect(placeOf(url)).toEqual({ connection, shown })
  })

  test.for(['', 'localhost', 'http://host', 'redis://', 'redis://host/name', 'redis://u:secret@h/x'])(
    'is refused in one line, without its password: %s',
    (url) => {
      const shown = url.replace('u:secret@', '')
      expect(() => placeOf(url)).toThrow(`--queue takes an address such as redis://127.0.0.1:6379, not '${shown}'`)
    },
  )
})

test('without Redis there is one line', async () => {
  const port = await freePort()
  await expect(bullmqQueue({ url: `redis://:secret@127.0.0.1:${port}` })).rejects.toThrow(
    `Redis can't be reached at redis://127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
  )
})

describe('a queue in Redis', { timeout: 180_000 }, () => {
  let redis: RedisServer
  const open: BullmqQueue[] = []

  beforeAll(async () => {
    if (!redisIsMissing) redis = await startRedis()
  })
  beforeEach((context) => context.skip(redisIsMissing, whyNoRedis))
  afterEach(() => Promise.all(open.splice(0).map((queue) => queue.close())))
  afterAll(() => redis?.remove())

  async function runner(run: string): Promise<BullmqQueue> {
    const queue = await bullmqQueue({ url: redis.url, settings: settingsOf(run) })
    open.push(queue)
    return queue
  }

  async function worker(options: { maxLosses?: number; untilEmpty?: boolean } = {}): Promise<BullmqQueue> {
    const queue = await bullmqQueue({ url: redis.url, lostAfterMs, ...options })
    open.push(queue)
    return queue
  }

  test('gives workers the jobs with their settings, and the runner whole results', async () => {
    const run = newRun()
    const jobs = Array.from({ length: 30 }, (_, index) => jobOf(run, `task ${index}/ä:b`))
    const queue = await runner(run)
    await queue.add(jobs)
    await queue.add(jobs)
    const ran: string[] = []
    const workers = [await worker({ untilEmpty: true }), await worker({ untilEmpty: true })]
    const working = workers.map((one) =>
      workThrough(
        one,
        async (job) => {
          ran.push(job.task)
          return resultOf(job)
        },
        { parallel: 3, signal: never },
      ),
    )
    const results = await all(queue.results())
    await Promise.all(working)
    expect(ran).toHaveLength(30)
    const byTask = (a: EpisodeResult, b: EpisodeResult) => (a.task < b.task ? -1 : 1)
    expect(results.sort(byTask)).toEqual(jobs.map((job) => resultOf(job)).sort(byTask))
  })

  test('gives a job with the settings of its run', async () => {
    const run = newRun()
    const queue = await runner(run)
    await queue.add([jobOf(run, 'a')])
    const one = await worker()
    const taken = await one.take()
    expect(taken).toEqual({ id: jobId(jobOf(run, 'a')), job: jobOf(run, 'a'), settings: settingsOf(run) })
    expect(await one.complete(taken as NonNullable<typeof taken>, resultOf(jobOf(run, 'a')))).toBe(true)
    expect(await all(queue.results())).toHaveLength(1)
  })

  test('hands out again what a worker gave back', async () => {
    const run = newRun()
    const queue = await runner(run)
    await queue.add([jobOf(run, 'a')])
    const [one, other] = [await worker(), await worker()]
    const first = await one.take()
    if (first === undefined) throw new Error('no job')
    await one.release(first)
    const second = await other.take()
    if (second === undefined) throw new Error('no job')
    expect(second.id).toBe(first.id)
    expect(await one.complete(first, resultOf(first.job, { reason: 'gave it back' }))).toBe(false)
    expect(await other.complete(second, resultOf(second.job))).toBe(true)
    expect(await all(queue.results())).toEqual([resultOf(second.job)])
  })

  test('keeps a job for a worker that is slow but alive', async () => {
    const run = newRun()
    const queue = await runner(run)
    await queue.add([jobOf(run, 'slow')])
    const [one, other] = [await worker(), await worker()]
    const taken = await one.take()
    if (taken === undefined) throw new Error('no job')
    expect(await other.take({ signal: AbortSignal.timeout(3000) })).toBe(undefined)
    expect(await one.complete(taken, resultOf(taken.job))).toBe(true)
    expect(await all(queue.results())).toHaveLength(1)
  })

  test('of two results of one job has the first', async () => {
    const run = newRun()
    const queue = await runner(run)
    await queue.add([jobOf(run, 'twice')])
    const frozen = startChild(await childScript(), 'worker', redis.url, 0)
    await frozen.says(/^took/m)
    frozen.process.kill('SIGSTOP')
    const other = await worker()
    const taken = await other.take({ signal: AbortSignal.timeout(150_000) })
    if (taken === undefined) throw new Error('the job was not handed out again')
    expect(await other.complete(taken, resultOf(taken.job, { reason: 'accepted' }))).toBe(true)
    frozen.process.kill('SIGCONT')
    await frozen.says(/^came late with twice$/m)
    frozen.process.kill('SIGKILL')
    await frozen.ended
    expect((await all(queue.results())).map(({ reason }) => reason)).toEqual(['accepted'])
  })

  test('takes nothing when the signal has aborted, and gives up at once when it does', async () => {
    const one = await worker()
    expect(await one.take({ signal: AbortSignal.abort() })).toBe(undefined)
    const aborting = new AbortController()
    const taking = one.take({ signal: aborting.signal })
    setTimeout(() => aborting.abort(), 50)
    const before = performance.now()
    expect(await taking).toBe(undefined)
    expect(performance.now() - before).toBeLessThan(2000)
  })

  test('loses and changes no result when workers are killed at any message to Redis', async ({ annotate }) => {
    const run = newRun()
    const queue = await runner(run)
    const jobs = Array.from({ length: 24 }, (_, index) => jobOf(run, `task-${index}`))
    await queue.add(jobs)
    const collecting = all(queue.results())
    const said: string[] = []
    for (const killAt of sample(firstMessages, { every: 3 })) {
      const { said: words, signal } = await startChild(await childScript(), 'worker', redis.url, killAt).ended
      expect(signal).toBe('SIGKILL')
      said.push(words)
    }
    const last = await worker()
    const working = workThrough(last, async (job) => resultOf(job), { parallel: 2, signal: stopped.signal })
    const results = await collecting
    stopped.abort()
    await working
    const count = (word: string) =>
      said
        .join('')
        .split('\n')
        .filter((line) => line.startsWith(word)).length
    await annotate(`killed workers took ${count('took')} jobs and completed ${count('completed')}`)
    expect(count('took')).toBeGreaterThan(count('completed'))
    expect(sorted(results)).toEqual(sorted(jobs.map((job) => resultOf(job))))
  })

  test('goes on with a runner that was killed and started again', async () => {
    const run = newRun()
    const script = await childScript()
    const first = startChild(script, 'runner', redis.url, run, 12)
    await first.says(/^added$/m)
    const one = await worker()
    for (let done = 0; done < 5; done += 1) {
      const taken = await one.take()
      if (taken === undefined) throw new Error('no job')
      await one.complete(taken, resultOf(taken.job))
    }
    await first.says(/^result/m)
    first.process.kill('SIGKILL')
    const had = (await first.ended).said.split('\n').flatMap((line) => /^result (.*)/.exec(line)?.[1] ?? [])
    // What it had when it was killed may be there still: its results were not asked for any more.
    const again = await runner(run)
    const left = Array.from({ length: 12 }, (_, index) => `task-${index}`).filter((task) => !had.includes(task))
    await again.add(left.map((task) => jobOf(run, task)))
    const working = workThrough(one, async (job) => resultOf(job), { parallel: 2, signal: stoppedAgain.signal })
    const results = await all(again.results())
    stoppedAgain.abort()
    await working
    expect(sorted(results)).toEqual(sorted(left.map((task) => resultOf(jobOf(run, task)))))
  })

  test.for([
    ['that stores everything, when it ends', true, 'SIGTERM'],
    ['that stores everything, when it is killed', true, 'SIGKILL'],
    ['that forgets everything', false, 'SIGKILL'],
  ] as const)('survives a restart of a Redis %s', async ([, appendOnly, signal]) => {
    const other = await startRedis({ appendOnly })
    const lines: string[] = []
    const run = newRun()
    const queue = await bullmqQueue({ url: other.url, settings: settingsOf(run), warn: (line) => lines.push(line) })
    const hands = await bullmqQueue({ url: other.url, lostAfterMs })
    const stopping = new AbortController()
    try {
      const jobs = Array.from({ length: 30 }, (_, index) => jobOf(run, `task-${index}`))
      await queue.add(jobs)
      const ran: string[] = []
      const work = async (job: EpisodeJob) => {
        ran.push(job.task)
        if (ran.length === 10) await restart()
        return resultOf(job)
      }
      const restart = async () => {
        await other.stop(signal)
        await other.start()
      }
      const working = workThrough(hands, work, { parallel: 3, signal: stopping.signal })
      const results = await all(queue.results())
      stopping.abort()
      await working
      expect(sorted(results)).toEqual(sorted(jobs.map((job) => resultOf(job))))
      expect(lines[0]).toMatch(/^lost the connection to Redis at redis:\/\/127\.0\.0\.1:\d+ \(.*\); waiting for it$/)
      expect(lines[1]).toMatch(/^connected to Redis at redis:\/\/127\.0\.0\.1:\d+ again$/)
    } finally {
      stopping.abort()
      await Promise.all([queue.close(), hands.close()])
      await other.remove()
    }
  })

  longTest('gives up a job that one worker after another is lost with', async () => {
    const run = newRun()
    const queue = await runner(run)
    await queue.add([jobOf(run, 'deadly')])
    for (let lost = 0; lost < 2; lost += 1) {
      const child = startChild(await childScript(), 'worker', redis.url, 0)
      await child.says(/^took deadly$/m)
      child.process.kill('SIGKILL')
      await child.ended
    }
    const last = await worker({ maxLosses: 1 })
    expect(await last.take({ signal: AbortSignal.timeout(8000) })).toBe(undefined)
    const { scores, outcome, reason } = (await all(queue.results()))[0] as EpisodeResult
    expect({ scores, outcome, reason }).toEqual({
      scores: [],
      outcome: 'infra',
      reason: 'given up, because one worker after another was lost while it ran this',
    })
  })

  test('removes waiting jobs of a run that is given up', async () => {
    const run = newRun()
    const queue = await runner(run)
    await queue.add([jobOf(run, 'a'), jobOf(run, 'b')])
    await queue.close()
    const one = await worker({ untilEmpty: true })
    expect(await one.take({ signal: AbortSignal.timeout(5000) })).toBe(undefined)
  })

  test('runs a job again whose earlier result says nothing about the agent', async () => {
    const run = newRun()
    const job = jobOf(run, 'a')
    const first = await runner(run)
    await first.add([job])
    const one = await worker()
    const taken = await one.take()
    if (taken === undefined) throw new Error('no job')
    await one.complete(taken, resultOf(job, { outcome: 'infra' }))
    const second = await runner(run)
    await second.add([job])
    const again = await one.take({ signal: AbortSignal.timeout(5000) })
    if (again === undefined) throw new Error('no job')
    await one.complete(again, resultOf(job))
    expect(await all(second.results())).toEqual([resultOf(job)])
  })

  test('refuses what is not an episode, and goes on with the next job', async () => {
    const run = newRun()
    const connection = { host: '127.0.0.1', port: Number(new URL(redis.url).port) }
    const foreign = new Queue('polyfs-eval', { connection })
    const settings = settingsOf(run)
    const job = jobOf(run, 'a')
    const wrong = [
      null,
      [],
      'text',
      {},
      { job },
      { settings },
      { job: { ...job, trial: '../x' }, settings },
      { job, settings: null },
    ]
    for (const [index, data] of wrong.entries()) await foreign.add('episode', data, { jobId: `wrong-${run}-${index}` })
    const queue = await runner(run)
    await queue.add([job])
    const one = await worker()
    const taken = await one.take({ signal: AbortSignal.timeout(20_000) })
    expect(taken?.job).toEqual(job)
    if (taken !== undefined) await one.complete(taken, resultOf(job))
    for (const index of wrong.keys()) {
      const refused = await foreign.getJob(`wrong-${run}-${index}`)
      expect(refused?.failedReason).toBe('it is not an episode of polyfs')
    }
    await foreign.close()
  })

  test.for<[string, string | ((job: EpisodeJob) => string)]>([
    ['no packed JSON', 'text'],
    ['packed text', gzipSync('{').toString('base64')],
    ['no result', gzipSync('{"outcome":"passed"}').toString('base64')],
    ['the result of another job', gzipSync(JSON.stringify(resultOf(jobOf('other', 'b')))).toString('base64')],
    ['its own result with more than 64 levels', (job) => gzipSync(withDepth(resultOf(job), 65)).toString('base64')],
    ['a gigabyte of spaces', gzipSync(Buffer.alloc(1_000_000_000, 32), { level: 1 }).toString('base64')],
  ])('takes %s for a missing result', async ([, packed]) => {
    const run = newRun()
    const job = jobOf(run, 'a')
    const queue = await runner(run)
    await queue.add([job])
    const foreign = new Worker('polyfs-eval', null, {
      connection: { host: '127.0.0.1', port: Number(new URL(redis.url).port) },
      autorun: false,
    })
    const stored = await foreign.getNextJob('token')
    await stored?.moveToCompleted(typeof packed === 'string' ? packed : packed(job), 'token', false)
    expect(await all(queue.results())).toMatchObject([
      { ...job, outcome: 'infra', reason: 'what the queue has as its result is not a result of this episode' },
    ])
    await foreign.close()
  })

  test('takes a password, and says so when it lacks one', async () => {
    const other = await startRedis({ password: 'secret' })
    try {
      const queue = await bullmqQueue({ url: other.url, settings: settingsOf('r') })
      await queue.add([jobOf('r', 'a')])
      await queue.close()
      const without = other.url.replace(':secret@', '')
      await expect(bullmqQueue({ url: without })).rejects.toThrow(/^Redis can't be reached at redis:.*: NOAUTH/)
      await expect(bullmqQueue({ url: other.url.replace('secret', 'wrong') })).rejects.toThrow(
        /^Redis can't be reached at redis:\/\/127.0.0.1:\d+: WRONGPASS/,
      )
    } finally {
      await other.remove()
    }
  })
})

const stopped = new AbortController()
const stoppedAgain = new AbortController()

function withDepth(result: EpisodeResult, depth: number): string {
  return JSON.stringify(result).replace('{', `{"more":${'['.repeat(depth)}${']'.repeat(depth)},`)
}

function sorted(results: readonly EpisodeResult[]): EpisodeResult[] {
  return [...results].sort((a, b) => (a.task < b.task ? -1 : 1))
}

let script: Promise<string> | undefined
let scriptDirectory: string | undefined
afterAll(async () => {
  if (scriptDirectory !== undefined) await rm(scriptDirectory, { recursive: true })
})

/** The bundled child, in a directory that has the packages of this project. */
function childScript(): Promise<string> {
  script ??= (async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'polyfs-queue-'))
    scriptDirectory = directory
    await symlink(
      fileURLToPath(new URL('../../../node_modules', import.meta.url)),
      path.join(directory, 'node_modules'),
    )
    await build({
      configFile: false,
      logLevel: 'silent',
      ssr: { external: ['bullmq'] },
      build: {
        ssr: fileURLToPath(new URL('./queue-child.ts', import.meta.url)),
        outDir: path.join(directory, 'out'),
        target: 'node20',
        minify: false,
        rollupOptions: { output: { entryFileNames: 'child.mjs' } },
      },
    })
    return path.join(directory, 'out/child.mjs')
  })()
  return script
}
