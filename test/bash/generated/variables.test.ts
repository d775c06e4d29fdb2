/** Generated scripts about variables, compared with bash. */
import { expect, test } from 'vitest'
import { randomFrom } from '../../core/search/generated-trees.js'
import { sample } from '../../scale.js'
import { compare, describeDifference, whyNoBash } from './twin.js'
import { variableScript } from './variable-scripts.js'

/** Scripts from these seeds are known to be the same. */
const seeds = sample(Array.from({ length: 1200 }, (_, index) => index + 1))

test(`${seeds.length} scripts about variables come out as in bash`, async ({ skip }) => {
  const reason = whyNoBash()
  if (reason !== undefined) skip(reason)
  const { differing, ...tally } = await compare(seeds, (seed) => variableScript(randomFrom(seed * 7919)))
  expect(differing.map(describeDifference)).toEqual([])
  expect(tally.unfinished).toBeLessThan(seeds.length / 100)
  expect(tally.refused).toBeLessThan(tally.scripts / 20)
  expect(tally.failing).toBeLessThan(tally.scripts / 2)
})
