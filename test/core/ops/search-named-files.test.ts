import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { searchText } from '../../../src/ops/search-text.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { timedAsync } from '../processor-time.js'

const request = { matcher: { pattern: 'word', syntax: 'rust' as const }, mode: 'files' as const }

function search(tree: Record<string, string>, input: { files: string[] } | { paths: string[] }) {
  return createWorkspace({ fs: memory(tree) }).run(searchText, { ...input, request }, {})
}

test('a file that is named twice, or lies in a named directory, is reported once', async () => {
  const tree = { '/a/b/c': 'word', '/a/d': 'word', '/ab': 'word' }
  const found = async (input: Parameters<typeof search>[1]) => (await search(tree, input)).files.map(({ path }) => path)
  expect(await found({ files: ['/a/d', '/ab', '/a/d'] })).toEqual(['/a/d', '/ab'])
  expect(await found({ paths: ['/a/b/c', '/a', '/ab'] })).toEqual(['/a/b/c', '/a/d', '/ab'])
  expect(await found({ paths: ['/a', '/a/b', '/a/d'] })).toEqual(['/a/b/c', '/a/d'])
})

test('each of many named files is looked at once', async () => {
  const paths = Array.from({ length: 20_000 }, (_, at) => `/${at % 100}/${at}`)
  const tree = Object.fromEntries(paths.map((path) => [path, 'word']))
  const ms = await timedAsync(5000, async () => {
    const { files } = await search(tree, { files: paths })
    expect(files).toHaveLength(paths.length)
  })
  expect(ms).toBeLessThan(10_000)
})
