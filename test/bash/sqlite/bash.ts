/** A bash with sqlite3, in a tree of its own. */
import { afterAll } from 'vitest'
import { bashOn } from '../../../bash/standalone.js'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { built } from '../../node/cli/built.js'

export interface Ran {
  stdout: string
  stderr: string
  exitCode: number
}

/** Call it where hooks can be added. */
export function sqliteBash(): { sh(script: string, timeoutMs?: number): Promise<Ran> } {
  const bash = bashOn((given) => emulatedShell({ ...given, worker: built('node/emulated-worker.js') }), {
    fs: memory({}),
    env: { TZ: 'UTC' },
  })
  afterAll(() => bash.close())
  return {
    async sh(script, timeoutMs = 60_000) {
      const { stdout, stderr, exitCode } = await bash.exec(script, { timeoutMs })
      return { stdout, stderr, exitCode }
    },
  }
}
