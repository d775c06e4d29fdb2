/** Plots as SVG elements. All text in them is escaped here. */
import type { Estimate } from '../statistics/interval.js'
import type { KRate } from '../statistics/summary.js'
import { escapeMarkup } from './escape.js'
import { percent } from './format.js'

/** A rate as a dot on a scale from 0 to 1, with its interval as a line. */
export function rateBar({ value, low, high }: Estimate, label: string): string {
  const width = 200
  const x = (rate: number) => number(4 + rate * (width - 8))
  return (
    `<svg class="bar" viewBox="0 0 ${width} 16" width="${width}" height="16" role="img" aria-label="${escapeMarkup(label)}">` +
    `<line class="scale" x1="${x(0)}" y1="8" x2="${x(1)}" y2="8"/>` +
    `<line class="interval" x1="${x(low)}" y1="8" x2="${x(high)}" y2="8"/>` +
    `<circle class="value" cx="${x(value)}" cy="8" r="3.5"/></svg>`
  )
}

/** A difference of rates on a scale from -1 to 1. */
export function differenceBar({ value, low, high }: Estimate, label: string): string {
  const half = ({ value: rate }: { value: number }) => (rate + 1) / 2
  const bar = rateBar({ value: half({ value }), low: half({ value: low }), high: half({ value: high }) }, label)
  return bar.replace('<circle', '<line class="zero" x1="100" y1="1" x2="100" y2="15"/><circle')
}

export interface Line {
  name: string
  rates: readonly KRate[]
}

/** Rates over k, one line for each estimate. */
export function kPlot(lines: readonly Line[]): string {
  const [width, height, left, right, top, bottom] = [420, 200, 44, 70, 10, 30]
  const last = Math.max(1, ...lines.flatMap(({ rates }) => rates.map(({ k }) => k)))
  const x = (k: number) => number(left + (last === 1 ? 0.5 : (k - 1) / (last - 1)) * (width - left - right))
  const y = (rate: number) => number(top + (1 - rate) * (height - top - bottom))
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (rate) =>
      `<line class="scale" x1="${left}" y1="${y(rate)}" x2="${width - right}" y2="${y(rate)}"/>` +
      `<text x="${left - 6}" y="${y(rate)}" text-anchor="end" dominant-baseline="middle">${rate * 100} %</text>`,
  )
  const ticks = ticksTo(last).map(
    (k) => `<text x="${x(k)}" y="${height - bottom + 18}" text-anchor="middle">${k}</text>`,
  )
  const labels = labelHeights(lines.map(({ rates }) => y(rates.at(-1)?.rate ?? 0)))
  const drawn = lines.map(({ name, rates }, index) => {
    const points = rates.map(({ k, rate }) => `${x(k)},${y(rate)}`).join(' ')
    const dots = rates.map(
      ({ k, rate, tasks }) =>
        `<circle class="line-${index}" cx="${x(k)}" cy="${y(rate)}" r="3"><title>${escapeMarkup(`${name}, k = ${k}: ${percent(rate)}, ${tasks} tasks`)}</title></circle>`,
    )
    const end = rates.at(-1)
    const legend =
      end === undefined
        ? ''
        : `<text class="line-${index}" x="${x(end.k) + 8}" y="${labels[index]}" dominant-baseline="middle">${escapeMarkup(name)}</text>`
    return `<polyline class="line-${index}" points="${points}"/>${dots.join('')}${legend}`
  })
  const label = `${lines.map(({ name }) => name).join(' and ')} for k from 1 to ${last}`
  return `<svg class="plot" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeMarkup(label)}">${[...grid, ...ticks, ...drawn].join('')}</svg>`
}

/** Moves labels down that would cover another one. */
function labelHeights(wanted: readonly number[]): number[] {
  const heights: number[] = []
  for (const height of wanted) {
    let free = height
    while (heights.some((other) => Math.abs(other - free) < labelHeight)) free += labelHeight
    heights.push(free)
  }
  return heights
}

const labelHeight = 13

function ticksTo(last: number): number[] {
  const step = Math.max(1, Math.ceil(last / 10))
  return Array.from({ length: Math.ceil(last / step) }, (_, i) => 1 + i * step)
}

function number(value: number): number {
  return Math.round(value * 100) / 100
}
