import { expect, test } from 'vitest'
import { jobId, memoryQueue, workThrough } from '../../harness/queue.js'
import type { EpisodeJob, EpisodeResult } from '../../harness/run-types.js'

const never = new AbortController().signal

function job(task: string, trial = 1): EpisodeJob {
  return { run: 'r', task, agent: 'a', trial, seed: trial }
}

function result(of: EpisodeJob, reason = 'first'): EpisodeResult {
  return {
    ...of,
    outcome: 'failed',
    value: 0,
    scores: [],
    reason,
    usage: { calls: 0, failedCalls: 0, turns: 0, inputTokens: 0, outputTokens: 0 },
    attempts: 1,
    wallMs: 0,
  }
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

test('the id of a job tells parts apart that contain separators', () => {
  const ids = [
    { run: 'a/b', task: 'c', agent: 'd', trial: 1 },
    { run: 'a', task: 'b/c', agent: 'd', trial: 1 },
    { run: 'a', task: 'b', agent: 'c/d', trial: 1 },
    { run: 'a', task: 'b', agent: 'c', trial: 11 },
    { run: 'a:b', task: '..', agent: '\n', trial: 1 },
  ].map(jobId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[\w%/\-.!~*'()]+$/)
})

test('every job is run once, at most `parallel` at a time, and its result comes out', async () => {
  const queue = memoryQueue()
  const jobs = Array.from({ length: 40 }, (_, i) => job(`t${i}`))
  await queue.add(jobs)
  await queue.add(jobs)
  const counts: number[] = []
  const ran: string[] = []
  let running = 0
  const worked = workThrough(
    queue,
    async (each) => {
      running += 1
      counts.push(running)
      await new Promise((done) => setTimeout(done, ran.length % 3))
      running -= 1
      ran.push(each.task)
      return result(each)
    },
    { parallel: 4, signal: never },
  )
  const results = await all(queue.results())
  await worked
  expect(Math.max(...counts)).toBe(4)
  expect(ran.sort()).toEqual(jobs.map(({ task }) => task).sort())
  expect(results.map(({ task }) => task).sort()).toEqual(ran)
})

test('the first of two results counts', async () => {
  const queue = memoryQueue()
  await queue.add([job('t')])
  const first = await queue.take()
  if (first === undefined) throw new Error('no job')
  await queue.release(first)
  const second = await queue.take()
  expect(second).toEqual(first)
  expect(await queue.complete(first, result(job('t')))).toBe(true)
  expect(await queue.complete(first, result(job('t'), 'late'))).toBe(false)
  expect((await all(queue.results())).map(({ reason }) => reason)).toEqual(['first'])
})

test('a job that was given back after its result came is not handed out again', async () => {
  const queue = memoryQueue()
  await queue.add([job('t')])
  const taken = await queue.take()
  if (taken === undefined) throw new Error('no job')
  await queue.complete(taken, result(job('t')))
  await queue.release(taken)
  expect(await queue.take()).toBe(undefined)
})

test('who waits for a job gets one that is given back', async () => {
  const queue = memoryQueue()
  await queue.add([job('t')])
  const taken = await queue.take()
  if (taken === undefined) throw new Error('no job')
  const waiting = queue.take()
  await queue.release(taken)
  expect(await waiting).toEqual(taken)
})

test('who waits for a job is let go when the last result comes, when the queue is closed, and by its signal', async () => {
  const queue = memoryQueue()
  await queue.add([job('t')])
  const taken = await queue.take()
  if (taken === undefined) throw new Error('no job')
  const abort = new AbortController()
  const aborted = queue.take({ signal: abort.signal })
  abort.abort()
  expect(await aborted).toBe(undefined)
  const waiting = queue.take()
  await queue.complete(taken, result(job('t')))
  expect(await waiting).toBe(undefined)

  const other = memoryQueue()
  await other.add([job('t'), job('u')])
  await other.take()
  await other.take()
  const closed = [other.take(), all(other.results())]
  await other.close()
  expect(await Promise.all(closed)).toEqual([undefined, []])
})

test('a job whose run throws is given back, and the worker fails', async () => {
  const queue = memoryQueue()
  await queue.add([job('t')])
  const run = async () => {
    throw new Error('no suite here')
  }
  await expect(workThrough(queue, run, { parallel: 1, signal: never })).rejects.toThrow('no suite here')
  expect((await queue.take())?.job.task).toBe('t')
})

test('after an abort, jobs under way are given back and the worker ends', async () => {
  const queue = memoryQueue()
  await queue.add([job('t'), job('u')])
  const abort = new AbortController()
  const run = async () => {
    abort.abort()
    throw new Error('aborted')
  }
  await workThrough(queue, run, { parallel: 1, signal: abort.signal })
  expect([(await queue.take())?.job.task, (await queue.take())?.job.task]).toEqual(['u', 't'])
})
