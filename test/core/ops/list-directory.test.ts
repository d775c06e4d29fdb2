import { expect, test } from 'vitest'
import { faulty } from '../../../harness/faults.js'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { FsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { listDirectory } from '../../../src/ops/list-directory.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

test('of an entry that may not be looked at, the kind is known', async () => {
  const fs = faulty(memory({ '/b.txt': 'bb', '/a.txt': 'a', '/d/x': '', '/gone': '' }), {
    fail({ name, path }) {
      if (name !== 'stat') return undefined
      if (path === '/gone') return new FsError('NOT_FOUND', { path })
      return path === '/a.txt' || path === '/d' ? new FsError('DENIED', { path }) : undefined
    },
  })
  const workspace = createWorkspace({ fs })
  const { entries } = await workspace.run(listDirectory, {})
  expect(entries.map(({ name, kind, size }) => [name, kind, size])).toEqual([
    ['a.txt', 'file', undefined],
    ['b.txt', 'file', 2],
    ['d', 'directory', undefined],
  ])
  const { content } = await callTool(workspace, clarvis, 'list_dir', {})
  expect(content).toEqual([{ type: 'text', text: 'd/\na.txt\t0\nb.txt\t2' }])
})
