/** Runs the jobs of one run: knows its tasks, its agent and its limits. */

import { reasonOf } from '../../harness/infra-error.js'
import { infraResult, runEpisode, skippedResult } from '../../harness/run-episode.js'
import type { EpisodeJob, EpisodeResult, RunSettings, Tier } from '../../harness/run-types.js'
import type { EpisodeAgent } from '../../harness/types.js'
import type { WorkspaceOptions } from '../../src/workspace/workspace-options.js'
import { emulatedShell } from '../shell/emulated-shell.js'
import { realShell } from '../shell/layers/real-shell.js'
import { loadAgent } from './agents/load-agent.js'
import { hashSuites, loadSuites } from './suites.js'

export interface EpisodeRunner {
  /** The ids of all tasks, those that are skipped too; sorted. */
  readonly tasks: readonly string[]
  /** Why tasks are skipped, by id. */
  readonly skipped: ReadonlyMap<string, string>
  readonly agentName: string
  /** Throws when the signal aborts. */
  run(job: EpisodeJob, signal: AbortSignal): Promise<EpisodeResult>
}

export interface RunnerOptions {
  /** The module that the workers of the emulated shell load. */
  commandWorker: string
  /** How many commands run at once. */
  parallel: number
}

/** Loads tasks and agent anew, here or on another machine. Fails when the tasks are not those of the settings. */
export async function openRunner(settings: RunSettings, options: RunnerOptions): Promise<EpisodeRunner> {
  const { suites, suiteHash, budget, maxBytes, faults, retries, maxWallMs } = settings
  const [suite, agent] = [await loadSuites(suites), await loadAgent(settings)]
  if (hashSuites(suites) !== suiteHash) {
    throw new Error(`the tasks in ${suites.join(', ')} are not those that the run began with`)
  }
  const tasks = new Map(suite.tasks.map((task) => [task.id, task]))
  const skipped = new Map(suite.skipped.map(({ id, skipped: reason }) => [id, reason]))
  const shell = sharedShell({ ...options, ...(settings.tier && { tier: settings.tier }) })
  return {
    tasks: [...tasks.keys(), ...skipped.keys()].sort(),
    skipped,
    agentName: agent.name,
    async run(job, signal) {
      const task = tasks.get(job.task)
      if (task === undefined) return missing(job, skipped.get(job.task))
      let own: EpisodeAgent
      try {
        own = await agent.for(job)
      } catch (error) {
        return infraResult(job, reasonOf(error))
      }
      const limits = {
        budget,
        retries,
        ...(maxBytes !== undefined && { maxBytes }),
        ...(faults && { faults }),
        ...(maxWallMs !== undefined && { maxWallMs }),
      }
      return runEpisode({ task, agent: own, job, shell, signal, ...limits })
    },
  }
}

/** One shell for all episodes keeps its workers warm, or the trees it has written. Throws a `SandboxError` where there is no real tier. */
export function sharedShell({
  commandWorker,
  parallel,
  tier = 'emulated',
}: RunnerOptions & { tier?: Tier }): NonNullable<WorkspaceOptions['shell']> {
  if (tier === 'real') return realShell()
  return emulatedShell({ worker: commandWorker, workers: parallel, maxCommands: Math.max(32, parallel) })
}

function missing(job: EpisodeJob, reason: string | undefined): EpisodeResult {
  if (reason !== undefined) return skippedResult(job, reason)
  return infraResult(job, 'there is no such task here')
}
