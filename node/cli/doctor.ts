/** `polyfs doctor`: what of this machine the server needs, what it finds, and what follows from it. */
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { isFsError } from '../../src/errors.js'
import { nodeFs } from '../disk/node-fs.js'
import { boundsProcesses } from '../shell/sandbox/limits-trial.js'
import { openSandbox, SandboxError } from '../shell/sandbox/sandbox.js'
import { stateHome } from '../state/state-directory.js'
import type { Directory } from '../workspace/directory-workspace.js'

export interface Finding {
  what: string
  /** `broken` alone keeps the server from doing what it was asked. */
  verdict: 'good' | 'limited' | 'broken'
  found: string
  /** What follows from it. */
  means: string
}

export interface Surroundings {
  nodeVersion: string
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  /** The first line a program prints about itself; undefined when there is no such program. */
  versionOf(program: string, ...args: string[]): Promise<string | undefined>
  /** Why commands can't be confined; undefined when they can. */
  sandboxFault(): string | undefined
  /** Whether the number of processes in a sandbox can be bounded; undefined where there is none. */
  boundsProcesses(): Promise<boolean | undefined>
  isRoot: boolean
}

/** The oldest release that is tested. */
const oldestNode = [20, 19] as const

/** Looks at everything and tries the sandbox; nothing is left behind. */
export async function examine(directories: readonly Directory[], around: Surroundings = here): Promise<Finding[]> {
  const [git, rg] = await Promise.all([around.versionOf('git', '--version'), around.versionOf('rg', '--version')])
  return [
    nodeFinding(around.nodeVersion),
    ...directories.map(rootFinding),
    stateFinding(around),
    anchorFinding(around.platform),
    shellFinding(around),
    sandboxFinding(around),
    ...(await limitsFinding(around)),
    {
      what: 'git',
      verdict: git === undefined ? 'limited' : 'good',
      found: git ?? 'not found',
      means: 'The tools do without it. You need it to apply what --patch-out writes.',
    },
    {
      what: 'ripgrep',
      verdict: 'good',
      found: rg ?? 'not found',
      means: 'Not needed: searching is built in, and gives the same results everywhere.',
    },
  ]
}

/** One line for each finding and one for what it means. */
export function report(findings: readonly Finding[]): string {
  const marks = { good: 'ok ', limited: 'note', broken: 'FAIL' }
  const width = Math.max(...findings.map(({ what }) => what.length))
  const lines = findings.map(
    ({ what, verdict, found, means }) =>
      `${marks[verdict].padEnd(5)}${what.padEnd(width + 2)}${found}\n     ${''.padEnd(width + 2)}${means}\n`,
  )
  const broken = findings.filter(({ verdict }) => verdict === 'broken').length
  return `${lines.join('')}\n${broken === 0 ? 'Nothing is in the way.' : `${broken} of these keep the server from working.`}\n`
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])
  return {
    what: 'Node.js',
    verdict: isOld ? 'broken' : 'good',
    found: version,
    means: isOld ? `Node ${oldestNode.join('.')} or newer is needed.` : 'Recent enough.',
  }
}

function rootFinding({ directory, access }: Directory): Finding {
  const what = `root ${directory}`
  try {
    nodeFs(directory).close()
  } catch (error) {
    const why = isFsError(error, 'NOT_FOUND')
      ? 'does not exist'
      : isFsError(error, 'NOT_A_DIRECTORY')
        ? 'is no directory'
        : 'may not be read'
    return { what, verdict: 'broken', found: why, means: 'The server refuses to start with it.' }
  }
  if (access === 'read-only') return { what, verdict: 'good', found: 'readable', means: 'The tools may only read it.' }
  const writable = may(directory, constants.W_OK)
  return {
    what,
    verdict: writable ? 'good' : 'limited',
    found: writable ? 'readable and writable' : 'readable, not writable',
    means: writable
      ? 'The tools may change everything in it but the inside of .git.'
      : 'Every change fails; start with --read-only to say so to the agent.',
  }
}

function stateFinding({ env }: Surroundings): Finding {
  const home = stateHome(env)
  let nearest = home
  while (!existsSync(nearest) && path.dirname(nearest) !== nearest) nearest = path.dirname(nearest)
  const usable = may(nearest, constants.W_OK | constants.X_OK)
  return {
    what: 'state',
    verdict: usable ? 'good' : 'limited',
    found: `${home}${usable ? '' : ' can not be written'}`,
    means: usable
      ? 'History, recovery after a crash and locks between servers are kept here.'
      : 'Changes still land whole or not at all, but nothing is recovered after a crash and there is no undo after a restart. POLYFS_STATE_DIR names another place.',
  }
}

function anchorFinding(platform: NodeJS.Platform): Finding {
  const held = platform === 'linux' && existsSync('/proc/self/fd')
  return {
    what: 'links',
    verdict: held ? 'good' : 'limited',
    found: held ? 'directories are held open through /proc/self/fd' : 'paths are checked one name after another',
    means: held
      ? 'A link swapped in while a call runs is never followed out of a root.'
      : 'A link swapped in by another program at the right moment could be followed.',
  }
}

function shellFinding({ platform }: Surroundings): Finding {
  return {
    what: 'commands',
    verdict: 'limited',
    found: platform === 'win32' ? 'cmd.exe' : existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
    means:
      'Without --sandbox, tools that run commands can do what you can, also outside the roots; --no-shell leaves them out.',
  }
}

function sandboxFinding({ sandboxFault }: Surroundings): Finding {
  const fault = sandboxFault()
  return {
    what: 'sandbox',
    verdict: fault === undefined ? 'good' : 'limited',
    found: fault ?? 'bubblewrap was tried, and confines',
    means:
      fault === undefined
        ? 'With --sandbox auto or require, commands see the roots and the programs of the system, and no network.'
        : '--sandbox require refuses to start, and --sandbox auto runs commands without one.',
  }
}

async function limitsFinding({ boundsProcesses, isRoot }: Surroundings): Promise<Finding[]> {
  const bounds = await boundsProcesses()
  if (bounds === undefined) return []
  const why = isRoot ? "the kernel does not bound root's" : 'it was tried, and the kernel does not'
  return [
    {
      what: 'limits',
      verdict: bounds ? 'good' : 'limited',
      found: bounds
        ? 'processes, memory of each and size of each file are bounded in a sandbox'
        : `memory of each process and size of each file are bounded in a sandbox, the number of processes is not: ${why}`,
      means:
        'Memory and disk of all processes together are not bounded: start the server in a control group for the one (systemd-run --scope -p MemoryMax=8G -p TasksMax=4096), and set a quota for the other.',
    },
  ]
}

const run = promisify(execFile)

const here: Surroundings = {
  nodeVersion: process.version,
  platform: process.platform,
  env: process.env,
  async versionOf(program, ...args) {
    try {
      const { stdout } = await run(program, args, { timeout: 5000 })
      return stdout.split('\n')[0]
    } catch {
      // Missing, or broken: either way it can't be used.
      return undefined
    }
  },
  boundsProcesses,
  isRoot: process.getuid?.() === 0,
  sandboxFault() {
    try {
      openSandbox({ mode: 'require', roots: [] })?.close()
      return undefined
    } catch (error) {
      if (error instanceof SandboxError) return error.message
      throw error
    }
  },
}

function may(file: string, right: number): boolean {
  try {
    accessSync(file, right)
    return true
  } catch {
    return false
  }
}
