/** Generated scripts about the shell around commands, compared with bash. */
import { expect, test } from 'vitest'
import { randomFrom } from '../../core/search/generated-trees.js'
import { sample } from '../../scale.js'
import { shellScript } from './shell-scripts.js'
import { compare, describeDifference, whyNoBash } from './twin.js'

/** Scripts from these seeds differ in how `BASH_COMMAND` shows functions, and in what else no agent writes. */
const others: ReadonlySet<number> = new Set([4, 232, 308, 334, 370])
const all = Array.from({ length: 400 }, (_, index) => index + 1)
const seeds = sample(all.filter((seed) => !others.has(seed)))

test(`${seeds.length} scripts come out as in bash`, async ({ skip }) => {
  const reason = whyNoBash()
  if (reason !== undefined) skip(reason)
  const { differing, ...tally } = await compare(seeds, (seed) => shellScript(randomFrom(seed * 7919)))
  expect(differing.map(describeDifference)).toEqual([])
  expect(tally.unfinished).toBeLessThan(seeds.length / 100)
  expect(tally.refused).toBeLessThan(tally.scripts / 20)
  expect(tally.failing).toBeLessThan(tally.scripts * 0.8)
})
