/** A plot of ratios as SVG: a bar for each row, from 1 to its ratio, on a logarithmic scale. */
import { isMissed } from './measure.mjs'

const width = 980
const left = 500
const right = width - 90
const top = 64
const rowHeight = 40
const bottom = 56

/** On a background of its own, so that it can be read on any page; the colours follow the reader's scheme. */
const style = `
text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328 }
.heading { font-size: 16px; font-weight: 600 }
.quiet { font-size: 11px; fill: #59636e }
.paper { fill: #ffffff }
.grid { stroke: #d1d9e0 }
.one { stroke: #59636e; stroke-width: 1.5 }
.met { fill: #1a7f64 }
.missed { fill: #bc4c00 }
.free { fill: #8c959f }
.target { stroke: #1f2328; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.quiet { fill: #9198a1 }
.paper { fill: #0d1117 }
.grid { stroke: #3d444d }
.one { stroke: #9198a1 }
.met { fill: #3fb68b }
.missed { fill: #f0883e }
.free { fill: #656c76 }
.target { stroke: #e6edf3 }
}`

export function plot(title, rows) {
  const shown = rows.filter(({ ratio }) => ratio !== undefined)
  const height = top + shown.length * rowHeight + bottom
  const values = shown.flatMap(({ ratio, target }) => (target === undefined ? [ratio] : [ratio, target]))
  const powers = values.map((value) => Math.log10(value))
  const low = Math.min(-1, Math.floor(Math.min(...powers)))
  const high = Math.max(1, Math.ceil(Math.max(...powers)))
  const x = (ratio) => left + ((Math.log10(ratio) - low) / (high - low)) * (right - left)
  const floor = top + shown.length * rowHeight

  const grid = Array.from({ length: high - low + 1 }, (_, at) => low + at).flatMap((power) => {
    const at = place(x(10 ** power))
    return [
      `<line class="${power === 0 ? 'one' : 'grid'}" x1="${at}" y1="${top - 8}" x2="${at}" y2="${floor}"/>`,
      `<text class="quiet" x="${at}" y="${floor + 16}" text-anchor="middle">${power < 0 ? (10 ** power).toFixed(-power) : 10 ** power}</text>`,
    ]
  })
  const bars = shown.flatMap((row, index) => {
    const y = top + index * rowHeight
    const [from, until] = [x(1), x(row.ratio)].sort((a, b) => a - b)
    return [
      `<text x="${left - 16}" y="${y + 15}" text-anchor="end">${escaped(row.title)}</text>`,
      `<text class="quiet" x="${left - 16}" y="${y + 30}" text-anchor="end">${escaped(row.against)}</text>`,
      `<rect class="${kindOf(row)}" x="${place(from)}" y="${y + 8}" width="${place(Math.max(1, until - from))}" height="20" rx="2"/>`,
      ...(row.target === undefined
        ? []
        : [
            `<line class="target" x1="${place(x(row.target))}" y1="${y + 3}" x2="${place(x(row.target))}" y2="${y + 33}"/>`,
          ]),
      `<text x="${right + 12}" y="${y + 23}">${label(row)}</text>`,
    ]
  })
  const legend = [
    ['met', 'target met'],
    ['missed', 'target missed ✗'],
    ['free', 'no target'],
  ].flatMap(([kind, text], index) => [
    `<rect class="${kind}" x="${left + index * 130}" y="${floor + 30}" width="12" height="12" rx="2"/>`,
    `<text class="quiet" x="${left + index * 130 + 18}" y="${floor + 40}">${text}</text>`,
  ])
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${style}\n</style>`,
    `<rect class="paper" width="${width}" height="${height}" rx="6"/>`,
    `<text class="heading" x="16" y="28">${escaped(title)}</text>`,
    `<text class="quiet" x="16" y="46">ours to theirs; left of 1 is faster or smaller; the tick is the target</text>`,
    ...grid,
    ...bars,
    ...legend,
    '</svg>',
  ].join('\n')}\n`
}

function kindOf(row) {
  if (row.target === undefined) return 'free'
  return isMissed(row) ? 'missed' : 'met'
}

function label(row) {
  const { ratio } = row
  const digits = ratio >= 0.1 ? ratio.toFixed(2) : ratio.toPrecision(2)
  return isMissed(row) ? `${digits} ✗` : digits
}

function place(value) {
  return Number(value.toFixed(1))
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
