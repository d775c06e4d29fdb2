import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { cases } from '../compare/cases.mjs'
import { putThrough } from '../compare/run-case.mjs'
import { cliCommand } from '../node/cli/run-cli.js'

describe('what happens to a user’s files', async () => {
  const { args } = await cliCommand([], 'unused')
  test.each(cases)('$name', async (one) => {
    expect(await putThrough((root: string) => [...args, root], one.ours, one)).toBeUndefined()
  })
})

test('the README has a row for each', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const rows = [...readme.matchAll(/^\| (\S.*?) \| yes.*? \| .+ \|$/gm)].map(([, name]) => name)
  expect(rows).toEqual(cases.map(({ name }) => name))
})
