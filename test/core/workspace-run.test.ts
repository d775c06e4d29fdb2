import { expect, test } from 'vitest'
import { memory } from '../../src/fs/backends/memory.js'
import { editText } from '../../src/ops/edit-text.js'
import { readText } from '../../src/ops/read-text.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'

test('runs an operation by its input, with defaults filled in', async () => {
  const workspace = createWorkspace({ fs: memory({ 'a.txt': 'one\ntwo\n' }) })
  await workspace.run(editText, { path: 'a.txt', edits: [{ kind: 'literal', find: 'two', replace: 'three' }] })
  const { lines } = await workspace.run(readText, { path: 'a.txt' })
  expect(lines).toEqual(['one', 'three'])
})

test('refuses input of the wrong type before anything is done', async () => {
  const workspace = createWorkspace({ fs: memory() })
  const refused = workspace.run(readText, { path: 'a.txt', startLine: 1.5 })
  await expect(refused).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    facts: { issues: [{ at: ['startLine'], kind: 'wrong-type', expected: 'integer' }] },
  })
})

test('a copy with other parts gives the operation those', async () => {
  const workspace = createWorkspace({ fs: memory({ 'a.txt': 'one\n' }) })
  const other = createWorkspace({ fs: memory({ 'a.txt': 'other\n' }) })
  const { lines } = await { ...workspace, fs: other.fs }.run(readText, { path: 'a.txt' })
  expect(lines).toEqual(['other'])
})
