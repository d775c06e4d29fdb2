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
 */

/** A row for each task and server, in the order given; several trials of a task are added up. */
export function outcomeTable(outcomes) {
  const rows = grouped(outcomes, ({ task, server }) => `${task}\n${server}`).map((group) => [
    group[0].task,
    group[0].server,
    verdict(group),
    ...figures(group).map(([, value]) => value),
  ])
  return markdown(['task', 'server', 'right', ...figures(outcomes).map(([title]) => title)], rows)
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

function verdict(group) {
  if (group.length > 1) return `${group.filter(isRight).length} of ${group.length}`
  return group[0].fault === undefined ? 'yes' : `no: ${group[0].fault}`
}

/** Titles and sums. */
function figures(group) {
  const sum = (value) => group.reduce((total, outcome) => total + value(outcome), 0)
  const counted = [
    ['calls', String(sum(({ calls }) => calls))],
    ['failed calls', String(sum(({ failed }) => failed))],
    ['sent', kilobytes(sum(({ sentBytes }) => sentBytes))],
    ['received', kilobytes(sum(({ receivedBytes }) => receivedBytes))],
  ]
  if (group.every(({ tokens }) => tokens === undefined)) return counted
  return [
    ...counted,
    ['tokens in', String(sum(({ tokens }) => tokens?.input ?? 0))],
    ['tokens out', String(sum(({ tokens }) => tokens?.output ?? 0))],
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
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(escaped).join(' | ')} |`).join('\n')
}

/** A fault can quote what a model wrote. */
function escaped(cell) {
  return cell.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 200)
}
