/** A queue that several machines share, in Redis, by BullMQ. The only file that imports BullMQ; loaded with `--queue`. */
import { randomUUID } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Job, Queue, Worker } from 'bullmq'
import { isEpisodeJob, isEpisodeResult } from '../../harness/parse-result.js'
import { type EpisodeQueue, jobId, type TakenJob } from '../../harness/queue.js'
import { infraResult } from '../../harness/run-episode.js'
import { type EpisodeJob, type EpisodeResult, isMissing, type RunSettings } from '../../harness/run-types.js'
import { jsonScanner } from '../../src/text/json-scanner.js'

export interface BullmqQueueOptions {
  /** Such as `redis://127.0.0.1:6379`. */
  url: string
  /** Sent along with every job that is added. Absent for a queue that only takes jobs. */
  settings?: RunSettings
  /** A worker that was silent for so long is lost, and its jobs are handed out again. The same for all workers. Default: 30 seconds. */
  lostAfterMs?: number
  /** A job that more workers were lost with is given up. Default: 10. */
  maxLosses?: number
  /** `take` ends when the queue has no jobs; otherwise it waits for more. */
  untilEmpty?: boolean
  /** Called with one line when the connection is lost, and when it is back. */
  warn?: (line: string) => void
}

/** A job with all that is needed to run it on another machine. */
export interface TakenBullmqJob extends TakenJob {
  readonly settings: RunSettings
}

export interface BullmqQueue extends EpisodeQueue {
  take(options?: { signal?: AbortSignal }): Promise<TakenBullmqJob | undefined>
}

/** What is stored with a job. */
interface Stored {
  job: EpisodeJob
  settings: RunSettings
}

interface Held {
  stored: StoredJob
  token: string
  renewing: NodeJS.Timeout
}

/** The result is packed, because a trace is long and repeats itself. */
type StoredJob = Job<Stored, string>

/** Jobs of all runs are in one queue, so that workers need not know the runs. */
const queueName = 'polyfs-eval'
const pollMs = 200
const connectMs = 10_000
const closeMs = 2000
/** Results that nobody fetched are removed then. */
const keepSeconds = 7 * 24 * 3600
/** Unpacked, with the trace: more than an episode may hold in memory by default. */
const maxResultBytes = 500_000_000
/** Jobs that are sent to Redis at once. */
const batchSize = 500

/**
 * Connects to Redis. Fails with one line when it can't be reached, or when BullMQ is not installed. A connection that is lost later is
 * restored, however long that takes; jobs that Redis forgot meanwhile are added again.
 */
export async function bullmqQueue(options: BullmqQueueOptions): Promise<BullmqQueue> {
  const { settings, lostAfterMs = 30_000, maxLosses = 10, untilEmpty = false, warn = () => {} } = options
  const place = placeOf(options.url)
  const bullmq = await loadBullmq()
  let isReady = false
  let isConnected = true
  let isClosed = false
  const connection = {
    ...place.connection,
    maxRetriesPerRequest: null,
    // The first attempt decides: a wrong address should be reported, not waited for.
    retryStrategy: (times: number) => (isReady && !isClosed ? Math.min(50 * 2 ** Math.min(times, 6), 2000) : null),
  }
  const queue: Queue<Stored, string> = new bullmq.Queue(queueName, {
    connection,
    // Nobody reads the events, which contain the results.
    streams: { events: { maxLen: 10 } },
    defaultJobOptions: { removeOnComplete: { age: keepSeconds }, removeOnFail: { age: keepSeconds } },
  })
  await ready(queue, place.shown)
  isReady = true

  /** The jobs of this queue without a result. */
  const outstanding = new Map<string, EpisodeJob>()
  let mayHaveLost = false
  const held = new Map<TakenJob, Held>()
  let worker: Worker<Stored, string> | undefined
  let closing: Promise<void> | undefined

  queue.on('error', onError)
  queue.on('ioredis:close', () => onError(new Error('the connection was closed')))

  function onError(error: Error): void {
    mayHaveLost = true
    if (!isConnected || isClosed) return
    isConnected = false
    warn(`lost the connection to Redis at ${place.shown} (${error.message || error.name}); waiting for it`)
    void queue.getJobCounts('wait').then(onConnected, () => {})
  }

  function onConnected(): void {
    if (isConnected || isClosed) return
    isConnected = true
    warn(`connected to Redis at ${place.shown} again`)
  }

  /** Jobs whose ids are known to Redis are not added a second time. */
  async function send(jobs: Iterable<[string, EpisodeJob]>): Promise<void> {
    if (settings === undefined) throw new Error('this queue only takes jobs')
    const entries = [...jobs].map(([id, job]) => ({ name: 'episode', data: { job, settings }, opts: { jobId: id } }))
    for (let at = 0; at < entries.length; at += batchSize) await queue.addBulk(entries.slice(at, at + batchSize))
  }

  function endedIds(): Promise<string[]> {
    return queue.getRanges(['completed', 'failed'], 0, -1)
  }

  /** Forgets results of an earlier runner that say nothing about the agent, so that their jobs are run again. */
  async function dropMissing(jobs: Iterable<[string, EpisodeJob]>): Promise<void> {
    for (const [id, job] of jobs) {
      const stored = await queue.getJob(id)
      if (stored !== undefined && isMissing(resultOf(stored, job))) await stored.remove().catch(ignoreLost)
    }
  }

  function openWorker(): Worker<Stored, string> {
    const opened: Worker<Stored, string> = new bullmq.Worker(queueName, null, {
      connection,
      autorun: false,
      lockDuration: lostAfterMs,
      stalledInterval: Math.max(100, Math.round(lostAfterMs / 2)),
      maxStalledCount: maxLosses,
    })
    opened.on('error', onError)
    void opened.startStalledCheckTimer().catch(onError)
    return opened
  }

  async function isOver(): Promise<boolean> {
    if (settings !== undefined) return outstanding.size === 0
    if (!untilEmpty) return false
    const counts = await queue.getJobCounts('wait', 'active')
    return Object.values(counts).every((count) => count === 0)
  }

  function hold(stored: StoredJob, token: string): TakenBullmqJob {
    const { job, settings: own } = stored.data
    const taken: TakenBullmqJob = { id: stored.id ?? jobId(job), job, settings: own }
    const renew = () => void stored.extendLock(token, lostAfterMs).catch(() => {})
    held.set(taken, { stored, token, renewing: setInterval(renew, Math.round(lostAfterMs / 3)) })
    return taken
  }

  function letGo(taken: TakenJob): Held | undefined {
    const one = held.get(taken)
    clearInterval(one?.renewing)
    held.delete(taken)
    return one
  }

  async function release(taken: TakenJob): Promise<void> {
    const one = letGo(taken)
    if (one !== undefined) await one.stored.moveToWait(one.token).catch(ignoreLost)
  }

  return {
    async add(jobs) {
      const added = new Map(jobs.map((job) => [jobId(job), job]))
      const ended = new Set(await endedIds())
      await dropMissing([...added].filter(([id]) => ended.has(id)))
      for (const [id, job] of added) outstanding.set(id, job)
      await send(added)
    },

    async take({ signal } = {}) {
      worker ??= openWorker()
      for (let waitMs = 20; !isClosed && signal?.aborted !== true; waitMs = Math.min(2 * waitMs, 500)) {
        const token = randomUUID()
        // Not blocking: a blocked connection could not be given up when the signal aborts.
        const stored: StoredJob | undefined = await worker.getNextJob(token, { block: false })
        if (stored === undefined) {
          if (await isOver()) return undefined
          await sleep(waitMs, signal)
          continue
        }
        waitMs = 20
        const refusal = stored.deferredFailure || (isStored(stored.data) ? undefined : 'it is not an episode of polyfs')
        if (refusal !== undefined) await stored.moveToFailed(new Error(refusal), token).catch(ignoreLost)
        else return hold(stored, token)
      }
      return undefined
    },

    async complete(taken, result) {
      const one = letGo(taken)
      if (one === undefined) return false
      try {
        await one.stored.moveToCompleted(packed(result), one.token, false)
        return true
      } catch (error) {
        ignoreLost(error)
        return false
      }
    },

    release,

    async *results() {
      while (!isClosed && outstanding.size > 0) {
        const ended = await untilClosed(async () => {
          if (mayHaveLost) {
            mayHaveLost = false
            await send(outstanding)
          }
          return (await endedIds()).filter((id) => outstanding.has(id))
        })
        if (ended === undefined) return
        for (const id of ended) {
          const stored = await untilClosed(() => queue.getJob(id))
          if (isClosed) return
          const job = outstanding.get(id)
          if (stored === undefined || job === undefined) continue
          outstanding.delete(id)
          yield resultOf(stored, job)
          // The caller asked for the next one, so it has this one.
          await untilClosed(() => stored.remove().catch(ignoreLost))
        }
        if (ended.length === 0) await sleep(pollMs)
      }
    },

    close() {
      closing ??= close()
      return closing
    },
  }

  async function close(): Promise<void> {
    isClosed = true
    const inOrder = async () => {
      for (const taken of [...held.keys()]) await release(taken)
      // Workers need not begin what nobody waits for. When the run is resumed they are added again.
      const ids = [...outstanding.keys()]
      for (let at = 0; at < ids.length; at += batchSize)
        await Promise.all(ids.slice(at, at + batchSize).map((id) => queue.remove(id)))
      await worker?.close(true)
      await queue.close()
    }
    await Promise.race([inOrder().catch(() => {}), sleep(closeMs)])
    for (const taken of [...held.keys()]) letGo(taken)
    await Promise.race([Promise.all([worker?.disconnect(), queue.disconnect()]).catch(() => {}), sleep(100)])
  }

  /** Undefined when the queue was closed meanwhile: then the connection is gone. */
  async function untilClosed<Result>(run: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await run()
    } catch (error) {
      if (isClosed) return undefined
      throw error
    }
  }
}

async function loadBullmq(): Promise<typeof import('bullmq')> {
  try {
    return await import('bullmq')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(missingPackages)
  }
}

const missingPackages = '--queue needs two packages that are not installed: run npm install bullmq ioredis'

interface Place {
  connection: { host: string; port: number; db: number; username?: string; password?: string; tls?: object }
  /** Without the password. */
  shown: string
}

/** Fails with one line for anything but the address of a Redis. */
export function placeOf(url: string): Place {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const [, db = '0'] = /^\/?(\d*)$/.exec(parsed?.pathname ?? '') ?? []
  if (
    parsed === undefined ||
    !/^rediss?:$/.test(parsed.protocol) ||
    parsed.hostname === '' ||
    !/^\/?\d*$/.test(parsed.pathname)
  )
    throw new Error(`--queue takes an address such as redis://127.0.0.1:6379, not '${withoutPassword(url)}'`)
  const { hostname, port, username, password, protocol } = parsed
  const host = hostname.replace(/^\[|\]$/g, '')
  return {
    connection: {
      host,
      port: Number(port || 6379),
      db: Number(db || 0),
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: { servername: host } }),
    },
    shown: `${protocol}//${hostname}:${port || 6379}`,
  }
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//')
}

/** Resolves when commands can be sent; fails with one line otherwise. */
async function ready(queue: Queue, shown: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error('no answer')), connectMs)
      queue.on('error', reject)
      queue.waitUntilReady().then(() => resolve(), reject)
    })
  } catch (error) {
    await Promise.race([queue.disconnect().catch(() => {}), sleep(100)])
    const reason = error instanceof Error ? error.message || reasonCode(error) : String(error)
    if (/ioredis/.test(reason) && /install/i.test(reason)) throw new Error(missingPackages)
    throw new Error(`Redis can't be reached at ${shown}: ${reason}`)
  } finally {
    clearTimeout(timer)
  }
}

function reasonCode(error: Error): string {
  return 'code' in error ? String(error.code) : error.name
}

function packed(result: EpisodeResult): string {
  return gzipSync(JSON.stringify(result)).toString('base64')
}

/** A job that ended without a result is one that workers were lost with. Whoever reaches the Redis can have written either. */
function resultOf({ returnvalue, failedReason }: StoredJob, job: EpisodeJob): EpisodeResult {
  if (typeof returnvalue !== 'string' || failedReason !== undefined)
    return infraResult(job, 'given up, because one worker after another was lost while it ran this')
  const result = unpacked(returnvalue)
  if (isEpisodeResult(result) && jobId(result) === jobId(job)) return result
  return infraResult(job, 'what the queue has as its result is not a result of this episode')
}

/** Undefined for what is not packed JSON, or too much of it. */
function unpacked(text: string): unknown {
  try {
    const json = gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: maxResultBytes })
    return jsonScanner().push(json) === undefined ? JSON.parse(json.toString()) : undefined
  } catch {
    return undefined
  }
}

function isStored(data: unknown): data is Stored {
  if (typeof data !== 'object' || data === null || !('job' in data) || !('settings' in data)) return false
  return isEpisodeJob(data.job) && typeof data.settings === 'object' && data.settings !== null
}

/** The errors of BullMQ for a job that is gone, or that another worker has by now. */
const lostCodes = [-1, -2, -3, -6]

function ignoreLost(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? Number(error.code) : Number.NaN
  const isLocked = error instanceof Error && /could not be removed because it is locked/.test(error.message)
  if (!lostCodes.includes(code) && !isLocked) throw error
}

/** Ends early when the signal aborts. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
}
