/** What the main thread and the threads of `--threads` say to each other. */
import type { EpisodeJob, EpisodeResult, RunSettings } from '../../../harness/run-types.js'
import type { RunnerOptions } from '../runner.js'

export interface EpisodeWorkerSetup {
  polyfs: 'episode-worker'
  settings: RunSettings
  options: RunnerOptions
}

export type ToEpisodeWorker = { kind: 'run'; id: number; job: EpisodeJob } | { kind: 'stop' }

export type FromEpisodeWorker = EpisodeAnswer | { stray: string }

export type EpisodeAnswer = { id: number; result: EpisodeResult } | { id: number; failed: string }
