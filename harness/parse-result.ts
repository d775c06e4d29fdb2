/** Results and jobs from files and queues: anyone may have written them. */
import { type EpisodeJob, type EpisodeResult, outcomes } from './run-types.js'

/** Whether it has the shape of a result. Reports print and add up what is in it. */
export function isEpisodeResult(value: unknown): value is EpisodeResult {
  if (!isEpisodeJob(value)) return false
  const { outcome, value: score, scores, reason, usage, transcriptHash, attempts, wallMs, trace }: Given = { ...value }
  return (
    outcomes.some((known) => known === outcome) &&
    isAbsentOr('number', score) &&
    Array.isArray(scores) &&
    scores.every(isScore) &&
    isUsage(usage) &&
    isNumber(wallMs) &&
    isAbsentOr('number', attempts) &&
    [reason, transcriptHash, trace].every((text) => isAbsentOr('string', text))
  )
}

export function isEpisodeJob(value: unknown): value is EpisodeJob {
  if (!isObject(value)) return false
  const { run, task, agent, trial, seed } = value
  return [run, task, agent].every((text) => typeof text === 'string') && Number.isSafeInteger(trial) && isNumber(seed)
}

type Given = Record<string, unknown>

function isScore(value: unknown): boolean {
  if (!isObject(value)) return false
  const { name, value: score, reason } = value
  return typeof name === 'string' && isNumber(score) && typeof reason === 'string'
}

function isUsage(value: unknown): boolean {
  if (!isObject(value)) return false
  const { calls, failedCalls, turns, inputTokens, cachedTokens, outputTokens, cost } = value
  const counts = [calls, failedCalls, turns, inputTokens, outputTokens]
  return counts.every(isNumber) && isAbsentOr('number', cachedTokens) && isAbsentOr('number', cost)
}

function isAbsentOr(type: 'number' | 'string', value: unknown): boolean {
  return value === undefined || (type === 'number' ? isNumber(value) : typeof value === 'string')
}

/** JSON has numbers that are infinite here, such as `1e999`. */
function isNumber(value: unknown): value is number {
  return Number.isFinite(value)
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
