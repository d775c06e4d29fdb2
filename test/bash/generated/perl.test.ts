/** Generated calls of perl in the emulated shell, compared with the real perl. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { randomFrom } from '../../core/search/generated-trees.js'
import { sample } from '../../scale.js'
import { perlScript } from './perl-scripts.js'
import { compare, describeDifference, whyNoBash } from './twin.js'

/** Scripts from these seeds are known to be the same. */
const seeds = sample(Array.from({ length: 800 }, (_, index) => index + 1))

function whyNoPerl(): string | undefined {
  const { stdout } = spawnSync('perl', ['-e', 'print $]'], { encoding: 'utf8' })
  return stdout?.startsWith('5.036') ? undefined : 'perl 5.36 is not installed'
}

test(`${seeds.length} scripts do what perl does`, async ({ skip }) => {
  const reason = whyNoBash() ?? whyNoPerl()
  if (reason !== undefined) skip(reason)
  const { differing, ...tally } = await compare(seeds, (seed) => perlScript(randomFrom(seed * 7919)))
  expect(differing.map(describeDifference)).toEqual([])
  expect(tally.refused).toBeLessThan(tally.scripts / 5)
})

const warned = seeds.filter((seed) => seed <= 400)

test(`${warned.length} scripts warn as perl does`, async ({ skip }) => {
  const reason = whyNoBash() ?? whyNoPerl()
  if (reason !== undefined) skip(reason)
  const script = (seed: number) => `exec 2>&1\n${perlScript(randomFrom(seed * 7919)).replaceAll('perl -', 'perl -w -')}`
  const { differing, ...tally } = await compare(warned, script)
  expect(differing.filter(({ ours }) => !ours.stdout.includes('not supported')).map(describeDifference)).toEqual([])
  expect(differing.length + tally.refused).toBeLessThan(tally.scripts / 3)
})
