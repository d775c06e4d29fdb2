/** Two runs of the same tasks side by side. */
import type { EpisodeResult } from '../run-types.js'
import { bootstrapDifference } from './bootstrap.js'
import type { Estimate } from './interval.js'
import { isCounted, passValue, resultsByTask } from './summary.js'

export interface Comparison {
  /** What the pass rate of `after` is above that of `before`, over the tasks of both. Absent when there are none. */
  passRate?: Estimate
  /** The same for the scores. */
  score?: Estimate
  /** Tasks that count in both, sorted by name. */
  tasks: readonly TaskDifference[]
  /** Tasks that only one of the runs has results of. */
  unpaired: readonly string[]
}

export interface TaskDifference {
  task: string
  before: number
  after: number
}

export function compareRuns(
  { before, after }: { before: readonly EpisodeResult[]; after: readonly EpisodeResult[] },
  options: { seed: number },
): Comparison {
  const names = [...new Set([...before, ...after].map(({ task }) => task))].sort()
  const earlier = resultsByTask(names, before.filter(isCounted))
  const later = resultsByTask(names, after.filter(isCounted))
  const pairs = names.map((task) => ({ task, before: earlier.get(task) ?? [], after: later.get(task) ?? [] }))
  const paired = pairs.filter((pair) => pair.before.length > 0 && pair.after.length > 0)
  const difference = (measure: (result: EpisodeResult) => number) =>
    bootstrapDifference(
      paired.map((pair) => ({ before: pair.before.map(measure), after: pair.after.map(measure) })),
      options,
    )
  const passRate = difference(passValue)
  const score = difference(({ value = 0 }) => value)
  return {
    ...(passRate && { passRate }),
    ...(score && { score }),
    tasks: paired.map((pair) => ({ task: pair.task, before: rateOf(pair.before), after: rateOf(pair.after) })),
    unpaired: pairs.filter((pair) => pair.before.length > 0 !== pair.after.length > 0).map(({ task }) => task),
  }
}

function rateOf(results: readonly EpisodeResult[]): number {
  return results.reduce((sum, result) => sum + passValue(result), 0) / results.length
}
