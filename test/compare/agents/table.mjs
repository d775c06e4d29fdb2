/** Tables of outcomes in Markdown. */
import { listingBytes } from './session.mjs'

/**
 * @typedef {object} Outcome
 * @property {string} task
 * @property {string} server
 * @property {string | undefined} fault
 * @property {number} calls
 * @property {number} failed
 * @property {number} sentBytes
 * @property {number} receivedBytes
 * @property {any[]} tools
 * @property {{ input: number, output: number }} [tokens] of a model
 * @property {string} [stopped] why a model stopped
 */

/** A row for each task and a column for each server; several trials of a task are added up. */
export function outcomeTable(outcomes) {
  const servers = [...new Set(outcomes.map(({ server }) => server))]
  const rows = grouped(outcomes, ({ task }) => task).map((group) => [
    group[0].task,
    ...servers.map((server) => cell(group.filter((outcome) => outcome.server === server))),
  ])
  return markdown(['task', ...servers], rows)
}

/** A line for each outcome that is not right. */
export function faults(outcomes) {
  return outcomes
    .filter((outcome) => !isRight(outcome))
    .map(({ task, server, fault }) => `${task}, ${server}: ${fault}`)
}

/** A column for each server. */
export function totalTable(outcomes) {
  const groups = grouped(outcomes, ({ server }) => server)
  const columns = groups.map((group) => [
    ['tasks right', `${group.filter(isRight).length} of ${group.length}`],
    ...figures(group),
    ['list of tools', kilobytes(listingBytes(group[0].tools))],
  ])
  const rows = columns[0].map(([title], i) => [title, ...columns.map((column) => column[i][1])])
  return markdown(['', ...groups.map((group) => group[0].server)], rows)
}

/** An API that refuses the key leaves some out. */
function cell(group) {
  if (group.length === 0) return ''
  const { calls, sentBytes, receivedBytes, tokens } = sums(group)
  const parts = [verdict(group), `${calls} ${calls === 1 ? 'call' : 'calls'}`, kilobytes(sentBytes + receivedBytes)]
  return [...parts, ...(tokens ? [`${tokens.input + tokens.output} tokens`] : [])].join(', ')
}

function verdict(group) {
  const right = group.filter(isRight).length
  if (group.length > 1) return `${right} of ${group.length}`
  if (group[0].stopped === 'error') return 'no answer'
  return right === 1 ? 'yes' : 'no'
}

function sums(group) {
  const sum = (value) => group.reduce((total, outcome) => total + value(outcome), 0)
  return {
    calls: sum(({ calls }) => calls),
    failed: sum(({ failed }) => failed),
    sentBytes: sum(({ sentBytes }) => sentBytes),
    receivedBytes: sum(({ receivedBytes }) => receivedBytes),
    ...(group.some(({ tokens }) => tokens) && {
      tokens: { input: sum(({ tokens }) => tokens.input), output: sum(({ tokens }) => tokens.output) },
    }),
  }
}

function figures(group) {
  const { calls, failed, sentBytes, receivedBytes, tokens } = sums(group)
  return [
    ['calls', String(calls)],
    ['failed calls', String(failed)],
    ['sent', kilobytes(sentBytes)],
    ['received', kilobytes(receivedBytes)],
    ...(tokens
      ? [
          ['tokens read', String(tokens.input)],
          ['tokens written', String(tokens.output)],
        ]
      : []),
  ]
}

function isRight({ fault }) {
  return fault === undefined
}

function kilobytes(bytes) {
  return bytes < 10_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${Math.round(bytes / 1000)} kB`
}

function grouped(list, keyOf) {
  const groups = new Map()
  for (const item of list) {
    const group = groups.get(keyOf(item)) ?? []
    group.push(item)
    groups.set(keyOf(item), group)
  }
  return [...groups.values()]
}

function markdown(head, rows) {
  const lines = [head, ...rows].map((row) => `| ${row.join(' | ')} |`)
  return [lines[0], `|${head.map(() => '---|').join('')}`, ...lines.slice(1)].join('\n')
}
