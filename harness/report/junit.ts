/** The results of a run as JUnit XML, which CI systems show. */
import { jobId } from '../queue.js'
import type { EpisodeResult } from '../run-types.js'
import { escapeMarkup } from './escape.js'

/** One `testcase` for each trial: `failure` when it did not pass, `error` when nothing is known about it. Sorted by task and trial. */
export function junitReport(results: readonly EpisodeResult[]): string {
  const sorted = [...results].sort(byTaskAndTrial)
  const counts = {
    tests: sorted.length,
    failures: sorted.filter((result) => elementOf(result) === 'failure').length,
    errors: sorted.filter((result) => elementOf(result) === 'error').length,
    skipped: sorted.filter((result) => elementOf(result) === 'skipped').length,
  }
  const time = seconds(sorted.reduce((sum, { wallMs }) => sum + wallMs, 0))
  const attributes = Object.entries(counts).map(([name, count]) => `${name}="${count}"`)
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="polyfs eval" ${attributes.join(' ')} time="${time}">`,
    `  <testsuite name="${escapeMarkup(sorted[0]?.agent ?? 'polyfs eval')}" ${attributes.join(' ')} time="${time}">`,
    ...sorted.map(testCase),
    '  </testsuite>',
    '</testsuites>',
  ]
  return `${lines.join('\n')}\n`
}

function byTaskAndTrial(a: EpisodeResult, b: EpisodeResult): number {
  if (a.task !== b.task) return a.task < b.task ? -1 : 1
  return a.trial - b.trial
}

function testCase(result: EpisodeResult): string {
  const { task, agent, trial, wallMs, outcome, reason = outcome } = result
  const open = `    <testcase classname="${escapeMarkup(agent)}" name="${escapeMarkup(`${task} #${trial}`)}" time="${seconds(wallMs)}"`
  const element = elementOf(result)
  if (element === undefined) return `${open}/>`
  const message = `message="${escapeMarkup(firstLine(reason))}"`
  if (element === 'skipped') return `${open}><skipped ${message}/></testcase>`
  const details = [
    `job ${jobId(result)}`,
    reason,
    ...result.scores.map(({ name, value, reason: why }) => `${name}: ${value} (${why})`),
  ]
  return `${open}><${element} type="${outcome}" ${message}>${escapeMarkup(details.join('\n'))}</${element}></testcase>`
}

function elementOf({ outcome }: EpisodeResult): 'failure' | 'error' | 'skipped' | undefined {
  if (outcome === 'passed') return undefined
  if (outcome === 'infra') return 'error'
  return outcome === 'skipped' ? 'skipped' : 'failure'
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
