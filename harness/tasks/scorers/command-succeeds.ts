import { isFsError } from '../../../src/errors.js'
import type { MemoryTree } from '../../../src/fs/backends/memory.js'
import { reasonOf } from '../../infra-error.js'
import type { Scorer } from '../../types.js'
import { type Folder, folderOf } from '../folder.js'
import { runCommand } from './command.js'
import { freshDirectories } from './fresh-directories.js'
import type { CheckOptions } from './tree-checks.js'

export interface CommandSucceedsOptions extends CheckOptions {
  /** What is put into `/tests` for the command. */
  tests?: MemoryTree | Folder
  env?: Readonly<Record<string, string>>
  /** Default: 10 minutes. */
  timeoutMs?: number
  /** What it has to print, apart from blanks at both ends. */
  stdout?: string
}

/** A bash command ends with exit code 0. It runs in the working directory, in a fork of its own. */
export function commandSucceeds(command: string, options: CommandSucceedsOptions = {}): Scorer {
  const { name = command.split('\n', 1)[0] as string, tests = {}, stdout: wanted, weight, gate } = options
  const { env, timeoutMs } = options
  const common = { name, ...(weight !== undefined && { weight }), ...(gate && { gate }) }
  return async ({ episode, task }) => {
    try {
      await freshDirectories(episode, task, await folderOf(tests))
    } catch (error) {
      if (!isFsError(error)) throw error
      return [{ value: 0, reason: `the tests can't be put into the tree: ${reasonOf(error)}`, ...common }]
    }
    const { exitCode, stdout, stderr } = await runCommand(episode, task, {
      command,
      ...(env && { env }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    if (exitCode !== 0) {
      const last = stderr.trimEnd().split('\n').at(-1) ?? ''
      return [{ value: 0, reason: `exit code ${exitCode ?? 'unknown'}${last && `: ${last.slice(0, 300)}`}`, ...common }]
    }
    if (wanted !== undefined && stdout.trim() !== wanted.trim()) {
      return [{ value: 0, reason: `it printed ${JSON.stringify(stdout.trim().slice(0, 200))}`, ...common }]
    }
    return [{ value: 1, reason: 'exit code 0', ...common }]
  }
}
