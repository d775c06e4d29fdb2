/** docs/decisions/fast-paths.md names what is done in two ways, and the tests that compare them. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileGlobs, defaultGlobRules } from '../../src/search/patterns/glob.js'
import { repositoryRoot } from '../repository-files.js'
import { inTurn, leftToFull } from '../sizes.mjs'

const page = readFileSync(join(repositoryRoot, 'docs/decisions/fast-paths.md'), 'utf8')
const rows = page.split('\n').filter((line) => /^\| (?!what \|)/.test(line))
const namesIn = (cell: string | undefined) =>
  Array.from((cell ?? '').matchAll(/`([^`]+)`/g), ([, name]) => name as string)

test.each(rows.map((row) => row.split('|').slice(1, -1)))('%s', (_what, fast, _plain, tests) => {
  const [implementations, oracles] = [namesIn(fast), namesIn(tests)]
  expect(implementations).not.toEqual([])
  expect(oracles).not.toEqual([])
  expect([...implementations, ...oracles].filter((name) => !existsSync(join(repositoryRoot, name)))).toEqual([])
  for (const oracle of oracles) {
    expect(oracle).toMatch(/\.test\.ts$/)
    expect(statSync(join(repositoryRoot, oracle)).isFile()).toBe(true)
    const isPattern = (pattern: string) => compileGlobs([pattern], defaultGlobRules).matches(oracle)
    expect([...leftToFull, ...inTurn].filter(isPattern)).toEqual([])
  }
})
