/** Generated calls of the programs of the emulated shell, compared with the GNU programs. */
import { expect, test } from 'vitest'
import { randomFrom } from '../core/search/generated-trees.js'
import { scaled } from '../scale.js'
import { programScript } from './shell-program-scripts.js'
import { compare, told, whyNoBash } from './shell-twin.js'

const count = scaled(Number(process.env.POLYFS_TORTURE_SCRIPTS ?? 1200))
const firstSeed = Number(process.env.POLYFS_TORTURE_SEED ?? 1)

test(`${count} scripts print what GNU programs print`, async ({ skip }) => {
  const reason = whyNoBash()
  if (reason !== undefined) skip(reason)
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index)
  const { differing, ...tally } = await compare(seeds, (seed) => programScript(randomFrom(seed * 7919)))
  console.log(`programs of the shell, seeds from ${firstSeed}: ${JSON.stringify(tally)}`)
  expect(differing.map(told)).toEqual([])
  expect(tally.unfinished).toBeLessThan(count / 100)
  expect(tally.refused).toBeLessThan(tally.scripts / 20)
}, 1_200_000)
