/** Spreads episodes over threads, each with its own tasks and agent. */
import { Worker } from 'node:worker_threads'
import { infraResult } from '../../../harness/run-episode.js'
import type { EpisodeJob, EpisodeResult } from '../../../harness/run-types.js'
import type { EpisodeAnswer, EpisodeWorkerSetup, FromEpisodeWorker, ToEpisodeWorker } from './episode-messages.js'

export interface EpisodeThreads {
  /** Throws when the signal aborts, and when a thread can't run the job at all. */
  run(job: EpisodeJob, signal: AbortSignal): Promise<EpisodeResult>
  close(): Promise<void>
}

export interface EpisodeThreadsOptions extends Omit<EpisodeWorkerSetup, 'polyfs'> {
  count: number
  /** The module that threads run. */
  workerFile: string
  /** Called with the reason of an error that nobody handled in a thread. */
  onStrayError(reason: string): void
}

interface Thread {
  worker: Worker
  pending: Map<number, Pending>
}

interface Pending {
  resolve(said: EpisodeAnswer): void
  lost(reason: string): void
}

export function episodeThreads(given: EpisodeThreadsOptions): EpisodeThreads {
  const { count, workerFile, settings, options, onStrayError } = given
  const threads: (Thread | undefined)[] = Array.from({ length: count }, () => undefined)
  let lastId = 0

  function start(place: number): Thread {
    const setup: EpisodeWorkerSetup = { polyfs: 'episode-worker', settings, options }
    const worker = new Worker(workerFile, { workerData: setup, execArgv: [], argv: [] })
    const thread: Thread = { worker, pending: new Map() }
    threads[place] = thread
    worker.on('message', (said: FromEpisodeWorker) => {
      if ('stray' in said) return onStrayError(said.stray)
      const pending = thread.pending.get(said.id)
      thread.pending.delete(said.id)
      pending?.resolve(said)
    })
    worker.on('error', (error) => lose(error.message))
    worker.on('exit', () => lose('it ended'))
    return thread

    function lose(reason: string): void {
      if (threads[place] === thread) threads[place] = undefined
      for (const { lost } of thread.pending.values()) lost(reason)
      thread.pending.clear()
    }
  }

  /** The one with the least to do; threads are started when they are needed. */
  function leastBusy(): Thread {
    const loads = threads.map((thread) => thread?.pending.size ?? 0)
    const place = loads.indexOf(Math.min(...loads))
    return threads[place] ?? start(place)
  }

  async function attempt(job: EpisodeJob): Promise<EpisodeAnswer | { lost: string }> {
    const { worker, pending } = leastBusy()
    lastId += 1
    const id = lastId
    return new Promise((resolve) => {
      pending.set(id, { resolve, lost: (reason) => resolve({ lost: reason }) })
      worker.postMessage({ kind: 'run', id, job } satisfies ToEpisodeWorker)
    })
  }

  /** A thread repeats what fails in an episode; only its own loss is left to repeat here. */
  async function runOne(job: EpisodeJob, signal: AbortSignal): Promise<EpisodeResult> {
    for (let attempts = 1; ; attempts += 1) {
      const said = await attempt(job)
      signal.throwIfAborted()
      if ('failed' in said) throw new Error(said.failed)
      if ('result' in said) return said.result
      if (attempts <= settings.retries) continue
      return { ...infraResult(job, `the thread that ran it was lost: ${said.lost}`), attempts }
    }
  }

  return {
    async run(job, signal) {
      const stop = () => {
        for (const thread of threads) thread?.worker.postMessage({ kind: 'stop' } satisfies ToEpisodeWorker)
      }
      signal.addEventListener('abort', stop, { once: true })
      try {
        return await runOne(job, signal)
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
    async close() {
      await Promise.all(threads.map((thread) => thread?.worker.terminate()))
    },
  }
}
