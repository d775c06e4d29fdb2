/**
 * The machine's own shell. Without a sandbox, commands are not confined to the workspace's roots: they can do
 * everything that the server's user can.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import type { Shell } from '../../src/shell/types.js'
import { hideEnvironment } from '../cli/hide-environment.js'
import { type DeathWatch, startDeathWatch } from './death-watch.js'
import { closeInherited, inheritedDescriptors } from './inherited-descriptors.js'
import { endNamespace, isRunning, type ProcessIdentity } from './process-identity.js'
import { markName, sweep } from './process-tree.js'
import { type Cover, run } from './run-process.js'
import type { Sandbox } from './sandbox/sandbox.js'
import { shellCommand, withOnePipe } from './shell-command.js'
import { parseState, withStateReport } from './shell-state.js'

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
  /** The POSIX shell that runs commands; without a directory, one of `/bin`. Default: bash if installed, else sh. */
  program?: string
}

/** The variables a command inherits. All others, such as keys and tokens, stay with the server. */
const inherited = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SYSTEMROOT',
]

/** They make a shell run a file or set options when it starts. */
const startupVariables = ['BASH_ENV', 'ENV', 'SHELLOPTS', 'BASHOPTS']

export function nodeShell(options: NodeShellOptions): Shell {
  const { hostPath, virtualPath = (host) => host, env = process.env, hidesEnvironment = false, sandbox } = options
  const server = randomBytes(8).toString('hex')
  const program = findShell(options.program)
  const posix = program !== 'cmd.exe'
  const defaultVariables = { ...commandEnvironment(env), ...sandbox?.env }
  let count = 0
  let watch: DeathWatch | undefined
  /** The first processes of sandboxes that may still be running. */
  let firsts: ProcessIdentity[] = []
  let cover: Cover = { inherited: [], empty: undefined }

  /** Called by the first command: many servers never run one. */
  function prepare(): void {
    if (hidesEnvironment) hide()
    if (hidesEnvironment) closeInherited()
    const inherited = inheritedDescriptors()
    cover = { inherited, empty: inherited.length > 0 ? fs.openSync('/dev/null', 'r') : undefined }
    watch = startDeathWatch(`${server}.`, sandbox?.directory())
  }

  function register(first: ProcessIdentity, begin: () => void): void {
    firsts = [...firsts.filter(isRunning), first]
    if (watch) watch.watchNamespaces(firsts, begin)
    else begin()
  }

  return {
    kind: 'real',
    engine: `the shell of this computer (${program})${sandbox ? ` in ${sandbox.name}` : ''}`,
    capabilities: {
      sharesFiles: true,
      confined: sandbox !== undefined,
      recordsChanges: false,
      background: true,
      signals: posix,
      posix,
      separateStreams: true,
    },

    async exec(request) {
      const { command, reportState = false } = request
      if (count === 0) prepare()
      count += 1
      const mark = `${server}.${count}.`
      const script = posix && reportState ? withStateReport(command, program.endsWith('bash') ? 'bash' : 'sh') : command
      const cwd = hostPath(request.cwd)
      const own = { ...defaultVariables, [markName]: mark }
      const { [markName]: _, ...variables } = request.env ?? {}
      const wrapped = sandbox?.wrap({ program, script, cwd, env: own, variables })
      const argv = wrapped?.argv ?? shellCommand(program, script)
      // Such variables would also affect the shell that joins the streams; then they are in the order of their arrival.
      const isMerged =
        request.mergeStreams && (wrapped !== undefined || !startupVariables.some((name) => name in variables))
      const execution = {
        // Node builds the command line for `cmd.exe`.
        argv: !posix ? [command] : isMerged ? withOnePipe(program, argv) : argv,
        cwd,
        mark,
        cover,
        ...(sandbox && wrapped && { confined: { wrapped, register, program: sandbox.program } }),
        // The wrapper must not get variables that affect how programs are loaded.
        env: wrapped ? { [markName]: mark } : { ...own, ...variables },
      }
      const { stateReport, ...result } = await run(request, execution)
      const left = stateReport && parseState(stateReport, own, virtualPath)
      return { ...result, ...(left && result.ended === 'exit' && { left }) }
    },

    async close() {
      for (const first of firsts) endNamespace(first)
      sweep(`${server}.`)
      watch?.close()
      sandbox?.close()
      if (cover.empty !== undefined) fs.closeSync(cover.empty)
      cover = { inherited: [], empty: undefined }
    },
  }
}

function hide(): void {
  try {
    hideEnvironment((name) => isInherited(name) || name === markName)
  } catch (error) {
    process.emitWarning(`commands can read this server's environment from /proc: ${(error as Error).message}`)
  }
}

function findShell(given: string | undefined): string {
  if (process.platform === 'win32') return 'cmd.exe'
  return given ?? (fs.existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh')
}

function commandEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const known = Object.entries(env).filter(([name]) => isInherited(name))
  const own = Object.fromEntries(known.filter((pair): pair is [string, string] => pair[1] !== undefined))
  return { HOME: os.homedir(), ...own, TERM: 'dumb', GIT_TERMINAL_PROMPT: '0' }
}

function isInherited(name: string): boolean {
  return inherited.includes(name.toUpperCase()) || name.startsWith('LC_')
}
