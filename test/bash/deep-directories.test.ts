/** Commands that ask for much: the time that they have, and what it costs to go deep. */
import { expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { limitBytes, roomFor } from '../../src/fs/backends/limit-bytes.js'
import { memory } from '../../src/fs/backends/memory.js'
import { overlay } from '../../src/fs/backends/overlay.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { timedAsync } from '../core/processor-time.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

const shell = emulatedShell({ worker: built('node/emulated-worker.js') })

test('to make directories below each other takes four times as long for four times as many', async () => {
  const costOf = async (count: number) => {
    const fs = overlay(memory(), limitBytes(memory(), roomFor(1e9)))
    const workspace = createWorkspace({ fs, shell })
    const command = `for i in $(seq ${count}); do mkdir d && cd d; done; pwd | wc -c`
    let stdout = ''
    const ms = await timedAsync(Infinity, async () => {
      stdout = (await run(workspace, command)).stdout
    })
    expect(stdout).toBe(`${2 * count + 1}\n`)
    expect((await workspace.fs.stat('/d'.repeat(count))).kind).toBe('directory')
    return ms
  }
  await costOf(20)
  let [near, far] = [Infinity, Infinity]
  // With the square of the number it is 16 times as long, and with the cube 64 times.
  for (let round = 0; round === 0 || (round < 3 && far > 9 * near); round += 1) {
    near = Math.min(near, await costOf(150))
    far = Math.min(far, await costOf(600))
  }
  expect(far).toBeLessThan(9 * near)
})

test('a command is ended by time, also where the thread was busy with what it had asked for', async () => {
  const fs = memory()
  const busyMs = 1500
  const slow = {
    ...fs,
    async readFile(path: string) {
      for (const until = performance.now() + busyMs; performance.now() < until; );
      return fs.readFile(path)
    },
  }
  await fs.writeFile('/a', new TextEncoder().encode('a'))
  const { sync: _, ...rest } = slow
  const workspace = createWorkspace({ fs: rest, shell })
  await run(workspace, 'true')
  const ran = await run(workspace, 'cat a', { timeoutMs: busyMs / 2 })
  expect([ran.ended, ran.exitCode]).toEqual(['timeout', undefined])
  expect(await run(workspace, 'echo next')).toMatchObject({ ended: 'exit', exitCode: 0, stdout: 'next\n' })
})
