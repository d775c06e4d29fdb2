/** From what an agent left to one number. */
import { isFsError } from '../../src/errors.js'
import { InfraError, reasonOf } from '../infra-error.js'
import type { Episode, Score, ScoredRun, Scorer } from '../types.js'

export interface RunScore {
  /** From 0 to 1. */
  value: number
  /** The value is 1. */
  passed: boolean
  scores: readonly Score[]
}

/** Sums of decimal weights are a little off. */
const tolerance = 1e-9

/**
 * Scores a run after the agent's last call. Each scorer works in a fork of its own: no scorer sees what another one did, and nothing of it
 * gets back into the episode. The scores are added to the trace. Throws an `InfraError` where there is no result: a scorer that throws is
 * no 0.
 */
export async function scoreRun(run: ScoredRun): Promise<RunScore> {
  const { task, trace } = run
  const scores: Score[] = []
  // What is injected to try the agent must not hit the scorers. A call that the agent did not wait for ends first; one that is made later changes only the original.
  await arrivalOfCalls()
  await run.episode.idle()
  const episode = run.episode.fork({ faults: false, ownMemory: true })
  try {
    for (const scorer of task.score) scores.push(...(await scoredIn(episode.fork(), scorer, run)))
  } finally {
    await episode.close()
  }
  for (const score of scores) trace.add({ type: 'score', ...score })
  const value = meanOf(scores)
  return { value, passed: value === 1, scores }
}

/** A call that was made has some steps to go before the episode knows of it. */
function arrivalOfCalls(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}

async function scoredIn(episode: Episode, scorer: Scorer, run: ScoredRun): Promise<Score[]> {
  try {
    return await scoresOf(scorer, { ...run, episode })
  } finally {
    await episode.close()
  }
}

async function scoresOf(scorer: Scorer, run: ScoredRun): Promise<Score[]> {
  try {
    return (await scorer(run)).map(checked)
  } catch (error) {
    if (error instanceof InfraError) throw error
    const reason = isFsError(error) ? `${error.code}: ${error.message}` : reasonOf(error)
    throw new InfraError(`a scorer failed: ${reason}`, { cause: error })
  }
}

/** A value that is not a number from 0 to 1 is 0, whoever gave it. */
function checked(score: Score): Score {
  const { value, weight = 1 } = score
  if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
    throw new InfraError(`the weight of ${JSON.stringify(score.name)} is ${weight}: it has to be a number from 0`)
  }
  if (value >= 0 && value <= 1) return score
  return { ...score, value: 0, reason: `the value ${value} is not from 0 to 1` }
}

/** The weighted mean, or 0 where a gate is not passed. Without any score there is nothing to pass. */
export function meanOf(scores: readonly Score[]): number {
  if (scores.length === 0 || scores.some(({ gate, value }) => gate && value < 1)) return 0
  const counted = scores.filter(({ gate }) => !gate)
  if (counted.length === 0) return 1
  const weights = counted.reduce((sum, { weight = 1 }) => sum + weight, 0)
  if (weights === 0) return 0
  const mean = counted.reduce((sum, { value, weight = 1 }) => sum + value * weight, 0) / weights
  return Math.abs(mean - 1) < tolerance ? 1 : Math.min(1, Math.max(0, mean))
}
