/** Hands out episodes to whoever runs them: in this process, in threads or on other machines. */
import type { EpisodeJob, EpisodeResult } from './run-types.js'

/**
 * Each job is handed out at least once: again when whoever took it gives it back or is lost. So a job may be run twice, and then its first
 * result counts.
 */
export interface EpisodeQueue {
  /** A job whose id is known already is ignored. */
  add(jobs: readonly EpisodeJob[]): Promise<void>
  /** Waits for the next job. `undefined` when no job will come any more, or when the signal aborts. */
  take(options?: { signal?: AbortSignal }): Promise<TakenJob | undefined>
  /** Reports the result of a job. False when the job has a result already: then this one is dropped. */
  complete(taken: TakenJob, result: EpisodeResult): Promise<boolean>
  /** Gives a job back that was not finished, so that it is handed out again. */
  release(taken: TakenJob): Promise<void>
  /** The first result of every job, as they come, for one reader. Ends when all jobs have one, or when the queue is closed. */
  results(): AsyncIterable<EpisodeResult>
  /** Hands out no further job. Results that come later are dropped. */
  close(): Promise<void>
}

export interface TakenJob {
  readonly id: string
  readonly job: EpisodeJob
}

/** Of run, task, agent and trial. Only letters, digits, `%`, `/` and `-_.!~*'()`. */
export function jobId({ run, task, agent, trial }: Pick<EpisodeJob, 'run' | 'task' | 'agent' | 'trial'>): string {
  return [run, task, agent, String(trial)].map((part) => encodeURIComponent(part.toWellFormed())).join('/')
}

/** A queue for one process. */
export function memoryQueue(): EpisodeQueue {
  const jobs = new Map<string, EpisodeJob>()
  const waiting: string[] = []
  const done = new Set<string>()
  const results: EpisodeResult[] = []
  let isClosed = false
  let wake = changed()

  const isOver = () => isClosed || done.size === jobs.size
  function notify(): void {
    const woken = wake
    wake = changed()
    woken.resolve()
  }

  function next(): TakenJob | undefined {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const job = jobs.get(id)
      if (job !== undefined && !done.has(id)) return { id, job }
    }
    return undefined
  }

  return {
    async add(added) {
      for (const job of added) {
        const id = jobId(job)
        if (jobs.has(id)) continue
        jobs.set(id, job)
        waiting.push(id)
      }
      notify()
    },
    async take({ signal } = {}) {
      while (!isClosed && signal?.aborted !== true) {
        const taken = next()
        if (taken !== undefined) return taken
        if (isOver()) return undefined
        await wakeOrAbort(wake.promise, signal)
      }
      return undefined
    },
    async complete({ id }, result) {
      if (isClosed || done.has(id)) return false
      done.add(id)
      results.push(result)
      notify()
      return true
    },
    async release({ id }) {
      if (!done.has(id) && !waiting.includes(id)) waiting.push(id)
      notify()
    },
    async *results() {
      for (;;) {
        while (results.length === 0 && !isOver()) await wake.promise
        // Not kept: traces are long.
        const result = results.shift()
        if (result === undefined) return
        yield result
      }
    },
    async close() {
      isClosed = true
      notify()
    },
  }
}

export interface WorkOptions {
  /** How many jobs are run at once. */
  parallel: number
  /** Gives up what is running. */
  signal: AbortSignal
  /** Takes no further job, and finishes what is running. */
  drain?: AbortSignal
}

/** Takes jobs and runs them until no more come. Gives a job back that fails to run, and then fails itself. */
export async function workThrough(
  queue: EpisodeQueue,
  run: (job: EpisodeJob, signal: AbortSignal) => Promise<EpisodeResult>,
  { parallel, signal, drain = signal }: WorkOptions,
): Promise<void> {
  await Promise.all(Array.from({ length: parallel }, worker))

  async function worker(): Promise<void> {
    for (;;) {
      const taken = signal.aborted ? undefined : await queue.take({ signal: drain })
      if (taken === undefined) return
      await runOne(taken)
    }
  }

  async function runOne(taken: TakenJob): Promise<void> {
    let result: EpisodeResult
    try {
      result = await run(taken.job, signal)
    } catch (error) {
      await queue.release(taken)
      if (signal.aborted) return
      throw error
    }
    await queue.complete(taken, result)
  }
}

interface Change {
  promise: Promise<void>
  resolve(): void
}

function changed(): Change {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}

async function wakeOrAbort(woken: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return woken
  const { promise, resolve } = changed()
  signal.addEventListener('abort', resolve, { once: true })
  await Promise.race([woken, promise])
  signal.removeEventListener('abort', resolve)
}
