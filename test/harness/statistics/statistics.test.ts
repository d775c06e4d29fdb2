/** Against values that were published, or computed by enumeration. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bootstrapDifference, bootstrapMean, quantile } from '../../../harness/statistics/bootstrap.js'
import { wilson } from '../../../harness/statistics/interval.js'
import { passAllK, passAtK } from '../../../harness/statistics/pass-at-k.js'

describe('pass@k and pass^k', () => {
  test.each([
    [5, 2, 1, 2 / 5, 2 / 5],
    [5, 2, 2, 7 / 10, 1 / 10],
    [5, 2, 3, 9 / 10, 0],
    [5, 2, 4, 1, 0],
    [5, 5, 3, 1, 1],
    [5, 0, 3, 0, 0],
    [10, 3, 5, 231 / 252, 0],
    [8, 7, 8, 1, 0],
    [12, 6, 4, 480 / 495, 15 / 495],
  ])('of %i trials with %i passed, k = %i', (trials, passed, k, at, all) => {
    expect(passAtK({ trials, passed }, k)).toBeCloseTo(at, 12)
    expect(passAllK({ trials, passed }, k)).toBeCloseTo(all, 12)
  })

  test('are what all ways to choose k trials give', () => {
    const cases = fc.integer({ min: 1, max: 11 }).chain((trials) =>
      fc.record({
        trials: fc.constant(trials),
        passed: fc.integer({ min: 0, max: trials }),
        k: fc.integer({ min: 1, max: trials }),
      }),
    )
    fc.assert(
      fc.property(cases, ({ trials, passed, k }) => {
        const chosen = choices(
          Array.from({ length: trials }, (_, i) => i < passed),
          k,
        )
        const part = (count: number) => count / chosen.length
        expect(passAtK({ trials, passed }, k)).toBeCloseTo(part(chosen.filter((c) => c.includes(true)).length), 10)
        expect(passAllK({ trials, passed }, k)).toBeCloseTo(part(chosen.filter((c) => !c.includes(false)).length), 10)
      }),
      { numRuns: 200 },
    )
  })

  test('of thousands of trials neither overflow nor vanish', () => {
    expect(passAtK({ trials: 10_000, passed: 5_000 }, 1)).toBeCloseTo(0.5, 10)
    expect(passAtK({ trials: 10_000, passed: 1 }, 5_000)).toBeCloseTo(0.5, 10)
    expect(passAllK({ trials: 10_000, passed: 9_999 }, 5_000)).toBeCloseTo(0.5, 10)
  })

  test.each([0, 6, 1.5, Number.NaN])('of 5 trials do not exist for k = %d', (k) => {
    expect(passAtK({ trials: 5, passed: 5 }, k)).toBe(undefined)
    expect(passAllK({ trials: 5, passed: 5 }, k)).toBe(undefined)
  })
})

describe("Wilson's interval", () => {
  test.each([
    // Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i of %i, as published', (passed, trials, low, high) => {
    const interval = wilson({ trials, passed })
    expect(interval.low).toBeCloseTo(low, 4)
    expect(interval.high).toBeCloseTo(high, 4)
  })

  test.each([
    [8, 10, 0.49016247153664183, 0.9433178485456247],
    [0, 1, 0, 0.7934506856227626],
    [1, 1, 0.20654931437723745, 1],
    [10, 10, 0.7224672001371107, 1],
    [1, 2, 0.09453120573423074, 0.9054687942657693],
  ])('of %i of %i', (passed, trials, low, high) => {
    const interval = wilson({ trials, passed })
    expect(interval.low).toBeCloseTo(low, 12)
    expect(interval.high).toBeCloseTo(high, 12)
  })

  test('of nothing is everything', () => {
    expect(wilson({ trials: 0, passed: 0 })).toEqual({ low: 0, high: 1 })
  })

  test('contains the rate and stays within 0 and 1', () => {
    for (let trials = 1; trials <= 60; trials += 1) {
      for (let passed = 0; passed <= trials; passed += 1) {
        const { low, high } = wilson({ trials, passed })
        expect([low >= 0, low <= passed / trials, passed / trials <= high, high <= 1]).toEqual([true, true, true, true])
      }
    }
  })
})

describe('the bootstrap over tasks, then trials', () => {
  test('has the distribution that all draws give', () => {
    const tasks = [[0, 1], [1, 1, 0], [0.5]]
    const exact = allMeans(tasks)
    const resamples = 40_000
    const estimate = bootstrapMean(tasks, { seed: 1, resamples })
    expect(estimate?.value).toBeCloseTo((0.5 + 2 / 3 + 0.5) / 3, 12)
    // The distribution is discrete: quantiles of the sample are among its values near the exact quantile.
    expect(estimate?.low).toBeCloseTo(weightedQuantile(exact, 0.025), 2)
    expect(estimate?.high).toBeCloseTo(weightedQuantile(exact, 0.975), 2)
  })

  test('is as wide as the normal approximation for many tasks', () => {
    const tasks = Array.from({ length: 400 }, (_, i) => [i % 4 === 0 ? 1 : 0])
    const estimate = bootstrapMean(tasks, { seed: 3, resamples: 4000 })
    const half = 1.96 * Math.sqrt((0.25 * 0.75) / 400)
    expect(estimate?.value).toBe(0.25)
    expect(estimate?.low).toBeCloseTo(0.25 - half, 2)
    expect(estimate?.high).toBeCloseTo(0.25 + half, 2)
  })

  test('is the same for the same seed, and another for another', () => {
    const tasks = Array.from({ length: 20 }, (_, i) => [i / 20, (i * 7) % 3, i % 2])
    expect(bootstrapMean(tasks, { seed: 5 })).toEqual(bootstrapMean(tasks, { seed: 5 }))
    expect(bootstrapMean(tasks, { seed: 5 })).not.toEqual(bootstrapMean(tasks, { seed: 6 }))
  })

  test('leaves out tasks without a value, and has no estimate without any', () => {
    expect(bootstrapMean([[], [1, 1], []], { seed: 1 })).toEqual({ value: 1, low: 1, high: 1 })
    expect(bootstrapMean([[], []], { seed: 1 })).toBe(undefined)
    expect(bootstrapMean([], { seed: 1 })).toBe(undefined)
  })

  test('weighs tasks equally, however many trials they have', () => {
    expect(bootstrapMean([[1], [0, 0, 0, 0, 0, 0, 0, 0, 0]], { seed: 1 })?.value).toBe(0.5)
  })
})

describe('the paired difference', () => {
  test('is exact when every task improves by the same', () => {
    const tasks = Array.from({ length: 30 }, (_, i) => ({ before: [i / 60], after: [i / 60 + 0.25] }))
    const { value, low, high } = bootstrapDifference(tasks, { seed: 1 }) ?? { value: 0, low: 0, high: 0 }
    for (const bound of [value, low, high]) expect(bound).toBeCloseTo(0.25, 12)
  })

  test('leaves out tasks that only one side has', () => {
    const tasks = [
      { before: [0], after: [1] },
      { before: [], after: [0] },
      { before: [1], after: [] },
    ]
    expect(bootstrapDifference(tasks, { seed: 1 })).toEqual({ value: 1, low: 1, high: 1 })
  })

  test('of a run with itself is 0, in an interval that is as wide below as above', () => {
    const tasks = Array.from({ length: 50 }, (_, i) => ({ before: [i % 2, 1, 0], after: [i % 2, 1, 0] }))
    const estimate = bootstrapDifference(tasks, { seed: 9, resamples: 8000 })
    expect(estimate?.value).toBe(0)
    expect((estimate?.low ?? 0) + (estimate?.high ?? 0)).toBeCloseTo(0, 1)
    expect(estimate?.low).toBeLessThan(0)
  })
})

test('a quantile lies between the two nearest values', () => {
  expect([0, 0.25, 0.5, 0.9, 1].map((part) => quantile([1, 2, 3, 4, 5], part))).toEqual([1, 2, 3, 4.6, 5])
  expect(quantile([7], 0.3)).toBe(7)
})

function choices<Item>(items: readonly Item[], k: number): Item[][] {
  if (k === 0) return [[]]
  return items.flatMap((item, i) => choices(items.slice(i + 1), k - 1).map((rest) => [item, ...rest]))
}

/** Every mean that drawing tasks, then trials, can give, with its probability. */
function allMeans(tasks: readonly (readonly number[])[]): [mean: number, probability: number][] {
  const oneTask = tasks.flatMap((values) =>
    tuples(values, values.length).map((drawn): [number, number] => [
      drawn.reduce((a, b) => a + b, 0) / drawn.length,
      1 / (tasks.length * values.length ** values.length),
    ]),
  )
  return tuples(oneTask, tasks.length).map((drawn) => [
    drawn.reduce((sum, [mean]) => sum + mean, 0) / tasks.length,
    drawn.reduce((product, [, probability]) => product * probability, 1),
  ])
}

function tuples<Item>(items: readonly Item[], length: number): Item[][] {
  if (length === 0) return [[]]
  return tuples(items, length - 1).flatMap((rest) => items.map((item) => [...rest, item]))
}

function weightedQuantile(values: readonly (readonly [number, number])[], part: number): number {
  let sum = 0
  for (const [value, probability] of [...values].sort(([a], [b]) => a - b)) {
    sum += probability
    if (sum >= part) return value
  }
  throw new Error('the probabilities do not add up to 1')
}
