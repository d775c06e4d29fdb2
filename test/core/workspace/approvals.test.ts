import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { moveEntry } from '../../../src/ops/move-entry.js'
import { readText } from '../../../src/ops/read-text.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import type { ApprovalQuestion, ApprovePath } from '../../../src/workspace/approval.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Rule } from '../../../src/workspace/rules.js'

function open(rules: readonly Rule[], answer?: ApprovePath) {
  const asked: ApprovalQuestion[] = []
  const fs = memory({ '/src/a.ts': 'one\n', '/src/b.ts': 'two\n', '/key': 'KEY\n' })
  const approve: ApprovePath = (question) => {
    asked.push(question)
    return answer === undefined ? { allow: true } : answer(question)
  }
  return { asked, workspace: createWorkspace({ fs, rules, approve }), silent: createWorkspace({ fs, rules }) }
}

const change = (path: string, content: string) => ({ files: [{ path, content }] })
const text = async ({ fs }: { fs: { readFile(path: string): Promise<Uint8Array> } }, path: string) =>
  new TextDecoder().decode(await fs.readFile(path))

test('what needs a yes is asked about, and then done', async () => {
  const { workspace, asked } = open([{ ask: 'src/**' }])
  await workspace.run(writeFiles, change('/src/a.ts', 'new\n'))
  expect(asked).toEqual([{ path: '/src/a.ts', doing: 'change', rule: 'src/**' }])
  expect(await text(workspace, '/src/a.ts')).toBe('new\n')
})

test('a yes is for one call', async () => {
  const { workspace, asked } = open([{ ask: 'src/**' }])
  await workspace.run(writeFiles, change('/src/a.ts', '1\n'))
  await workspace.run(writeFiles, change('/src/a.ts', '2\n'))
  expect(asked).toHaveLength(2)
})

test('a call that changes several is asked about each, and done once', async () => {
  const { workspace, asked } = open([{ ask: 'src/**' }])
  await workspace.run(moveEntry, { from: '/src', to: '/lib' })
  expect(asked.map(({ path }) => path).sort()).toEqual(['/src/a.ts', '/src/b.ts'])
  expect(await workspace.history.list()).toHaveLength(1)
})

test('after a no nothing is done, and the answer says why', async () => {
  const { workspace } = open([{ ask: 'src/**' }], ({ path }) =>
    path === '/src/b.ts' ? { allow: false, word: 'use lib' } : { allow: true },
  )
  const files = [
    { path: '/src/a.ts', content: 'x' },
    { path: '/src/b.ts', content: 'x' },
  ]
  await expect(workspace.run(writeFiles, { files })).rejects.toMatchObject({
    code: 'NEEDS_APPROVAL',
    facts: { at: '/src/b.ts', refused: { word: 'use lib' } },
  })
  expect(await text(workspace, '/src/a.ts')).toBe('one\n')
})

test('where nobody can be asked it is refused', async () => {
  const { silent } = open([{ ask: 'src/**' }])
  await expect(silent.run(writeFiles, change('/src/a.ts', 'x'))).rejects.toMatchObject({ code: 'NEEDS_APPROVAL' })
})

test('reading can need a yes too, and a link to it', async () => {
  const { workspace, asked } = open([{ ask: 'key', to: 'read' }])
  await workspace.fs.symlink?.('key', '/open')
  expect(await workspace.run(readText, { path: '/open' })).toMatchObject({ lines: ['KEY'] })
  expect(asked).toEqual([{ path: '/key', doing: 'read', rule: 'key' }])
})

test('what is denied is not asked about', async () => {
  const { workspace, asked } = open([{ ask: 'key', to: 'read' }, { deny: 'key' }])
  await expect(workspace.run(readText, { path: '/key' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(asked).toEqual([])
})
