/** Generated scripts of the programs that scan text, compared with the GNU programs. */
import { expect, test } from 'vitest'
import { randomFrom } from '../../core/search/generated-trees.js'
import { sample } from '../../scale.js'
import { textScript } from './text-scripts.js'
import { compare, describeDifference, whyNoBash } from './twin.js'

/** Cuts a character in two where an empty match precedes it, as sed 4.9 does. */
const cutsCharacters = 87
/** Scripts from these seeds are known to be the same. */
const all = Array.from({ length: 1500 }, (_, index) => index + 1)
const seeds = sample(all.filter((seed) => seed !== cutsCharacters))

test(`${seeds.length} scripts print what GNU programs print`, async ({ skip }) => {
  const reason = whyNoBash()
  if (reason !== undefined) skip(reason)
  const { differing, ...tally } = await compare(seeds, (seed) => textScript(randomFrom(seed * 7919)))
  expect(differing.map(describeDifference)).toEqual([])
  expect(tally.unfinished).toBeLessThan(seeds.length / 100)
  expect(tally.refused).toBeLessThan(tally.scripts / 20)
})
