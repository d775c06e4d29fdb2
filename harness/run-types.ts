/** The words of a run: what is to be run, and what came of it. */
import type { Prices } from '../models/usage.js'
import type { Budget, FaultSchedule, Score } from './types.js'

/** Everything that determines the results of a run. Plain data, so that threads and other machines can be given it. */
export interface RunSettings {
  /** Identifies the run, for example in a queue that several share. */
  run: string
  /** Directories with tasks. */
  suites: readonly string[]
  /** Of the contents of all suites: whoever runs a job checks that it has the same tasks. */
  suiteHash: string
  /** As the user gave it, such as `oracle` or `command:my-agent --fast`. */
  agent: string
  /** Such as `anthropic:NAME` or `openai:URL#NAME`, for the agent `chat`. */
  model?: string
  /** The user's prices of the model, for a million tokens. */
  prices?: Prices
  trials: number
  /** Trial 1 has this seed, trial 2 the next. */
  seed: number
  /** Replaces what the tasks allow. */
  budget: Partial<Budget>
  /** How much an episode may hold in memory; replaces what the tasks say. */
  maxBytes?: number
  faults?: FaultSchedule
  /** How often an episode is run again that ended as `infra`. */
  retries: number
  /** `real`: commands run programs of the machine, confined. By default they run in the emulated shell. */
  tier?: Tier
  /** Of the file that the agent is in, if it is in one. */
  agentHash?: string
  /** The safety net for tasks that have none of their own. */
  maxWallMs?: number
}

export type Tier = 'emulated' | 'real'

/** One episode to run. */
export interface EpisodeJob {
  run: string
  task: string
  /** The name of the agent. */
  agent: string
  /** From 1. */
  trial: number
  seed: number
}

/**
 * `passed`: all scores are 1. `failed`: some are not. `budget`: failed, and something had run out. `agent-error`: the agent itself failed. `infra`: what
 * ran the episode or judged it failed, so nothing is known about the agent. `skipped`: the task needs more than an episode offers.
 */
export type Outcome = 'passed' | 'failed' | 'budget' | 'agent-error' | 'infra' | 'skipped'

export const outcomes = ['passed', 'failed', 'budget', 'agent-error', 'infra', 'skipped'] as const

export interface EpisodeResult extends EpisodeJob {
  outcome: Outcome
  /** The weighted mean of the scores; 0 after an error of the agent. Absent when nothing is known: `infra` and `skipped`. */
  value?: number
  scores: readonly Score[]
  /** Why it is not `passed`. */
  reason?: string
  usage: EpisodeUsage
  /** `real` if commands ran programs of the machine: the same calls may then have other results. Absent otherwise. */
  tier?: 'real'
  /** Of the last attempt; absent when it did not begin. */
  transcriptHash?: string
  /** From 1; more after `infra`. */
  attempts: number
  wallMs: number
  /** The lines of the trace. Stored in a file of its own. */
  trace?: string
}

/** What an episode used, counted from its trace. */
export interface EpisodeUsage {
  calls: number
  failedCalls: number
  turns: number
  inputTokens: number
  /** How many of them came from a cache; absent when none did. */
  cachedTokens?: number
  outputTokens: number
  /** Absent when no answer had a price. */
  cost?: number
}

/** True when nothing is known about the agent: left out of rates, and run again when a run is resumed. */
export function isMissing({ outcome }: Pick<EpisodeResult, 'outcome'>): boolean {
  return outcome === 'infra'
}
