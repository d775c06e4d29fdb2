/** Threads shared by jobs: started on first use, replaced when one is lost. */
import { existsSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import type { SharedAnchor } from '../disk/anchor.js'
import { optimiseLater } from './optimise-later.js'
import type { FromWorker, ToWorker, WorkerSetup } from './thread-messages.js'

/** Work for all threads, in batches. Each batch is posted to all of them and answered by one. */
export interface Job {
  readonly number: number
  answered(answer: Answer): void
  /** The messages of open batches, for a thread that is started later. */
  unanswered(): ToWorker[]
  /** A thread has ended, and with it the batch of this job that it had claimed, if any. */
  threadLost(batch: number | undefined): void
  /** There are no threads left: no batch will be answered. */
  abandoned(): void
  /** Tells the threads to stop working on it. */
  stop(): void
}

/** The results of a batch. */
export type Answer = Exclude<FromWorker, { kind: 'ready' }>

export interface PoolThreads {
  /** The number of threads, started or not. */
  readonly count: number
  /** False when threads can't be started. */
  readonly usable: boolean
  /** All threads are running. */
  readonly ready: boolean
  start(): void
  /** Starts the threads and creates a job, given its number and a function that posts to all threads. */
  begin<Begun extends Job>(make: (number: number, post: (message: ToWorker) => void) => Begun): Begun
  /** Ends a job, completed or not. */
  finish(job: Job): void
  close(): void
}

export interface PoolThreadsOptions {
  roots: readonly SharedAnchor[]
  /** The module that the threads run. */
  workerFile: string
  count: number
}

interface PoolThread {
  thread: Worker
  inHand: Int32Array
  ready: boolean
}

/** Objects in a thread are short-lived; a larger heap would only fill up. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 }
/** A thread that still works on a job so long after its end hangs, and is terminated. */
const graceMs = 2_000

export function poolThreads({ roots, workerFile, count }: PoolThreadsOptions): PoolThreads {
  const threads = new Set<PoolThread>()
  const jobs = new Map<number, Job>()
  let lastNumber = 0
  /** Set while there are jobs. */
  let optimiseAgain: (() => void) | undefined
  let usable = count > 0 && existsSync(workerFile)

  function start(): void {
    while (usable && threads.size < count) startOne()
  }

  function startOne(): void {
    const inHand = new Int32Array(new SharedArrayBuffer(8))
    const setup: WorkerSetup = { polyfs: 'search-worker', roots, inHand }
    // Loaded late: most runs of the command search nothing.
    const { Worker: Thread } = process.getBuiltinModule('node:worker_threads')
    const thread = new Thread(workerFile, { workerData: setup, execArgv: [], argv: [], resourceLimits })
    const started: PoolThread = { thread, inHand, ready: false }
    threads.add(started)
    if (jobs.size === 0) thread.unref()
    thread.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') started.ready = true
      else jobs.get(message.job)?.answered(message)
    })
    thread.on('error', () => lose(started))
    thread.on('exit', () => lose(started))
    for (const job of jobs.values()) for (const message of job.unanswered()) thread.postMessage(message)
  }

  /** Handles the end of a thread, by failure or by `end`. */
  function lose(lost: PoolThread): void {
    if (!threads.delete(lost)) return
    // A thread that fails to start once will always fail.
    if (!lost.ready) usable = false
    const [inHand, batch] = [Atomics.load(lost.inHand, 0), Atomics.load(lost.inHand, 1)]
    for (const job of jobs.values()) job.threadLost(job.number === inHand ? batch : undefined)
    if (usable) {
      if (jobs.size > 0) start()
    } else for (const job of jobs.values()) job.abandoned()
  }

  function end(ended: PoolThread): void {
    lose(ended)
    void ended.thread.terminate()
  }

  return {
    count,
    get usable() {
      return usable
    },
    get ready() {
      return threads.size === count && [...threads].every(({ ready }) => ready)
    },
    start,
    begin(make) {
      start()
      lastNumber += 1
      const job = make(lastNumber, (message) => {
        for (const { thread } of threads) thread.postMessage(message)
      })
      jobs.set(job.number, job)
      optimiseAgain ??= optimiseLater()
      for (const { thread } of threads) thread.ref()
      return job
    },
    finish(job) {
      const { number } = job
      job.stop()
      jobs.delete(number)
      if (jobs.size === 0) {
        optimiseAgain?.()
        optimiseAgain = undefined
      }
      for (const { thread } of threads) {
        thread.postMessage({ kind: 'end', job: number } satisfies ToWorker)
        if (jobs.size === 0) thread.unref()
      }
      setTimeout(() => {
        for (const each of threads) if (Atomics.load(each.inHand, 0) === number) end(each)
      }, graceMs).unref()
    },
    close() {
      usable = false
      for (const each of [...threads]) end(each)
    },
  }
}
