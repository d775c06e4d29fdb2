/** `polyfs doctor`: checks what the server needs of this machine, and explains the consequences. */
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { isFsError } from '../../src/errors.js'
import { nodeFs } from '../disk/node-fs.js'
import { findShell, shellName } from '../shell/find-shell.js'
import { realShellFault } from '../shell/layers/real-shell.js'
import { openControlGroups } from '../shell/sandbox/control-groups.js'
import { sandboxLimits } from '../shell/sandbox/limits.js'
import { boundsProcesses } from '../shell/sandbox/limits-trial.js'
import { openSandbox, SandboxError } from '../shell/sandbox/sandbox.js'
import { stateHome } from '../state/state-directory.js'
import type { Directory } from '../workspace/directory-workspace.js'

export interface Finding {
  what: string
  /** Only `broken` prevents the server from starting or working. */
  verdict: 'good' | 'limited' | 'broken'
  found: string
  /** The consequence. */
  means: string
}

export interface Surroundings {
  nodeVersion: string
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  /** The first line of a program's version output; undefined when the program is not installed. */
  versionOf(program: string, ...args: string[]): Promise<string | undefined>
  /** Why commands can't be confined; undefined when they can. */
  sandboxFault(): string | undefined
  /** Why real programs can't see trees that are no directories; undefined when they can. */
  treesFault(): string | undefined
  /** Whether the number of processes in a sandbox can be limited; undefined where there is no sandbox. */
  boundsProcesses(): Promise<boolean | undefined>
  /** Why a confined command has no control group of its own; undefined when it has. */
  controlGroupFault(): string | undefined
  isRoot: boolean
}

/** The oldest release that is tested. */
const oldestNode = [20, 19] as const

/** Runs every check. The sandbox is started once to test it; nothing is left behind. */
export async function examine(directories: readonly Directory[], around: Surroundings = here): Promise<Finding[]> {
  const [git, rg] = await Promise.all([around.versionOf('git', '--version'), around.versionOf('rg', '--version')])
  return [
    nodeFinding(around.nodeVersion),
    ...directories.map(rootFinding),
    stateFinding(around),
    anchorFinding(around.platform),
    shellFinding(around),
    sandboxFinding(around),
    treesFinding(around),
    ...(await limitsFinding(around)),
    {
      what: 'git',
      verdict: git === undefined ? 'limited' : 'good',
      found: git ?? 'not found',
      means: 'The tools do not need it. You need it to apply a patch that --patch-out writes.',
    },
    {
      what: 'ripgrep',
      verdict: 'good',
      found: rg ?? 'not found',
      means: 'Not needed: search is built in.',
    },
  ]
}

/** Two lines for each finding: what was found, and what it means. */
export function report(findings: readonly Finding[]): string {
  const marks = { good: 'ok ', limited: 'note', broken: 'FAIL' }
  const width = Math.max(...findings.map(({ what }) => what.length))
  const lines = findings.map(
    ({ what, verdict, found, means }) =>
      `${marks[verdict].padEnd(5)}${what.padEnd(width + 2)}${found}\n     ${''.padEnd(width + 2)}${means}\n`,
  )
  const broken = findings.filter(({ verdict }) => verdict === 'broken').length
  return `${lines.join('')}\n${broken === 0 ? 'No problems found.' : `${broken} ${broken === 1 ? 'problem prevents' : 'problems prevent'} the server from working.`}\n`
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
        ? 'is not a directory'
        : 'is not readable'
    return { what, verdict: 'broken', found: why, means: 'The server refuses to start with it.' }
  }
  if (access === 'read-only') return { what, verdict: 'good', found: 'readable', means: 'The tools may only read it.' }
  const writable = may(directory, constants.W_OK)
  return {
    what,
    verdict: writable ? 'good' : 'limited',
    found: writable ? 'readable and writable' : 'readable, not writable',
    means: writable
      ? 'The tools may change everything in it except the contents of .git.'
      : 'Every change fails; start with --read-only, so that the agent is not offered tools that write.',
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
    found: `${home}${usable ? '' : ' is not writable'}`,
    means: usable
      ? 'History, crash recovery and locks between servers are stored here.'
      : 'Changes still land whole or not at all, but there is no crash recovery, and no undo after a restart. Set POLYFS_STATE_DIR to a writable directory.',
  }
}

function anchorFinding(platform: NodeJS.Platform): Finding {
  const held = platform === 'linux' && existsSync('/proc/self/fd')
  return {
    what: 'links',
    verdict: held ? 'good' : 'limited',
    found: held ? 'directories are held open through /proc/self/fd' : 'paths are checked component by component',
    means: held
      ? 'A symbolic link that another program swaps in during a call is never followed out of a root.'
      : 'A symbolic link that another program swaps in at the right moment could be followed out of a root.',
  }
}

function shellFinding({ platform }: Surroundings): Finding {
  return {
    what: 'commands',
    verdict: 'limited',
    found: shellName(findShell(undefined, { platform })),
    means:
      'Without --sandbox, commands have all your rights, also outside the roots; --no-shell removes the tools that run them.',
  }
}

function sandboxFinding({ sandboxFault }: Surroundings): Finding {
  const fault = sandboxFault()
  return {
    what: 'sandbox',
    verdict: fault === undefined ? 'good' : 'limited',
    found: fault ?? 'bubblewrap works',
    means:
      fault === undefined
        ? 'With --sandbox auto or require, commands see the roots and the programs of the system, and no network. Without it, rules (--deny) do not hold for them.'
        : '--sandbox require refuses to start, and --sandbox auto runs commands unconfined: then rules (--deny) do not hold for them.',
  }
}

function treesFinding({ treesFault }: Surroundings): Finding {
  const fault = treesFault()
  return {
    what: 'programs on trees',
    verdict: fault === undefined ? 'good' : 'limited',
    found: fault ?? 'layers can be mounted',
    means:
      fault === undefined
        ? 'With --sandbox, real programs work on --memory, --overlay, --sqlite and --store too.'
        : 'With --memory, --overlay, --sqlite and --store, --sandbox auto takes the emulated shell, and --sandbox require refuses to start.',
  }
}

async function limitsFinding({ boundsProcesses, controlGroupFault, isRoot }: Surroundings): Promise<Finding[]> {
  const bounds = await boundsProcesses()
  if (bounds === undefined) return []
  const fault = controlGroupFault()
  if (fault === undefined) {
    return [
      {
        what: 'limits',
        verdict: 'good',
        found: 'processes and memory of each command and size of each file are limited in a sandbox',
        means: 'Disk is not limited: set a quota.',
      },
    ]
  }
  const why = isRoot ? 'the kernel does not limit those of root' : 'the kernel does not enforce the limit'
  return [
    {
      what: 'limits',
      verdict: bounds ? 'good' : 'limited',
      found: bounds
        ? 'processes, memory of each process and size of each file are limited in a sandbox'
        : `memory of each process and size of each file are limited in a sandbox, the number of processes is not: ${why}`,
      means: `Total memory and disk of all processes are not limited: ${fault}. Start the server in a control group of its own (systemd-run --scope -p Delegate=yes -p MemoryMax=8G -p TasksMax=4096) and set a disk quota.`,
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
      // Not installed or broken: either way unusable.
      return undefined
    }
  },
  boundsProcesses,
  controlGroupFault() {
    const groups = openControlGroups(sandboxLimits())
    if ('fault' in groups) return groups.fault
    groups.close()
    return undefined
  },
  isRoot: process.getuid?.() === 0,
  treesFault: realShellFault,
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
