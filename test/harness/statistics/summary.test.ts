import { expect, test } from 'vitest'
import type { EpisodeResult, Outcome } from '../../../harness/run-types.js'
import { compareRuns } from '../../../harness/statistics/compare.js'
import { summarize } from '../../../harness/statistics/summary.js'

function result(task: string, trial: number, outcome: Outcome, value?: number): EpisodeResult {
  const counted = outcome !== 'infra' && outcome !== 'skipped'
  return {
    run: 'r',
    task,
    agent: 'a',
    trial,
    seed: trial,
    outcome,
    ...(counted && { value: value ?? (outcome === 'passed' ? 1 : 0) }),
    scores: [],
    ...(outcome !== 'passed' && { reason: `${task} ${trial}: ${outcome}` }),
    usage: { calls: 2, failedCalls: 1, turns: 3, inputTokens: 10, outputTokens: 5 },
    attempts: 1,
    wallMs: 7,
  }
}

const trials = 3
const results = [
  result('steady', 1, 'passed'),
  result('steady', 2, 'passed'),
  result('steady', 3, 'passed'),
  result('flaky', 3, 'budget'),
  result('flaky', 1, 'passed'),
  result('flaky', 2, 'failed', 0.5),
  result('broken', 1, 'infra'),
  result('broken', 2, 'agent-error'),
  result('unsuitable', 1, 'skipped'),
]
const tasks = ['steady', 'flaky', 'broken', 'unsuitable', 'not run']

test('missing episodes lower the coverage, not the rate', () => {
  const summary = summarize({ tasks, trials, results, seed: 1 })
  expect(summary).toMatchObject({
    outcomes: { passed: 4, failed: 1, budget: 1, 'agent-error': 1, infra: 1, skipped: 1 },
    expected: 12,
    counted: 7,
    coverage: 7 / 12,
    flaky: ['flaky'],
    usage: { calls: 18, failedCalls: 9, turns: 27, inputTokens: 90, outputTokens: 45 },
    wallMs: 63,
  })
  expect(summary.passRate?.value).toBeCloseTo((1 + 1 / 3 + 0) / 3, 12)
  expect(summary.score?.value).toBeCloseTo((1 + 0.5 + 0) / 3, 12)
  expect(summary.usage.cost).toBe(undefined)
})

test('pass@k and pass^k are means over the tasks that have k trials', () => {
  const { passAtK, passAllK } = summarize({ tasks, trials, results, seed: 1 })
  const rounded = (rates: typeof passAtK) =>
    rates.map(({ k, rate, tasks: of }) => [k, Math.round(rate * 1e6) / 1e6, of])
  expect(rounded(passAtK)).toEqual([
    [1, 0.444444, 3],
    [2, 0.833333, 2],
    [3, 1, 2],
  ])
  expect(rounded(passAllK)).toEqual([
    [1, 0.444444, 3],
    [2, 0.5, 2],
    [3, 0.5, 2],
  ])
})

test('each task has its rate, its interval, and what is missing', () => {
  const { tasks: summaries } = summarize({ tasks, trials, results, seed: 1 })
  expect(summaries.map(({ interval: _, ...rest }) => rest)).toEqual([
    {
      task: 'broken',
      trials: 1,
      passed: 0,
      rate: 0,
      score: 0,
      missing: 2,
      flaky: false,
      outcomes: { infra: 1, 'agent-error': 1 },
      reason: 'broken 1: infra',
    },
    {
      task: 'flaky',
      trials: 3,
      passed: 1,
      rate: 1 / 3,
      score: 0.5,
      missing: 0,
      flaky: true,
      outcomes: { passed: 1, failed: 1, budget: 1 },
      reason: 'flaky 2: failed',
    },
    { task: 'not run', trials: 0, passed: 0, missing: 3, flaky: false, outcomes: {} },
    { task: 'steady', trials: 3, passed: 3, rate: 1, score: 1, missing: 0, flaky: false, outcomes: { passed: 3 } },
    {
      task: 'unsuitable',
      trials: 0,
      passed: 0,
      missing: 0,
      flaky: false,
      skipped: 'unsuitable 1: skipped',
      outcomes: { skipped: 1 },
      reason: 'unsuitable 1: skipped',
    },
  ])
})

test('a run without anything that counts has no rate', () => {
  const summary = summarize({ tasks: ['a'], trials: 1, results: [result('a', 1, 'infra')], seed: 1 })
  expect(summary.passRate).toBe(undefined)
  expect(summary.coverage).toBe(0)
  expect(summarize({ tasks: ['a'], trials: 1, results: [result('a', 1, 'skipped')], seed: 1 }).coverage).toBe(1)
})

test('the order of results changes nothing', () => {
  const summary = summarize({ tasks, trials, results, seed: 1 })
  expect(summarize({ tasks, trials, results: [...results].reverse(), seed: 1 })).toEqual(summary)
})

test('runs are compared over the tasks that count in both', () => {
  const before = [result('a', 1, 'failed'), result('b', 1, 'passed'), result('c', 1, 'passed'), result('d', 1, 'infra')]
  const after = [result('a', 1, 'passed'), result('b', 1, 'passed'), result('d', 1, 'passed')]
  const comparison = compareRuns({ before, after }, { seed: 1 })
  expect(comparison.passRate?.value).toBe(0.5)
  expect(comparison.tasks).toEqual([
    { task: 'a', before: 0, after: 1 },
    { task: 'b', before: 1, after: 1 },
  ])
  expect(comparison.unpaired).toEqual(['c', 'd'])
  expect(compareRuns({ before: [], after }, { seed: 1 }).passRate).toBe(undefined)
})
