/** Generated scripts in the language of bash, compared with bash. */
import { expect, test } from 'vitest'
import { randomFrom } from '../core/search/generated-trees.js'
import { scaled } from '../scale.js'
import { languageScript } from './shell-scripts.js'
import { compare, told, whyNoBash } from './shell-twin.js'

const count = scaled(Number(process.env.POLYFS_TORTURE_SCRIPTS ?? 1200))
const firstSeed = Number(process.env.POLYFS_TORTURE_SEED ?? 1)

test(`${count} scripts come out as in bash`, async ({ skip }) => {
  const reason = whyNoBash()
  if (reason !== undefined) skip(reason)
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index)
  const { differing, ...tally } = await compare(seeds, (seed) => languageScript(randomFrom(seed * 7919)))
  console.log(`language of bash, seeds from ${firstSeed}: ${JSON.stringify(tally)}`)
  expect(differing.map(told)).toEqual([])
  expect(tally.unfinished).toBeLessThan(count / 100)
  expect(tally.refused).toBeLessThan(tally.scripts / 20)
  expect(tally.failing).toBeLessThan(tally.scripts / 2)
}, 1_200_000)
