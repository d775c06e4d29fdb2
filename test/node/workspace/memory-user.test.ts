import { expect, test, vi } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'

test('any user who runs the process may change a tree in memory', async (context) => {
  if (process.getuid === undefined || process.getgid === undefined) context.skip('this system has no such users')
  vi.spyOn(process, 'getuid').mockReturnValue(12_345)
  vi.spyOn(process, 'getgid').mockReturnValue(12_345)
  context.onTestFinished(() => {
    vi.restoreAllMocks()
  })
  const bytes = new TextEncoder().encode('changed\n')
  const fs = memory({ '/a/one': 'one\n', '/a/two': 'two\n' })
  await fs.writeFile('/a/one', bytes)
  await fs.writeFile('/a/new', bytes)
  await fs.makeDir('/a/b')
  await fs.rename('/a/new', '/a/b/new')
  await fs.remove('/a/two')
  await fs.symlink?.('one', '/a/link')
  await fs.setMode?.('/a/b', 0o700)
  await fs.writeFile('/a/b/new', bytes)
  expect([await fs.readFile('/a/one'), await fs.readFile('/a/b/new')]).toEqual([bytes, bytes])
  expect((await fs.readDir('/a')).map(({ name }) => name)).toEqual(['b', 'link', 'one'])
})
