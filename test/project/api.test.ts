/** The public surface is written down: one report for each entry, and a page that explains every value. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { apiReports, reportFile } from '../../build/api-report.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { reports, missing } = await apiReports(root)

describe.each([...reports])('%s', (entry, report) => {
  test('matches its report; after an intended change: npm run api', async () => {
    expect(await readFile(join(root, reportFile(entry)), 'utf8')).toBe(report)
  })

  test('has all its values explained in docs/entries.md', async () => {
    const page = await readFile(join(root, 'docs/entries.md'), 'utf8')
    const section = page.split(/^## /m).find((part) => part.startsWith(`${entry}\n`)) ?? ''
    const explained = new Set([...section.matchAll(/`(\w+)[`(<]/g)].map(([, name]) => name))
    expect(valuesIn(report).filter((name) => !explained.has(name))).toEqual([])
  })
})

test('there is no report of an entry that does not exist', async () => {
  const files = (await readdir(join(root, 'docs/api'))).map((name) => `docs/api/${name}`)
  expect(files.sort()).toEqual([...reports.keys()].map(reportFile).sort())
})

test('every type that an exported declaration mentions is exported by some entry', () => {
  expect(missing).toEqual([])
})

function valuesIn(report: string): string[] {
  const declared = [...report.matchAll(/^(?:function|const|(?:abstract )?class) (\w+)/gm)].map(([, name = '']) => name)
  const renamed = new Map([...report.matchAll(/^export \{ (\w+) as (\w+) \}$/gm)].map(([, from, to]) => [from, to]))
  return declared.map((name) => renamed.get(name) ?? name)
}
