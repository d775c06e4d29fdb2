/**
 * The machine's own shell. Without a sandbox, commands are not confined to the workspace's roots: they can do
 * everything that the server's user can.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ExecRequest, ExecResult, Shell } from '../../src/shell/types.js'
import { shellName } from './find-shell.js'
import { hostCommands } from './host-commands.js'
import { markName } from './process-tree.js'
import { run } from './run-process.js'
import type { Sandbox } from './sandbox/sandbox.js'
import { windowsCommand } from './shell-command.js'
import { exporting, parseState, withStateInFile } from './shell-state.js'

export interface NodeShellOptions {
  /** Turns a directory of the workspace into a host path. */
  hostPath: (virtual: string) => string
  /** Turns a host path into a path of the workspace; `undefined` for paths outside it. Default: the same path. */
  virtualPath?: (host: string) => string | undefined
  /** The environment that commands get variables from. */
  env?: NodeJS.ProcessEnv
  /**
   * Before the first command, hides from other processes the variables that commands may not see, and closes inherited
   * descriptors that are not in use. Only for a program that is nothing but a server; in others, commands see such
   * descriptors as empty files.
   */
  hidesEnvironment?: boolean
  /** Confines commands; closed with the shell. */
  sandbox?: Sandbox
  /**
   * The shell that runs commands; without a directory, one of `/bin`. Default: bash if installed, else sh. On Windows: Git Bash, else bash
   * in WSL, else PowerShell.
   */
  program?: string
}

export function nodeShell(options: NodeShellOptions): Shell {
  const { hostPath, virtualPath = (host) => host, sandbox } = options
  const commands = hostCommands({ ...options, temporary: () => sandbox?.directory() })
  const { found } = commands
  const { kind } = found
  const posix = kind === 'posix' || kind === 'msys' || kind === 'wsl'

  /** Programs of Windows get no channel besides their streams, and no sandbox. */
  async function onWindows({ reportState = false, ...request }: ExecRequest): Promise<ExecResult> {
    const { command, mergeStreams = false, env: { [markName]: _, ...variables } = {} } = request
    const cwd = hostPath(request.cwd)
    const { mark, own, cover } = commands.begin()
    const isBash = kind === 'msys' || kind === 'wsl'
    const file =
      isBash && reportState ? path.join(os.tmpdir(), `polyfs-${mark}${randomBytes(8).toString('hex')}`) : undefined
    const plain = isBash ? exporting(variables) + command : command
    const script = file === undefined || !isBash ? plain : withStateInFile(command, { kind, file, variables })
    const argv = windowsCommand(found, script, { cwd, isMerged: mergeStreams })
    try {
      const execution = { argv: argv ?? [command], cwd, mark, cover, env: isBash ? own : { ...own, ...variables } }
      const { stateReport: _, ...result } = await run(request, { ...execution, usesCmd: argv === undefined })
      const report = file === undefined || result.ended !== 'exit' ? undefined : readIfThere(file)
      const left = report && parseState(report, own, virtualPath)
      return { ...result, ...(left && { left }) }
    } finally {
      if (file !== undefined) fs.rmSync(file, { force: true })
    }
  }

  return {
    kind: 'real',
    engine: `the shell of this computer (${shellName(found)})${sandbox ? ` in ${sandbox.name}` : ''}`,
    capabilities: {
      sharesFiles: true,
      confined: sandbox !== undefined,
      recordsChanges: false,
      background: true,
      signals: kind === 'posix',
      posix,
      separateStreams: true,
    },

    exec: async (request) =>
      kind === 'posix'
        ? commands.exec(request, { cwd: hostPath(request.cwd), virtualPath, ...(sandbox && { sandbox }) })
        : onWindows(request),

    async close() {
      commands.close()
      sandbox?.close()
    },
  }
}

function readIfThere(file: string): Buffer | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file) : undefined
}
