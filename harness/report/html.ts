/** One page that shows runs: it contains everything, loads nothing, and has no script. */
import type { EpisodeResult } from '../run-types.js'
import { outcomes } from '../run-types.js'
import type { Comparison } from '../statistics/compare.js'
import type { Summary, TaskSummary } from '../statistics/summary.js'
import { escapeMarkup } from './escape.js'
import { counted, percent, percentWithInterval, points, pointsWithInterval, realTier } from './format.js'
import { styles } from './styles.js'
import { differenceBar, kPlot, rateBar } from './svg.js'

export interface ReportedRun {
  /** Shown as a heading. */
  name: string
  /** What the run was started with, by name. */
  facts: Readonly<Record<string, string>>
  summary: Summary
  results: readonly EpisodeResult[]
}

export interface HtmlReport {
  runs: readonly ReportedRun[]
  /** What each run is compared with. */
  compared?: { name: string; comparisons: readonly Comparison[] }
}

/** Longer lists of trials would make a page that no browser shows quickly. */
const maxTrialsListed = 2_000

export async function htmlReport({ runs, compared }: HtmlReport): Promise<string> {
  const sections = runs.map((run, index) => {
    const comparison = compared?.comparisons[index]
    const difference =
      compared === undefined || comparison === undefined ? '' : comparisonSection(compared.name, comparison)
    return runSection(run, difference)
  })
  const title = `polyfs eval: ${runs.map(({ name }) => name).join(', ')}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-${await digest(styles)}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escapeMarkup(title)}</title>
<style>${styles}</style>
</head>
<body>
${runs.length > 1 ? overview(runs) : ''}${sections.join('\n')}
</body>
</html>
`
}

/** Base64, as a content security policy has it. */
async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return btoa(String.fromCharCode(...bytes))
}

function overview(runs: readonly ReportedRun[]): string {
  const rows = runs.map(({ name, summary: { passRate, coverage } }) => [
    text(name),
    passRate === undefined ? 'unknown' : percentWithInterval(passRate),
    passRate === undefined ? '' : rateBar(passRate, `${name}: ${percentWithInterval(passRate)}`),
    percent(coverage),
  ])
  return `<h1>Runs</h1>\n${table(['run', 'pass rate', '', 'coverage'], rows)}`
}

function runSection({ name, facts, summary, results }: ReportedRun, comparison: string): string {
  const { passRate, score, passAtK, passAllK } = summary
  const figures = [
    passRate && ['pass rate', percentWithInterval(passRate), rateBar(passRate, 'pass rate')],
    score && ['mean score', percentWithInterval(score), rateBar(score, 'mean score')],
    ['coverage', `${percent(summary.coverage)}, ${summary.counted} of ${counted(summary.expected, 'episode')}`, ''],
    [
      'outcomes',
      outcomes
        .filter((outcome) => summary.outcomes[outcome] > 0)
        .map((outcome) => `${summary.outcomes[outcome]} ${outcome}`)
        .join(', ') || 'none',
      '',
    ],
    ['usage', usageText(summary.usage), ''],
    ...(summary.real === undefined ? [] : [['tier', realTier(summary.real), '']]),
    ...Object.entries(facts).map(([key, value]) => [text(key), text(value), '']),
  ].filter((row) => row !== undefined)
  const plot =
    passAtK.length < 2
      ? ''
      : `<h2>Several trials</h2>
<p>pass@k: at least one of k trials passes. pass^k: all of them pass.</p>
${kPlot([
  { name: 'pass@k', rates: passAtK },
  { name: 'pass^k', rates: passAllK },
])}
`
  return `<section>
<h1>${text(name)}</h1>
${table(['', '', ''], figures, 'facts')}
<p class="note">Intervals are 95 %. Those of means come from drawing tasks and trials again (bootstrap), those of single tasks are Wilson's.</p>
${comparison}${plot}<h2>Tasks</h2>
${table(['task', 'passed', '', 'score', 'note'], summary.tasks.map(taskRow))}
${trials(results)}</section>`
}

function taskRow(task: TaskSummary): string[] {
  const { passed, trials: count, rate, interval, score } = task
  if (rate === undefined) return [text(task.task), '', '', '', notes(task)]
  const label = `${passed} of ${count}, ${percentWithInterval({ value: rate, ...interval })}`
  return [
    text(task.task),
    `${passed} of ${count}`,
    rateBar({ value: rate, ...interval }, label),
    percent(score ?? 0),
    notes(task),
  ]
}

function notes({ flaky, missing, skipped, reason }: TaskSummary): string {
  if (skipped !== undefined) return `<em>skipped</em> ${text(skipped)}`
  return [
    flaky ? '<em>flaky</em>' : '',
    missing > 0 ? `<em>${missing} missing</em>` : '',
    reason === undefined ? '' : text(shortened(reason)),
  ]
    .filter((note) => note !== '')
    .join(' ')
}

function trials(results: readonly EpisodeResult[]): string {
  const notPassed = results.filter(({ outcome }) => outcome !== 'passed' && outcome !== 'skipped')
  if (notPassed.length === 0) return ''
  const rows = notPassed
    .slice(0, maxTrialsListed)
    .map(({ task, trial, outcome, usage, scores, reason = '' }) => [
      text(`${task} #${trial}`),
      outcome,
      String(usage.calls),
      scoreList(scores) || text(shortened(reason)),
    ])
  const more = notPassed.length > maxTrialsListed ? `<p>and ${notPassed.length - maxTrialsListed} more</p>` : ''
  return `<details><summary>${counted(notPassed.length, 'trial')} not passed</summary>
${table(['trial', 'outcome', 'calls', 'why'], rows)}${more}</details>
`
}

function scoreList(scores: EpisodeResult['scores']): string {
  const low = scores.filter(({ value }) => value < 1)
  if (low.length === 0) return ''
  return low
    .map(({ name, value, reason }) => `${text(name)} ${percent(value)}: ${text(shortened(reason))}`)
    .join('<br>')
}

function comparisonSection(name: string, { passRate, score, tasks, unpaired }: Comparison): string {
  const figures = [
    passRate && ['pass rate', pointsWithInterval(passRate), differenceBar(passRate, 'difference of the pass rate')],
    score && ['mean score', pointsWithInterval(score), differenceBar(score, 'difference of the mean score')],
  ].filter((row) => row !== undefined)
  const changed = tasks
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => a.after - a.before - (b.after - b.before))
  const rows = changed.map(({ task, before, after }) => [
    text(task),
    percent(before),
    percent(after),
    points(after - before),
  ])
  return `<h2>Compared with ${text(name)}</h2>
${figures.length === 0 ? '<p>No task counts in both.</p>' : table(['', 'points', ''], figures, 'facts')}
<p>${counted(tasks.length, 'task')} in both, of which ${changed.length} changed.${unpaired.length > 0 ? ` Only in one: ${unpaired.map(text).join(', ')}.` : ''}</p>
${rows.length === 0 ? '' : table(['task', 'before', 'after', 'points'], rows)}
`
}

/** Cells are markup already. */
function table(head: readonly string[], rows: readonly (readonly string[])[], kind = ''): string {
  const header = head.some((cell) => cell !== '') ? `<tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr>\n` : ''
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return `<table${kind === '' ? '' : ` class="${kind}"`}>\n${header}${body}\n</table>`
}

/** Isolated, so that right-to-left characters do not rearrange what is around them. */
function text(given: string): string {
  return `<bdi>${escapeMarkup(given)}</bdi>`
}

function shortened(given: string): string {
  return given.length > 400 ? `${given.slice(0, 400).toWellFormed()} …` : given
}

function usageText({ calls, failedCalls, turns, inputTokens, outputTokens, cost }: Summary['usage']): string {
  const parts = [
    `${counted(calls, 'call')}, ${failedCalls} failed`,
    ...(turns > 0 ? [counted(turns, 'turn'), `${inputTokens} tokens of input and ${outputTokens} of output`] : []),
    ...(cost === undefined ? [] : [`cost ${cost.toFixed(4)}`]),
  ]
  return parts.join('; ')
}
