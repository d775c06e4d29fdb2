import { expect, test } from 'vitest'
import { escapeMarkup } from '../../../harness/report/escape.js'
import { htmlReport } from '../../../harness/report/html.js'
import { junitReport } from '../../../harness/report/junit.js'
import { comparisonText, textReport } from '../../../harness/report/text.js'
import { compareRuns } from '../../../harness/statistics/compare.js'
import { summarize } from '../../../harness/statistics/summary.js'
import { hostileNames } from './hostile-names.js'
import { resultsOf } from './results.js'

const results = resultsOf(hostileNames)
const summary = summarize({ tasks: hostileNames, trials: 3, results, seed: 1 })

test('escaped text contains no markup and nothing that XML forbids', () => {
  for (const name of hostileNames) {
    const escaped = escapeMarkup(name)
    expect(escaped).toMatch(/^[^<>"']*$/)
    expect(escaped.replace(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toContain('&')
    expect(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(escaped)).toBe(false)
  }
})

test('JUnit: the whole file', () => {
  const [passed, failed] = resultsOf(['a']).map((result) => ({ ...result, wallMs: 1500 }))
  const four = [
    { ...passed, outcome: 'passed' },
    { ...failed, outcome: 'failed', reason: 'two\nlines', scores: [{ name: 's', value: 0.5, reason: 'half' }] },
    { ...failed, trial: 3, outcome: 'infra', reason: 'no model', scores: [] },
    { ...failed, task: 'b', trial: 1, outcome: 'skipped', reason: 'needs RUN', scores: [] },
  ] as typeof results
  expect(junitReport(four.reverse())).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="polyfs eval" tests="4" failures="1" errors="1" skipped="1" time="6.000">
  <testsuite name="agent" tests="4" failures="1" errors="1" skipped="1" time="6.000">
    <testcase classname="agent" name="a #1" time="1.500"/>
    <testcase classname="agent" name="a #2" time="1.500"><failure type="failed" message="two">job r/a/agent/2
two
lines
s: 0.5 (half)</failure></testcase>
    <testcase classname="agent" name="a #3" time="1.500"><error type="infra" message="no model">job r/a/agent/3
no model</error></testcase>
    <testcase classname="agent" name="b #1" time="1.500"><skipped message="needs RUN"/></testcase>
  </testsuite>
</testsuites>
`)
})

test('JUnit: hostile names leave the structure as it is', () => {
  const elements = [...junitReport(results).matchAll(/<\/?([a-z]+)/g)].map(([, name = '']) => name)
  expect([...new Set(elements)].sort()).toEqual(['error', 'failure', 'skipped', 'testcase', 'testsuite', 'testsuites'])
  expect(elements.filter((name) => name === 'testcase').length).toBeGreaterThanOrEqual(results.length)
})

test('JUnit: no results', () => {
  expect(junitReport([])).toContain('tests="0"')
})

test('HTML: only the elements that the report is made of, no script, no address', async () => {
  const comparison = compareRuns({ before: results, after: results }, { seed: 1 })
  const low = { name: hostileNames[0] ?? '', value: 0, reason: hostileNames[1] ?? '' }
  const run = {
    name: hostileNames[0] ?? '',
    facts: { [hostileNames[1] ?? '']: hostileNames[2] ?? '' },
    summary,
    results: results.map((result) => (result.outcome === 'failed' ? { ...result, scores: [low, low] } : result)),
  }
  const page = await htmlReport({
    runs: [run, run],
    compared: { name: hostileNames[3] ?? '', comparisons: [comparison, comparison] },
  })
  const elements = new Set([...page.matchAll(/<([a-z]\w*)/g)].map(([, name = '']) => name))
  expect([...elements].sort()).toEqual(
    [
      ...['bdi', 'body', 'br', 'circle', 'details', 'em', 'h1', 'h2', 'head', 'html', 'line', 'link', 'meta', 'p'],
      ...['polyline', 'section', 'style', 'summary', 'svg', 'table', 'td', 'text', 'th', 'title', 'tr'],
    ].sort(),
  )
  expect(page.match(/<meta http-equiv="[^"]*"/g)).toEqual(['<meta http-equiv="Content-Security-Policy"'])
  expect(page.match(/<link [^>]*>/g)).toEqual(['<link rel="icon" href="data:,">'])
  expect(page).not.toMatch(/<[^>]* (?:on\w+|src|style)=/)
})

test('text: the whole report', () => {
  const few = resultsOf(['a', 'b', '\u001b[2Jc'])
  expect(textReport(summarize({ tasks: ['a', 'b', '\u001b[2Jc'], trials: 3, results: few, seed: 1 }))).toBe(
    `1 passed, 1 failed, 2 budget, 3 agent-error, 2 infra
pass rate  16.7 % (0.0 to 66.7)
score      58.3 % (50.0 to 83.3)
pass@k     1: 16.7 %, 2: 33.3 %, 3: 0.0 % (1 task)
pass^k     1: 16.7 %, 2: 0.0 %, 3: 0.0 % (1 task)
coverage   77.8 %, 7 of 9 episodes
flaky      \\u{1b}[2Jc
usage      27 calls (9 failed), 18 turns, 900 + 90 tokens, cost 0.0900
`,
  )
})

test('text: the whole comparison', () => {
  const before = resultsOf(['a', 'b', 'c'])
  const after = before.map((result) => ({ ...result, outcome: 'passed' as const, value: 1 }))
  expect(comparisonText(compareRuns({ before, after: [...after, ...resultsOf(['d'])] }, { seed: 1 }))).toBe(
    `pass rate  +83.3 (+50.0 to +100.0)
score      +41.7 (+25.0 to +50.0)
tasks      3 in both, 3 better, 0 worse
  +100.0  a
  +100.0  b
   +50.0  c
only in one of them: d
`,
  )
})
