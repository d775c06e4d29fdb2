import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { searchText } from '../../../src/ops/search-text.js'
import type { SearchRequest } from '../../../src/search/run/records.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

const directories = Array.from({ length: 300 }, (_, i) => `/part-${1000 + i}`)
const tree = Object.fromEntries(
  directories.flatMap((directory) => [
    [`${directory}/a.log`, 'needle\n'],
    [`${directory}/b.txt`, 'needle\n'],
  ]),
)

/** Searches with one ignore rule, and counts the listed directories. */
async function searched(part: Partial<SearchRequest>) {
  const files = memory({ ...tree, '/.gitignore': '*.log\n' })
  let listed = 0
  const fs: FileSystem = {
    ...withoutFacets(files),
    readDir(path) {
      listed += 1
      return files.readDir(path)
    },
  }
  const request: SearchRequest = { matcher: { pattern: 'needle', syntax: 'literal' }, mode: 'content', ...part }
  const result = await searchText.run(searchText.input.parse({ ignore: {}, request }), createWorkspace({ fs }), {})
  return { listed, files: result.files.map(({ path }) => path), ignored: result.ignored }
}

test('a full page is returned before the rest is searched, without counts of ignored files', async () => {
  const { listed, ...page } = await searched({ limit: 1 })
  expect(page).toEqual({ files: ['/part-1000/b.txt'], ignored: undefined })
  expect(listed).toBeLessThan(30)
})

test('if everything has to be counted, ignored files are counted too', async () => {
  expect(await searched({ limit: 1, total: true })).toEqual({ listed: 301, files: ['/part-1000/b.txt'], ignored: 300 })
  expect((await searched({})).ignored).toBe(300)
})
