import type { Trials } from './pass-at-k.js'

/** Where a value probably is. */
export interface Interval {
  low: number
  high: number
}

export interface Estimate extends Interval {
  value: number
}

/** The quantile of the normal distribution that 95 % lie within, on both sides. */
const z95 = 1.959963984540054

/** The 95 % interval of a rate by Wilson's score: never empty, never outside 0 to 1, also for 0 of 3 and 3 of 3. */
export function wilson({ trials, passed }: Trials): Interval {
  if (trials === 0) return { low: 0, high: 1 }
  const rate = passed / trials
  const square = z95 * z95
  const scale = 1 + square / trials
  const middle = (rate + square / (2 * trials)) / scale
  const half = (z95 * Math.sqrt((rate * (1 - rate)) / trials + square / (4 * trials * trials))) / scale
  // The bounds of none and all are exact; computed, they miss 0 and 1 by a rounding error.
  return { low: passed === 0 ? 0 : middle - half, high: passed === trials ? 1 : middle + half }
}
