/** Runs the jobs of a queue that several machines share. */
import { infraResult } from '../../harness/run-episode.js'
import type { EpisodeJob, EpisodeResult, RunSettings } from '../../harness/run-types.js'
import type { BullmqQueue, TakenBullmqJob } from './bullmq-queue.js'

/** Runs the jobs of one run. */
export interface JobRunner {
  run(job: EpisodeJob, signal: AbortSignal): Promise<EpisodeResult>
}

export interface WorkOptions {
  parallel: number
  signal: AbortSignal
  /** Loads what the jobs of a run need: its tasks and its agent. */
  open(settings: RunSettings): Promise<JobRunner>
  /** Called with every result, and whether it was the first of its job. */
  onResult?: (result: EpisodeResult, isFirst: boolean) => void
}

/** How many runs' tasks and agents stay loaded. */
const maxOpenRuns = 8

/** Runs jobs until the signal aborts or no more come. What was not finished then is given back. */
export async function workOn(queue: BullmqQueue, { parallel, signal, open, onResult }: WorkOptions): Promise<void> {
  const runners = new Map<string, Promise<JobRunner>>()
  await Promise.all(Array.from({ length: parallel }, work))

  async function work(): Promise<void> {
    for (;;) {
      const taken = await queue.take({ signal })
      if (taken === undefined) return
      const result = await resultOf(taken)
      if (result === undefined) await queue.release(taken)
      else onResult?.(result, await queue.complete(taken, result))
    }
  }

  /** Undefined when it was given up because the signal aborted. Whatever else fails is a result without a score. */
  async function resultOf({ job, settings }: TakenBullmqJob): Promise<EpisodeResult | undefined> {
    try {
      const runner = await runnerOf(settings)
      return await runner.run(job, signal)
    } catch (error) {
      if (signal.aborted) return undefined
      return infraResult(job, error instanceof Error ? error.message : String(error))
    }
  }

  /** One that could not be opened is opened again for the next job: its suite may be there by then. */
  async function runnerOf(settings: RunSettings): Promise<JobRunner> {
    const key = JSON.stringify(settings)
    const known = runners.get(key)
    const runner = known ?? open(settings)
    // Inserted again at the end, so that the first entry is the least recently used.
    runners.delete(key)
    runners.set(key, runner)
    const [oldest] = runners.keys()
    if (runners.size > maxOpenRuns && oldest !== undefined) runners.delete(oldest)
    try {
      return await runner
    } catch (error) {
      if (runners.get(key) === runner) runners.delete(key)
      throw error
    }
  }
}
