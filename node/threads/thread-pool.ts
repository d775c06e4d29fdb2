/** Threads that jobs share: started when first wanted, told of all jobs there are, made anew when one is lost. */
import { existsSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import type { SharedAnchor } from '../disk/anchor.js'
import type { FromWorker, ToWorker, WorkerSetup } from './search-messages.js'

/** What some threads work on together, in batches. Each batch is posted to all of them and answered by one. */
export interface Job {
  readonly number: number
  answered(answer: Answer): void
  /** What is open, for a thread that comes later. */
  unanswered(): ToWorker[]
  /** A thread is gone, which had a batch of this job in hand, or none that is known of. */
  threadLost(batch: number | undefined): void
  /** Nobody will answer any more. */
  abandoned(): void
  /** Threads need not go on. */
  stop(): void
}

/** What threads find out. */
export type Answer = Exclude<FromWorker, { kind: 'ready' }>

export interface PoolThreads {
  /** How many there are, once they are started. */
  readonly count: number
  /** False when there are none to be had. */
  readonly usable: boolean
  /** All of them have been started, and are up. */
  readonly ready: boolean
  start(): void
  /** Starts the threads for a job, which is made with its number and a way to tell them of it. */
  begin<Begun extends Job>(make: (number: number, post: (message: ToWorker) => void) => Begun): Begun
  /** Whatever came of the job. */
  finish(job: Job): void
  close(): void
}

export interface PoolThreadsOptions {
  roots: readonly SharedAnchor[]
  /** The module that they start from. */
  workerFile: string
  count: number
}

interface PoolThread {
  thread: Worker
  inHand: Int32Array
  ready: boolean
}

/** What a thread makes it is done with soon; room for more would only be filled. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 }
/** How long a thread may stay with a job that is over before it is ended; it looks up far more often, unless it hangs. */
const graceMs = 2_000

export function poolThreads({ roots, workerFile, count }: PoolThreadsOptions): PoolThreads {
  const threads = new Set<PoolThread>()
  const jobs = new Map<number, Job>()
  let lastNumber = 0
  let usable = count > 0 && existsSync(workerFile)

  function start(): void {
    while (usable && threads.size < count) startOne()
  }

  function startOne(): void {
    const inHand = new Int32Array(new SharedArrayBuffer(8))
    const setup: WorkerSetup = { polyfs: 'search-worker', roots, inHand }
    // Not at every start: most have nothing to search.
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

  /** A thread that failed, or was ended. */
  function lose(lost: PoolThread): void {
    if (!threads.delete(lost)) return
    // It would never start, however often it is tried.
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
      for (const { thread } of threads) thread.ref()
      return job
    },
    finish(job) {
      const { number } = job
      job.stop()
      jobs.delete(number)
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
