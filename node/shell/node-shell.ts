/**
 * The machine's own shell. Without a sandbox commands are not confined by the workspace's roots: they can do what the server's user can.
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
import { shellCommand } from './shell-command.js'
import { parseState, tellingState } from './shell-state.js'

export interface NodeShellOptions {
  /** The host's path of a directory of the workspace. */
  hostPath: (virtual: string) => string
  /** The other way round; `undefined` for what is no part of the workspace. The same path unless given. */
  virtualPath?: (host: string) => string | undefined
  /** Where the variables commands may see come from. */
  env?: NodeJS.ProcessEnv
  /**
   * Before the first command, hides from other processes what commands may not see of this one's environment, and closes the descriptors that
   * this process was started with and does not use. For a program that is a server and nothing else; in others such descriptors lead commands
   * to an empty file.
   */
  hidesEnvironment?: boolean
  /** What confines commands; closed with the shell. */
  sandbox?: Sandbox
  /** What reads commands, where that is a POSIX shell: bash if there is one, else sh, unless given. */
  program?: string
}

/** What a command may see of the server's environment. Anything else, keys and tokens above all, stays with the server. */
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

export function nodeShell(options: NodeShellOptions): Shell {
  const { hostPath, virtualPath = (host) => host, env = process.env, hidesEnvironment = false, sandbox } = options
  const server = randomBytes(8).toString('hex')
  const program = findShell(options.program)
  const posix = program !== 'cmd.exe'
  const usual = { ...commandEnvironment(env), ...sandbox?.env }
  let count = 0
  let watch: DeathWatch | undefined
  /** Of the sandboxes in which something may still be running. */
  let firsts: ProcessIdentity[] = []
  let cover: Cover = { inherited: [], empty: undefined }

  /** Not at every start: most run no command. */
  function prepare(): void {
    if (hidesEnvironment) hide()
    if (hidesEnvironment) closeInherited()
    const inherited = inheritedDescriptors()
    cover = { inherited, empty: inherited.length > 0 ? fs.openSync('/dev/null', 'r') : undefined }
    watch = startDeathWatch(`${server}.`, sandbox?.directory())
  }

  function register(first: ProcessIdentity, begin: () => void): void {
    firsts = [...firsts.filter(isRunning), first]
    if (watch) watch.tell(firsts, begin)
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
      const script = posix && reportState ? tellingState(command, program.endsWith('bash') ? 'bash' : 'sh') : command
      const cwd = hostPath(request.cwd)
      const own = { ...usual, [markName]: mark }
      const { [markName]: _, ...variables } = request.env ?? {}
      const wrapped = sandbox?.wrap({ program, script, cwd, env: own, variables })
      const surroundings = {
        // Node knows how `cmd.exe` wants to be called.
        argv: posix ? (wrapped?.argv ?? shellCommand(program, script)) : [command],
        cwd,
        mark,
        cover,
        ...(sandbox && wrapped && { confined: { wrapped, register, program: sandbox.program } }),
        // What a variable says about loading programs is not for the wrapper.
        env: wrapped ? { [markName]: mark } : { ...own, ...variables },
      }
      const { told, ...result } = await run(request, surroundings)
      const left = told && parseState(told, own, virtualPath)
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
