/** A bash whose python3 runs, in a tree of its own. */
import { afterAll, beforeAll } from 'vitest'
import { type Bash, type BashOptions, bashOn } from '../../../bash/standalone.js'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { built } from '../../node/cli/built.js'

const firstStartMs = 300_000

export interface Ran {
  stdout: string
  stderr: string
  exitCode: number
}

export interface PythonBash {
  bash: Bash
  /** Runs Python code with these arguments behind it. */
  python(code: string, ...args: string[]): Promise<Ran>
  /** Runs a script of the shell. */
  sh(script: string, timeoutMs?: number): Promise<Ran>
}

/** Call it where hooks can be added. */
export function pythonBash(options: Partial<BashOptions> = {}): PythonBash {
  const bash = bashOn((given) => emulatedShell({ ...given, worker: built('node/emulated-worker.js') }), {
    fs: memory({}),
    env: { TZ: 'UTC' },
    ...options,
  })
  afterAll(() => bash.close())
  // The first start on a machine makes the image, which takes long while other tests run; no test is about that.
  beforeAll(async () => void (await bash.exec('python3 -c 1', { timeoutMs: firstStartMs })), firstStartMs)

  async function sh(script: string, timeoutMs = 60_000): Promise<Ran> {
    const { stdout, stderr, exitCode } = await bash.exec(script, { timeoutMs })
    return { stdout, stderr, exitCode }
  }

  return {
    bash,
    sh,
    python: (code, ...args) =>
      sh(`python3 -c ${[code, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}`),
  }
}
