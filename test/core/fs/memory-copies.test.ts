import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

test('a copy with methods of its own is changed through them', async () => {
  const inner = memory({ '/a.txt': 'one\n' })
  const renamed: string[] = []
  const rename = (from: string, to: string) => {
    renamed.push(to)
    return inner.rename(from, to)
  }
  const { changes } = createWorkspace({ fs: { ...inner, rename } })
  await changes.run({ label: 'edit', scopes: [{ path: '/a.txt' }] }, (draft) =>
    draft.write('/a.txt', new TextEncoder().encode('two\n')),
  )
  expect(renamed).toEqual(['/a.txt'])
  expect(new TextDecoder().decode(await inner.readFile('/a.txt'))).toBe('two\n')
})

test('the tree itself is changed in one step', () => {
  expect(memory().transactional?.atomic).toBeDefined()
})
