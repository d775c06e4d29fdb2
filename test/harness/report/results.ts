import type { EpisodeResult } from '../../../harness/run-types.js'
import { outcomes } from '../../../harness/run-types.js'

/** Three trials of every task, with all outcomes, and reasons that repeat the name. */
export function resultsOf(tasks: readonly string[], agent = 'agent'): EpisodeResult[] {
  return tasks.flatMap((task, index) => [1, 2, 3].map((trial) => resultOf({ task, trial, agent, index })))
}

function resultOf(given: { task: string; trial: number; agent: string; index: number }): EpisodeResult {
  const { task, trial, agent, index } = given
  // Skipping concerns a task, not a trial.
  const outcome = index % 7 === 6 ? 'skipped' : (outcomes[(index + trial) % 5] ?? 'passed')
  const value = outcome === 'passed' ? 1 : 0.5
  return {
    run: 'r',
    task,
    agent,
    trial,
    seed: trial,
    outcome,
    ...(outcome !== 'infra' && outcome !== 'skipped' && { value }),
    scores: outcome === 'failed' ? [{ name: task, value: 0.5, reason: task }] : [],
    ...(outcome !== 'passed' && { reason: `because of ${task}` }),
    usage: { calls: 3, failedCalls: 1, turns: 2, inputTokens: 100, outputTokens: 10, cost: 0.01 },
    attempts: 1,
    wallMs: 1234,
  }
}
