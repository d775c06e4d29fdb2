import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { tallyText } from '../../../src/ops/tally-text.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { trackedFiles } from '../../repository-files.js'

const files = [...trackedFiles({ maxBytes: 100_000 })].filter(({ path }) => /^src\/.*\.ts$/.test(path))
const workspace = createWorkspace({
  fs: memory(Object.fromEntries(files.map(({ path, bytes }) => [`/${path}`, bytes]))),
})

test.each([
  { pattern: "from '([^']*)'" },
  { pattern: '\\bexport (?:async )?(\\w+)' },
  { pattern: 'const' },
  { pattern: '\\w+(?=\\()' },
  { pattern: 'TEXT', ignoreCase: true },
  { pattern: 'a(b)?' },
])('counts values of $pattern as matchAll does', async ({ pattern, ignoreCase = false }) => {
  const request = {
    matcher: { pattern, syntax: 'ecmascript' as const, ignoreCase },
    mode: 'content' as const,
    total: true,
  }
  const { values, isCut, found } = await workspace.run(tallyText, { paths: ['/'], request })
  const expected = new Map<string, { value: string; count: number; first: object; last: object }>()
  let lines = 0
  for (const { path, bytes } of [...files].sort((one, other) => (one.path < other.path ? -1 : 1))) {
    for (const [index, text] of bytes.toString().split('\n').entries()) {
      const matches = [...text.matchAll(new RegExp(pattern, ignoreCase ? 'gui' : 'gu'))]
      if (matches.length > 0) lines += 1
      for (const match of matches) {
        const value = match[1] ?? match[0]
        const place = { path: `/${path}`, line: index + 1 }
        const known = expected.get(value)
        expected.set(value, { value, count: (known?.count ?? 0) + 1, first: known?.first ?? place, last: place })
      }
    }
  }
  expect(lines).toBeGreaterThan(100)
  expect(values).toEqual([...expected.values()].sort((one, other) => other.count - one.count))
  expect([isCut, found.summary.matches, found.files]).toEqual([false, lines, []])
})

test('the lines of a block are counted', async () => {
  const own = createWorkspace({ fs: memory({ '/a': 'x\ny\nx\ny\n' }) })
  const request = {
    matcher: { pattern: 'x\\n(y)', syntax: 'ecmascript' as const, multiline: true },
    mode: 'content' as const,
  }
  const { values } = await own.run(tallyText, { paths: ['/a'], request })
  expect(values).toEqual([{ value: 'y', count: 2, first: { path: '/a', line: 1 }, last: { path: '/a', line: 3 } }])
})
