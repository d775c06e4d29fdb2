import { expect, test } from 'vitest'
import { kPlot } from '../../../harness/report/svg.js'

test('the names of lines that end at the same height do not cover each other', () => {
  const rates = [1, 2].map((k) => ({ k, rate: 1, tasks: 3 }))
  const svg = kPlot([
    { name: 'one', rates },
    { name: 'two', rates },
    { name: 'three', rates: [{ k: 1, rate: 0.98, tasks: 3 }] },
  ])
  const heights = ['one', 'two', 'three'].map((name) =>
    Number(new RegExp(`y="([\\d.]+)"[^>]*>${name}<`).exec(svg)?.[1]),
  )
  expect(heights.every(Number.isFinite)).toBe(true)
  for (const [index, height] of heights.entries()) {
    for (const other of heights.slice(index + 1)) expect(Math.abs(height - other)).toBeGreaterThan(12)
  }
})
