/** What the results of a run say. */
import type { EpisodeResult, EpisodeUsage, Outcome } from '../run-types.js'
import { outcomes } from '../run-types.js'
import { bootstrapMean } from './bootstrap.js'
import { type Estimate, type Interval, wilson } from './interval.js'
import { passAllK, passAtK } from './pass-at-k.js'

export interface RunResults {
  /** All that were to be run, those that are skipped too. */
  tasks: readonly string[]
  /** Of each task. */
  trials: number
  /** At most one for each task and trial. */
  results: readonly EpisodeResult[]
  /** Of the intervals. */
  seed: number
}

export interface Summary {
  outcomes: Record<Outcome, number>
  /** Episodes that were to be run; those of skipped tasks are not among them. */
  expected: number
  /** Episodes that say something about the agent. */
  counted: number
  /** `counted` of `expected`. What is missing (`infra`, or not run) is left out of every rate. */
  coverage: number
  /** Mean over tasks of the part of their trials that passed, with a bootstrap interval. Absent when nothing counted. */
  passRate?: Estimate
  /** The same for the scores. */
  score?: Estimate
  /** For each k up to the number of trials; a mean over the tasks that have k trials or more. */
  passAtK: readonly KRate[]
  passAllK: readonly KRate[]
  /** Sorted by name. */
  tasks: readonly TaskSummary[]
  /** Tasks of which some trials passed and some did not. */
  flaky: readonly string[]
  usage: EpisodeUsage
  wallMs: number
  /** Episodes whose commands ran programs of the machine: another run of them may end otherwise. Absent without any. */
  real?: number
}

export interface KRate {
  k: number
  rate: number
  /** How many tasks it is a mean over. */
  tasks: number
}

export interface TaskSummary {
  task: string
  /** Trials that count. */
  trials: number
  passed: number
  /** Absent when no trial counts. */
  rate?: number
  /** By Wilson's score. */
  interval: Interval
  /** Of the scores. */
  score?: number
  /** Trials without a result that counts. */
  missing: number
  flaky: boolean
  /** Why the task is skipped. */
  skipped?: string
  /** Outcomes that occurred. */
  outcomes: Partial<Record<Outcome, number>>
  /** The first reason of a trial that did not pass. */
  reason?: string
}

/** The results that say something about the agent. */
export function isCounted({ outcome }: Pick<EpisodeResult, 'outcome'>): boolean {
  return outcome !== 'infra' && outcome !== 'skipped'
}

export function summarize({ tasks, trials, results, seed }: RunResults): Summary {
  const byTask = resultsByTask(tasks, results)
  const summaries = [...byTask]
    .map(([task, own]) => summarizeTask(task, own, trials))
    .sort((a, b) => (a.task < b.task ? -1 : 1))
  const run = summaries.filter(({ skipped }) => skipped === undefined)
  const expected = run.length * trials
  const real = results.filter(({ tier }) => tier === 'real').length
  const counted = run.reduce((sum, task) => sum + task.trials, 0)
  const groups = [...byTask.values()].map((own) => own.filter(isCounted))
  const passRate = bootstrapMean(
    groups.map((own) => own.map(passValue)),
    { seed },
  )
  const score = bootstrapMean(
    groups.map((own) => own.map(({ value = 0 }) => value)),
    { seed },
  )
  return {
    outcomes: countOutcomes(results),
    expected,
    counted,
    coverage: expected === 0 ? 1 : counted / expected,
    ...(passRate && { passRate }),
    ...(score && { score }),
    passAtK: ratesByK(run, trials, passAtK),
    passAllK: ratesByK(run, trials, passAllK),
    tasks: summaries,
    flaky: summaries.filter(({ flaky }) => flaky).map(({ task }) => task),
    usage: totalUsage(results.map(({ usage }) => usage)),
    wallMs: results.reduce((sum, { wallMs }) => sum + wallMs, 0),
    ...(real > 0 && { real }),
  }
}

/** 1 for a trial that passed. */
export function passValue({ outcome }: Pick<EpisodeResult, 'outcome'>): number {
  return outcome === 'passed' ? 1 : 0
}

/** Every task has an entry, also without results. */
export function resultsByTask(
  tasks: readonly string[],
  results: readonly EpisodeResult[],
): Map<string, EpisodeResult[]> {
  const byTask = new Map<string, EpisodeResult[]>(tasks.map((task) => [task, []]))
  for (const result of results) byTask.get(result.task)?.push(result)
  for (const own of byTask.values()) own.sort((a, b) => a.trial - b.trial)
  return byTask
}

function summarizeTask(task: string, results: readonly EpisodeResult[], trials: number): TaskSummary {
  const counted = results.filter(isCounted)
  const passed = counted.filter(({ outcome }) => outcome === 'passed').length
  const skipped = results.find(({ outcome }) => outcome === 'skipped')
  const unsuccessful = results.find(({ outcome }) => outcome !== 'passed')
  const found = counted.length
  return {
    task,
    trials: found,
    passed,
    ...(found > 0 && { rate: passed / found, score: counted.reduce((sum, { value = 0 }) => sum + value, 0) / found }),
    interval: wilson({ trials: found, passed }),
    missing: skipped === undefined ? Math.max(0, trials - found) : 0,
    flaky: passed > 0 && passed < found,
    ...(skipped && { skipped: skipped.reason ?? 'skipped' }),
    outcomes: Object.fromEntries(Object.entries(countOutcomes(results)).filter(([, count]) => count > 0)),
    ...(unsuccessful?.reason !== undefined && { reason: unsuccessful.reason }),
  }
}

function countOutcomes(results: readonly EpisodeResult[]): Record<Outcome, number> {
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>
  for (const { outcome } of results) counts[outcome] += 1
  return counts
}

function ratesByK(tasks: readonly TaskSummary[], trials: number, estimate: typeof passAtK): KRate[] {
  const rates: KRate[] = []
  for (let k = 1; k <= trials; k += 1) {
    const values = tasks.map((task) => estimate(task, k)).filter((value) => value !== undefined)
    if (values.length === 0) break
    rates.push({ k, rate: values.reduce((sum, value) => sum + value, 0) / values.length, tasks: values.length })
  }
  return rates
}

/** The cost is that of the answers whose price is known; absent when none is. */
export function totalUsage(usages: readonly EpisodeUsage[]): EpisodeUsage {
  const sum = (pick: (usage: EpisodeUsage) => number) => usages.reduce((total, usage) => total + pick(usage), 0)
  return {
    calls: sum(({ calls }) => calls),
    failedCalls: sum(({ failedCalls }) => failedCalls),
    turns: sum(({ turns }) => turns),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    ...(usages.some(({ cachedTokens }) => cachedTokens !== undefined) && {
      cachedTokens: sum(({ cachedTokens = 0 }) => cachedTokens),
    }),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    ...(usages.some(({ cost }) => cost !== undefined) && { cost: sum(({ cost = 0 }) => cost) }),
  }
}
