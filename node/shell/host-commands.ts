/** Starts commands of the machine, each in a group of processes that is ended with it, and nothing of the server's environment in it. */
import { randomBytes } from 'node:crypto'
import os from 'node:os'
import type { ExecRequest, ExecResult, ShellState } from '../../src/shell/types.js'
import { type DeathWatch, startDeathWatch } from './death-watch.js'
import { type FoundShell, findShell } from './find-shell.js'
import { hideEnvironment } from './hide-environment.js'
import { type Cover, closeCover, closeInherited, inheritedDescriptors, openCover } from './inherited-descriptors.js'
import { endNamespace, isRunning, type ProcessIdentity } from './process-identity.js'
import { markName, sweep } from './process-tree.js'
import { run } from './run-process.js'
import type { ConfinedCommand, Wrapped } from './sandbox/confined-command.js'
import type { Mask } from './sandbox/masks.js'
import { shellCommand, withOnePipe } from './shell-command.js'
import { parseState, withStateReport } from './shell-state.js'

export interface HostCommandsOptions {
  /** See `nodeShell`. */
  env?: NodeJS.ProcessEnv
  hidesEnvironment?: boolean
  program?: string
  /** A directory that is removed if this process ends without being able to. Asked for with the first command. */
  temporary?: () => string | undefined
}

/** Where and how one command runs. */
export interface CommandPlace {
  /** The directory on the host, or in the sandbox. */
  cwd: string
  /** Turns that directory at the end of the command into a path of the workspace, if it is one. */
  virtualPath: (host: string) => string | undefined
  sandbox?: CommandSandbox
}

export interface CommandSandbox {
  readonly program: string
  readonly env: Readonly<Record<string, string>>
  wrap(command: ConfinedCommand): Wrapped
  /** What rules keep from commands, as it is now. */
  masks?(): Promise<readonly Mask[]>
}

/** A command that is about to start. */
export interface Begun {
  /** The mark of its processes. */
  mark: string
  /** Variables that every command gets. */
  own: Record<string, string>
  cover: Cover
}

export interface HostCommands {
  readonly found: FoundShell
  begin(place?: Pick<CommandPlace, 'sandbox'>): Begun
  /** Runs a command in a POSIX shell. */
  exec(request: ExecRequest, place: CommandPlace): Promise<ExecResult>
  /** Ends all commands. */
  close(): void
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

export function hostCommands(options: HostCommandsOptions): HostCommands {
  const { env = process.env, hidesEnvironment = false, temporary } = options
  const server = randomBytes(8).toString('hex')
  const found = findShell(options.program)
  const { program } = found
  const environment = commandEnvironment(env)
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
    watch = startDeathWatch(`${server}.`, temporary?.())
  }

  function register(first: ProcessIdentity, begin: () => void): void {
    firsts = [...firsts.filter(isRunning), first]
    if (watch) watch.watchNamespaces(firsts, begin)
    else begin()
  }

  function begin({ sandbox }: Pick<CommandPlace, 'sandbox'> = {}): Begun {
    if (count === 0) prepare()
    count += 1
    const mark = `${server}.${count}.`
    return { mark, own: { ...environment, ...sandbox?.env, [markName]: mark }, cover }
  }

  return {
    found,
    begin,

    async exec(request, { cwd, virtualPath, sandbox }) {
      const { command, reportState = false } = request
      const begun = begin({ ...(sandbox && { sandbox }) })
      const { mark, own } = begun
      const script = reportState ? withStateReport(command, program.endsWith('bash') ? 'bash' : 'sh') : command
      const { [markName]: _, ...variables } = request.env ?? {}
      const masks = await sandbox?.masks?.()
      const wrapped = sandbox?.wrap({ program, script, cwd, env: own, variables, ...(masks && { masks }) })
      const argv = wrapped?.argv ?? shellCommand(program, script)
      // Such variables would also affect the shell that joins the streams; then they are in the order of their arrival.
      const isMerged =
        request.mergeStreams && (wrapped !== undefined || !startupVariables.some((name) => name in variables))
      const execution = {
        argv: isMerged ? withOnePipe(program, argv) : argv,
        // In a sandbox the directory may not be one of the host's.
        cwd: wrapped?.whenEnded === undefined ? cwd : '/',
        mark,
        cover: begun.cover,
        ...(sandbox && wrapped && { confined: { wrapped, register, program: sandbox.program } }),
        env: wrapped ? wrapperEnvironment(wrapped, mark) : { ...own, ...variables },
      }
      const { stateReport, ...result } = await run(request, execution)
      const left: ShellState | undefined = stateReport && parseState(stateReport, own, virtualPath)
      return { ...result, ...(left && result.ended === 'exit' && { left }) }
    },

    close() {
      for (const first of firsts) endNamespace(first)
      sweep(`${server}.`)
      watch?.close()
      watch = undefined
      count = 0
      closeCover(cover)
      cover = openCover([])
    },
  }
}

/** The wrapper must not get variables that affect how programs are loaded; nor the mark, if it is to outlive the command. */
function wrapperEnvironment({ whenEnded }: Wrapped, mark: string): Record<string, string> {
  return whenEnded === undefined ? { [markName]: mark } : {}
}

function hide(): void {
  try {
    hideEnvironment((name) => isInherited(name) || name === markName)
  } catch (error) {
    process.emitWarning(`commands can read this server's environment from /proc: ${(error as Error).message}`)
  }
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
