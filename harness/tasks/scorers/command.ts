/** Runs commands for scorers, with nothing of the agent's session: no functions, no variables, no earlier `PATH`. */
import { isFsError } from '../../../src/errors.js'
import type { ExecResult, OutputChunk } from '../../../src/shell/types.js'
import { InfraError, reasonOf } from '../../infra-error.js'
import type { Episode, Task } from '../../types.js'

export interface CommandRequest {
  command: string
  /** In addition to those of the task. */
  env?: Readonly<Record<string, string>>
  /** A safety net: a command that it ends gives no score. Default: 10 minutes. */
  timeoutMs?: number
  onOutput?: (chunk: OutputChunk) => void
  signal?: AbortSignal
}

export interface CommandOutcome {
  ended: ExecResult['ended']
  exitCode: number | undefined
  stdout: string
  stderr: string
}

const defaultTimeoutMs = 600_000
const maxStreamBytes = 1 << 20
/** The shell's own programs; no file of the tree can take their place. */
const ownPrograms = '/usr/bin:/bin'
/** Files that a shell would run first. */
const startFiles = ['BASH_ENV', 'ENV']

export async function runCommand(episode: Episode, task: Task, request: CommandRequest): Promise<CommandOutcome> {
  const { command, env, timeoutMs = defaultTimeoutMs, onOutput, signal } = request
  const { shell } = episode.workspace
  if (shell === undefined) throw new InfraError('the task needs a shell: open its episodes with emulatedShell()')
  const result = await execute(() =>
    directoryOf(episode).then((cwd) =>
      shell.exec({
        command,
        cwd,
        env: variables({ ...task.options?.env, ...env }),
        timeoutMs,
        maxStreamBytes,
        ...(onOutput && { onOutput }),
        ...(signal && { signal }),
      }),
    ),
  )
  if (result.ended === 'timeout') throw new InfraError(`a command of the scorer took longer than ${timeoutMs} ms`)
  const decoder = new TextDecoder()
  return {
    ended: result.ended,
    exitCode: result.exitCode,
    stdout: decoder.decode(result.stdout.bytes),
    stderr: decoder.decode(result.stderr.bytes),
  }
}

async function execute(run: () => Promise<ExecResult>): Promise<ExecResult> {
  try {
    return await run()
  } catch (error) {
    throw new InfraError(`a command of the scorer could not be run: ${reasonOf(error)}`, { cause: error })
  }
}

/** The agent may have removed the working directory. */
async function directoryOf({ workspace: { fs, root } }: Episode): Promise<string> {
  try {
    const path = await fs.realPath(root)
    return (await fs.stat(path)).kind === 'directory' ? path : '/'
  } catch (error) {
    if (isFsError(error)) return '/'
    throw error
  }
}

function variables(given: Readonly<Record<string, string>>): Record<string, string> {
  const env = Object.fromEntries(Object.entries(given).filter(([name]) => !startFiles.includes(name)))
  return { ...env, PATH: given.PATH === undefined ? ownPrograms : `${ownPrograms}:${given.PATH}` }
}
