import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

test.each([100, 1])('a mode that changes before a move stays, with %i bytes kept for undo', async (maxUndoBytes) => {
  const raw = memory({ '/a/run.sh': 'echo\n' })
  const { changes, history } = createWorkspace({ fs: raw, limits: { maxUndoBytes } })
  const modeAt = async (path: string) => ((await raw.stat(path)).mode ?? 0) & 0o777
  const before = await modeAt('/a/run.sh')
  await changes.run({ label: 'mode and move', scopes: [{ path: '/', tree: true }] }, async (draft) => {
    await draft.setMode('/a/run.sh', 0o700)
    await draft.move('/a', '/c')
  })
  expect(await modeAt('/c/run.sh')).toBe(0o700)
  const { id } = await history.undo()
  expect(await modeAt('/a/run.sh')).toBe(before)
  expect(new TextDecoder().decode(await raw.readFile('/a/run.sh'))).toBe('echo\n')
  await history.undo(id)
  expect(await modeAt('/c/run.sh')).toBe(0o700)
})
