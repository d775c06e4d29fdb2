import { afterAll, describe, expect, test } from 'vitest'
import { memory } from '../src/fs/backends/memory.js'
import type { Shell } from '../src/shell/types.js'
import { createWorkspace } from '../src/workspace/create-workspace.js'
import type { Workspace } from '../src/workspace/workspace.js'
import { run } from './emulated-shell.js'
import { killed, type MemoryBomb, memoryBombs, memoryGivenBack } from './memory-bombs.js'
import { sample } from './scale.js'

/** One test per bomb: it ends with a reason, other calls are answered meanwhile, and the next command runs. */
export function describeMemoryBombs(
  name: string,
  shell: (workspace: Workspace) => Shell,
  more: readonly MemoryBomb[] = [],
): void {
  describe(`no command fills the memory ${name}`, () => {
    let last: Workspace | undefined
    afterAll(() => last?.shell?.close())

    test.each(sample([...memoryBombs, ...more]))('$name', async ({ command, exitCode, says }) => {
      const workspace = createWorkspace({ fs: memory({ '/beside': 'answered' }), shell })
      last = workspace
      const running = run(workspace, command, { maxStreamBytes: 10_000, timeoutMs: 110_000 })
      expect(new TextDecoder().decode(await workspace.fs.readFile('/beside'))).toBe('answered')
      const { ended, exitCode: code, stderr } = await running
      const expected = code === killed.exitCode && stderr.endsWith(killed.says) ? killed : { exitCode, says }
      expect({ ended, exitCode: code, stderr }).toEqual({
        ended: 'exit',
        exitCode: expected.exitCode,
        stderr: expect.stringContaining(expected.says),
      })
      expect((await run(workspace, 'echo next')).stdout).toBe('next\n')
    })

    test.each(sample(memoryGivenBack))('what is given back does not count: $name', async ({ command }) => {
      const workspace = createWorkspace({ fs: memory(), shell })
      last = workspace
      const { ended, exitCode, stderr } = await run(workspace, command, { timeoutMs: 110_000 })
      expect({ ended, exitCode, stderr }).toEqual({ ended: 'exit', exitCode: 0, stderr: '' })
    })
  })
}
