import { expect, test } from 'vitest'
import { changeId } from '../../../src/change/change-id.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { gitCommit } from '../../../src/ops/git/commit.js'
import { gitInit } from '../../../src/ops/git/init.js'
import { gitLog } from '../../../src/ops/git/log.js'
import { spillOutput } from '../../../src/ops/shell/spill-output.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

const startMs = Date.UTC(2001, 0, 2, 3, 4, 5)

function workspaceAt(ms: number) {
  let seed = 1
  const now = () => ms
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  let count = 0
  const changeIds = (atMs: number) => changeId(atMs, ++count, '00000000')
  return createWorkspace({
    fs: memory({ 'a.txt': 'x\n'.repeat(5000) }, { now }),
    now,
    random,
    internals: { changeIds },
  })
}

test('a commit has the time of the workspace', async () => {
  const workspace = workspaceAt(startMs)
  await workspace.run(gitInit, {})
  const author = { name: 'Ann', email: 'ann@example.com' }
  await workspace.run(gitCommit, { message: 'empty', author, allowEmpty: true })
  const { commits } = await workspace.run(gitLog, {})
  expect(commits[0]?.author.timestamp).toBe(startMs / 1000)
})

test('output that was just stored is not too old by another clock', async () => {
  const workspace = workspaceAt(startMs)
  const stored = ['one', 'two'].map(async (name) => {
    return workspace.run(spillOutput, { directory: '/.polyfs', name, content: new Uint8Array(3) })
  })
  for (const one of stored) await one
  expect((await workspace.fs.readDir('/.polyfs')).map(({ name }) => name).sort()).toEqual(['.gitignore', 'one', 'two'])
})

test('the same calls give the same answers', async () => {
  const answers = await Promise.all(
    [1, 2].map(async () => {
      const workspace = workspaceAt(startMs)
      const calls = [
        ['edit_file', { path: 'a.txt', start_line: 1, end_line: 1, new_string: 'y' }],
        ['grep', { pattern: 'x', max_tokens: 300 }],
        ['history', { action: 'list' }],
        ['write_file', { path: 'b.txt', content: 'b' }],
        ['list_dir', { details: true }],
      ] as const
      const texts: string[] = []
      for (const [name, args] of calls) texts.push(JSON.stringify(await callTool(workspace, polyfs, name, args)))
      return texts
    }),
  )
  expect(answers[1]).toEqual(answers[0])
  expect(answers[0]?.join()).toContain('2001-01-02')
})
