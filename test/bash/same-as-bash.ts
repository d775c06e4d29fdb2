import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

/** Compares what generated scripts print with what bash makes of them, each in an empty directory. */
export async function sameAsBash(scripts: fc.Arbitrary<string>, numRuns: number): Promise<void> {
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  const workspace = createWorkspace({ fs: memory(), shell })
  onTestFinished(async () => workspace.shell?.close())
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-bash-'))
  onTestFinished(() => fs.rmSync(directory, { recursive: true }))
  let count = 0
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      count += 1
      const ours = await run(workspace, `mkdir ${count}; cd ${count}; ${script}`)
      const cwd = path.join(directory, `${count}`)
      fs.mkdirSync(cwd)
      const theirs = execFileSync('bash', ['--norc', '-c', script], {
        cwd,
        encoding: 'utf8',
        input: '',
        timeout: 20_000,
      })
      expect(ours.stdout).toBe(theirs)
    }),
    { numRuns },
  )
}
