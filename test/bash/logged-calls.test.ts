import { expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { textOf } from '../../src/dialects/tool-definitions.js'
import { memory } from '../../src/fs/backends/memory.js'
import { audited } from '../../src/tools/audit.js'
import { callTool } from '../../src/tools/call-tool.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { built } from '../node/cli/built.js'

test('a session of the shell lasts from call to call when calls are logged', async () => {
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  const workspace = createWorkspace({ fs: memory({ 'd/a.txt': '' }), shell })
  const dialect = audited(polyfs, () => {})
  const session = {}
  const bash = async (command: string) =>
    textOf(await callTool(workspace, dialect, 'bash', { command, session: 's' }, { session }))
  await bash('cd d; export x=1')
  expect(await bash('echo $x; pwd')).toContain('1\n/d\n')
  await workspace.shell?.close()
})

test('a cursor of a call that changed something leads to the rest of its answer when calls are logged', async () => {
  const tree = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}.txt`, 'x']))
  const workspace = createWorkspace({ fs: memory(tree) })
  const git = (args: object) =>
    callTool(
      workspace,
      audited(polyfs, () => {}),
      'git',
      args,
      { session: {} },
    )
  await git({ action: 'init' })
  const add = { action: 'add', max_tokens: 256 }
  const { facts } = await git(add)
  const rest = await git({ ...add, cursor: facts?.cursor })
  expect(facts?.cursor).toEqual(expect.any(String))
  expect(rest.isError).toBeUndefined()
})
