/** Generated makefiles in the emulated shell, compared with the real make. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { randomFrom } from '../../core/search/generated-trees.js'
import { sample } from '../../scale.js'
import { makeScript } from './make-scripts.js'
import { compare, describeDifference, whyNoBash } from './twin.js'

/** Makefiles from these seeds are known to be the same. */
const seeds = sample(Array.from({ length: 800 }, (_, index) => index + 1))

function whyNoMake(): string | undefined {
  const { stdout } = spawnSync('make', ['--version'], { encoding: 'utf8' })
  return stdout?.startsWith('GNU Make 4.3') ? undefined : 'GNU make 4.3 is not installed'
}

test(`${seeds.length} makefiles do what they do in make`, async ({ skip }) => {
  const reason = whyNoBash() ?? whyNoMake()
  if (reason !== undefined) skip(reason)
  const { differing, ...tally } = await compare(seeds, (seed) => makeScript(randomFrom(seed * 7919)))
  expect(differing.map(describeDifference)).toEqual([])
  expect(tally.refused).toBe(0)
  expect(tally.scripts).toBeGreaterThan(0)
})
