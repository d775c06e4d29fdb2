/** What a run says, for a terminal. */
import { printable } from '../../src/text/printable.js'
import { outcomes } from '../run-types.js'
import type { Comparison } from '../statistics/compare.js'
import type { Summary } from '../statistics/summary.js'
import { counted, percent, percentWithInterval, points, pointsWithInterval, realTier } from './format.js'

/** Longer lists are cut, with the number of what is left out. */
const maxListed = 20

export function textReport(summary: Summary): string {
  const { passRate, score, passAtK, passAllK, flaky, usage } = summary
  const lines = [
    outcomes
      .filter((outcome) => summary.outcomes[outcome] > 0)
      .map((outcome) => `${summary.outcomes[outcome]} ${outcome}`)
      .join(', ') || 'no results',
    passRate === undefined ? 'pass rate  unknown' : `pass rate  ${percentWithInterval(passRate)}`,
    ...(score === undefined ? [] : [`score      ${percentWithInterval(score)}`]),
    ...kLine('pass@k', passAtK),
    ...kLine('pass^k', passAllK),
    `coverage   ${percent(summary.coverage)}, ${summary.counted} of ${counted(summary.expected, 'episode')}`,
    ...(summary.real === undefined ? [] : [`tier       ${realTier(summary.real)}`]),
    ...(flaky.length > 0 ? [`flaky      ${listed(flaky)}`] : []),
    usageLine(usage),
  ]
  return `${lines.join('\n')}\n`
}

/** Tasks whose rate differs, the largest change first, and the difference of the means. */
export function comparisonText({ passRate, score, tasks, unpaired }: Comparison): string {
  const changed = tasks
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
  const lines = [
    `pass rate  ${passRate === undefined ? 'no task counts in both' : pointsWithInterval(passRate)}`,
    ...(score === undefined ? [] : [`score      ${pointsWithInterval(score)}`]),
    `tasks      ${tasks.length} in both, ${changed.filter(({ before, after }) => after > before).length} better, ${changed.filter(({ before, after }) => after < before).length} worse`,
    ...changed
      .slice(0, maxListed)
      .map(({ task, before, after }) => `  ${points(after - before).padStart(6)}  ${printable(task)}`),
    ...(changed.length > maxListed ? [`  and ${changed.length - maxListed} more`] : []),
    ...(unpaired.length > 0 ? [`only in one of them: ${listed(unpaired)}`] : []),
  ]
  return `${lines.join('\n')}\n`
}

function kLine(name: string, rates: Summary['passAtK']): string[] {
  // With one trial, both are the pass rate.
  if (rates.length < 2) return []
  const shown = rates.filter(({ k }) => k === 1 || k === rates.length || Number.isInteger(Math.log2(k)))
  const most = rates[0]?.tasks
  // Tasks with missing trials drop out of larger k: the rates are of different tasks then.
  const of = (tasks: number) => (tasks === most ? '' : ` (${counted(tasks, 'task')})`)
  return [`${name.padEnd(11)}${shown.map(({ k, rate, tasks }) => `${k}: ${percent(rate)}${of(tasks)}`).join(', ')}`]
}

function usageLine({ calls, failedCalls, turns, inputTokens, outputTokens, cost }: Summary['usage']): string {
  const parts = [
    `${counted(calls, 'call')} (${failedCalls} failed)`,
    ...(turns > 0 ? [counted(turns, 'turn'), `${inputTokens} + ${outputTokens} tokens`] : []),
    ...(cost === undefined ? [] : [`cost ${cost.toFixed(4)}`]),
  ]
  return `usage      ${parts.join(', ')}`
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxListed).map(printable).join(', ')
  return names.length > maxListed ? `${shown} and ${names.length - maxListed} more` : shown
}
