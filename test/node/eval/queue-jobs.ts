import type { EpisodeJob, EpisodeResult, RunSettings } from '../../../harness/run-types.js'

/** Short, so that lost workers are noticed soon; long enough for a machine under load. */
export const lostAfterMs = 1000

export function settingsOf(run: string): RunSettings {
  return { run, suites: ['/suite'], suiteHash: 'h', agent: 'oracle', trials: 1, seed: 1, budget: {}, retries: 2 }
}

export function jobOf(run: string, task: string): EpisodeJob {
  return { run, task, agent: 'oracle', trial: 1, seed: 1 }
}

/** Determined by the job, as that of an episode is. */
export function resultOf(job: EpisodeJob, more: Partial<EpisodeResult> = {}): EpisodeResult {
  return {
    ...job,
    outcome: 'passed',
    value: 1,
    scores: [{ name: 'files', value: 1, reason: 'ünïcode \u0000 and "quotes"' }],
    usage: { calls: 1, failedCalls: 0, turns: 0, inputTokens: 0, outputTokens: 0 },
    attempts: 1,
    wallMs: 5,
    trace: `{"type":"header","task":"${job.task}"}\n`.repeat(100),
    ...more,
  }
}
