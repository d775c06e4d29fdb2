/**
 * The machine's own shell. Without a sandbox, commands are not confined to the workspace's roots: they can do
 * everything that the server's user can.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ExecRequest, ExecResult, Shell } from '../../src/shell/types.js'
import { type DeathWatch, startDeathWatch } from './death-watch.js'
import { findShell, shellName } from './find-shell.js'
import { hideEnvironment } from './hide-environment.js'
import { closeCover, closeInherited, inheritedDescriptors, openCover } from './inherited-descriptors.js'
import { endNamespace, isRunning, type ProcessIdentity } from './process-identity.js'
import { markName, sweep } from './process-tree.js'
import { run } from './run-process.js'
import type { Sandbox } from './sandbox/sandbox.js'
import { shellCommand, windowsCommand, withOnePipe } from './shell-command.js'
import { exporting, parseState, withStateInFile, withStateReport } from './shell-state.js'

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

/** Without these, programs on Windows find neither each other nor their files. */
const inheritedOnWindows = [
  'ALLUSERSPROFILE',
  'APPDATA',
  'COMMONPROGRAMFILES',
  'COMPUTERNAME',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'PUBLIC',
  'SYSTEMDRIVE',
  'USERDOMAIN',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]

/** They make a shell run a file or set options when it starts. */
const startupVariables = ['BASH_ENV', 'ENV', 'SHELLOPTS', 'BASHOPTS']

export function nodeShell(options: NodeShellOptions): Shell {
  const { hostPath, virtualPath = (host) => host, env = process.env, hidesEnvironment = false, sandbox } = options
  const server = randomBytes(8).toString('hex')
  const found = findShell(options.program)
  const { program, kind } = found
  const posix = kind === 'posix' || kind === 'msys' || kind === 'wsl'
  const defaultVariables = { ...commandEnvironment(env), ...sandbox?.env }
  let count = 0
  let watch: DeathWatch | undefined
  /** The first processes of sandboxes that may still be running. */
  let firsts: ProcessIdentity[] = []
  let cover = openCover([])

  /** Called by the first command: many servers never run one. */
  function prepare(): void {
    if (hidesEnvironment) hide()
    if (hidesEnvironment) closeInherited()
    cover = openCover(inheritedDescriptors())
    watch = startDeathWatch(`${server}.`, sandbox?.directory())
  }

  function register(first: ProcessIdentity, begin: () => void): void {
    firsts = [...firsts.filter(isRunning), first]
    if (watch) watch.watchNamespaces(firsts, begin)
    else begin()
  }

  /** Programs of Windows get no channel besides their streams, and no sandbox. */
  async function onWindows(
    { reportState = false, ...request }: ExecRequest,
    { cwd, mark }: { cwd: string; mark: string },
  ): Promise<ExecResult> {
    const { command, mergeStreams = false, env: variables = {} } = request
    const own = { ...defaultVariables, [markName]: mark }
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

    async exec(request) {
      const { command, reportState = false } = request
      if (count === 0) prepare()
      count += 1
      const mark = `${server}.${count}.`
      const script = reportState ? withStateReport(command, program.endsWith('bash') ? 'bash' : 'sh') : command
      const cwd = hostPath(request.cwd)
      if (kind !== 'posix') return onWindows(request, { cwd, mark })
      const own = { ...defaultVariables, [markName]: mark }
      const { [markName]: _, ...variables } = request.env ?? {}
      const wrapped = sandbox?.wrap({ program, script, cwd, env: own, variables })
      const argv = wrapped?.argv ?? shellCommand(program, script)
      // Such variables would also affect the shell that joins the streams; then they are in the order of their arrival.
      const isMerged =
        request.mergeStreams && (wrapped !== undefined || !startupVariables.some((name) => name in variables))
      const execution = {
        argv: isMerged ? withOnePipe(program, argv) : argv,
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
      closeCover(cover)
      cover = openCover([])
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

function readIfThere(file: string): Buffer | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file) : undefined
}

function commandEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const known = Object.entries(env).filter(([name]) => isInherited(name))
  const own = Object.fromEntries(known.filter((pair): pair is [string, string] => pair[1] !== undefined))
  return { HOME: os.homedir(), ...own, TERM: 'dumb', GIT_TERMINAL_PROMPT: '0' }
}

function isInherited(name: string): boolean {
  const known = process.platform === 'win32' ? [...inherited, ...inheritedOnWindows] : inherited
  return known.includes(name.toUpperCase()) || name.startsWith('LC_')
}
