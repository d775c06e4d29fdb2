/** Intervals for means over tasks. Tasks differ, and so do the trials of one task: both are drawn again, tasks first. */
import { seededRandom } from '../../src/text/seeded-random.js'
import type { Estimate } from './interval.js'

export interface BootstrapOptions {
  /** The same seed gives the same interval. */
  seed: number
  /** How often everything is drawn again. Default: 2000. */
  resamples?: number
}

const defaultResamples = 2000
/** In each tail of the interval. */
const tail = 0.025

/** The mean over tasks of the mean of their values, with a 95 % interval. Tasks without values do not count; `undefined` when none has one. */
export function bootstrapMean(tasks: readonly (readonly number[])[], options: BootstrapOptions): Estimate | undefined {
  const counted = tasks.filter((values) => values.length > 0)
  return bootstrap(counted, options, (values, random) => mean(values, random))
}

/** One task of two runs. */
export interface PairedTask {
  before: readonly number[]
  after: readonly number[]
}

/**
 * The mean over tasks of what `after` has more than `before`, with a 95 % interval. The same tasks are drawn for both, so that a hard task is hard
 * for both: the interval is narrower than the two intervals suggest. Tasks that one side has no values of do not count.
 */
export function bootstrapDifference(tasks: readonly PairedTask[], options: BootstrapOptions): Estimate | undefined {
  const counted = tasks.filter(({ before, after }) => before.length > 0 && after.length > 0)
  return bootstrap(counted, options, ({ before, after }, random) => mean(after, random) - mean(before, random))
}

type Random = () => number

/** `measure` takes the values of a task as they are, or drawn again when it gets a source of randomness. */
function bootstrap<Task>(
  tasks: readonly Task[],
  { seed, resamples = defaultResamples }: BootstrapOptions,
  measure: (task: Task, random?: Random) => number,
): Estimate | undefined {
  if (tasks.length === 0) return undefined
  const random = seededRandom(seed)
  const means = new Float64Array(resamples)
  for (let i = 0; i < resamples; i += 1) {
    let sum = 0
    for (let drawn = 0; drawn < tasks.length; drawn += 1) sum += measure(pick(tasks, random), random)
    means[i] = sum / tasks.length
  }
  means.sort()
  const sum = tasks.reduce((total, task) => total + measure(task), 0)
  return { value: sum / tasks.length, low: quantile(means, tail), high: quantile(means, 1 - tail) }
}

function mean(values: readonly number[], random?: Random): number {
  let sum = 0
  for (const value of values) sum += random === undefined ? value : pick(values, random)
  return sum / values.length
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item
}

/** Between the two nearest values in proportion, as most statistics programs do. */
export function quantile(sorted: ArrayLike<number>, part: number): number {
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}
