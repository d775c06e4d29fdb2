/** Confines commands with bubblewrap: they see only the system's programs, the workspace's roots and a temporary directory. */
import fs from 'node:fs'
import path from 'node:path'
import { FsError } from '../../../src/errors.js'
import { shellCommand } from '../shell-command.js'
import { channels } from './channels.js'
import { type ControlGroupPlace, openControlGroups } from './control-groups.js'
import { limitSteps, type SandboxLimits, sandboxLimits } from './limits.js'
import { preludeFor } from './prelude.js'
import {
  closeMounts,
  type Mount,
  openMounts,
  openTemporary,
  removedOf,
  type SandboxRoot,
  temporaryInside,
} from './root-mounts.js'
import { baseArguments, systemArguments } from './system-mounts.js'
import { openPlace, removePlace, type SandboxPlace } from './temporary-place.js'
import { confinesWith } from './trial.js'

/** `auto` confines commands where this computer supports it; `require` fails where it does not. */
export type SandboxMode = 'auto' | 'require' | 'off'

export interface Sandbox {
  /** A description for people and models. */
  readonly name: string
  /** The wrapper program that runs between the server and the command. */
  readonly program: string
  /** Prepares a script to run confined. Throws an `FsError` when a root was removed. */
  wrap(command: ConfinedCommand): Wrapped
  /** Variables that have other values inside. */
  readonly env: Readonly<Record<string, string>>
  /** The host directory for temporary files, created on first use and removed by `close`. */
  directory(): string
  /** Call it after all commands have ended. */
  close(): Promise<void>
}

export interface ConfinedCommand {
  /** A POSIX shell. */
  program: string
  script: string
  cwd: string
  /** The environment of the shell itself. */
  env: Readonly<Record<string, string>>
  /**
   * Variables that the shell sets before the script. The wrapper and the shell start without them, because they may
   * affect how programs are loaded.
   */
  variables: Readonly<Record<string, string>>
}

/** The process to start, with the descriptors it needs. */
export interface Wrapped {
  argv: string[]
  /** Only for the wrapper, sent on `channels.arguments`. */
  arguments: Buffer
  /** Numbered from `channels.firstMount` on. */
  descriptors: readonly number[]
  /** Limits the command as a whole, where the system can. Takes its first process, before it does anything. */
  admit?: (pid: number) => () => void
}

export interface SandboxOptions {
  mode: SandboxMode
  roots: readonly SandboxRoot[]
  /** Host directories that appear empty inside, even within a root. */
  hidden?: readonly string[]
  allowNetwork?: boolean
  limits?: Partial<SandboxLimits>
  /** Where to look for bubblewrap. Default: the server's `PATH`. */
  searchPath?: string
  /** @internal Default: those of this machine. */
  controlGroups?: ControlGroupPlace
}

/** Commands should be confined, but can't be. */
export class SandboxError extends Error {}

/** Tests bubblewrap once, because containers may forbid it. Undefined when `off`, or when `auto` and it does not work. */
export function openSandbox(options: SandboxOptions): Sandbox | undefined {
  const { mode, roots, hidden = [], allowNetwork = false, searchPath = process.env.PATH ?? '' } = options
  if (mode === 'off') return undefined
  const program = findProgram('bwrap', searchPath)
  const { privileges, fault } =
    program === undefined ? { fault: 'bubblewrap (bwrap) is not installed' } : confinesWith(program)
  if (program === undefined || privileges === undefined) {
    if (mode === 'auto') return undefined
    throw new SandboxError(`commands can't be confined as required: ${fault}`)
  }
  const limits = sandboxLimits(options.limits)
  const mounts = openMounts(roots, hidden)
  const namespaces = [...privileges, ...(allowNetwork ? [] : ['--unshare-net'])]
  const groups = openControlGroups(limits, options.controlGroups)
  let closed = false
  let opened: (SandboxPlace & { mounts: readonly Mount[] }) | undefined

  /** Created by the first command: many servers never run one. */
  function place() {
    if (opened) return opened
    const made = openPlace()
    opened = { ...made, mounts: openTemporary(made.temporary, mounts) }
    return opened
  }

  return {
    name: `a bubblewrap sandbox ${allowNetwork ? 'with' : 'without'} network`,
    program: 'bwrap',
    wrap({ program: shell, script, cwd, env, variables }) {
      const [removed] = removedOf(mounts)
      if (removed !== undefined) throw new FsError('NOT_FOUND', { path: removed })
      const all = ordered(place().mounts, mounts)
      const { prelude, environment } = preludeFor(env, variables, limitSteps(limits, shell))
      const args = [
        ...namespaces,
        ...confinement(all),
        '--clearenv',
        ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
        ...['--chdir', cwd, '--json-status-fd', String(channels.status)],
      ]
      // Arguments are separated by NUL: one in a value would start another argument.
      if (args.some((argument) => argument.includes('\0'))) {
        const message = 'a directory or a variable contains a null character'
        throw new FsError('INVALID_INPUT', { issues: [{ at: [], kind: 'other', message }] })
      }
      return {
        argv: [program, '--args', String(channels.arguments), '--', ...shellCommand(shell, prelude + script)],
        arguments: Buffer.from(args.map((argument) => `${argument}\0`).join('')),
        descriptors: all.flatMap(({ descriptor }) => descriptor ?? []),
        ...('admit' in groups && { admit: groups.admit }),
      }
    },
    env: { HOME: temporaryInside, TMPDIR: temporaryInside },
    directory: () => place().directory,
    async close() {
      if (closed) return
      closed = true
      if ('close' in groups) groups.close()
      closeMounts([...mounts, ...(opened?.mounts ?? [])])
      if (opened) removePlace(opened.directory)
    },
  }
}

/** The host's `/` is mounted first, then temporary directories, then the other roots. */
function ordered(temporary: readonly Mount[], mounts: readonly Mount[]): Mount[] {
  const isWhole = ({ inside }: Mount) => inside === '/'
  return [...mounts.filter(isWhole), ...temporary, ...mounts.filter((mount) => !isWhole(mount))]
}

/** The mount arguments, with the number of each descriptor in the wrapper. */
function confinement(mounts: readonly Mount[]): string[] {
  const [first, ...rest] = mounts
  const whole = first?.inside === '/' ? [first] : []
  let number = channels.firstMount - 1
  const bind = ({ inside, access, descriptor }: Mount) => {
    if (descriptor === undefined) return ['--tmpfs', inside]
    number += 1
    return [access === 'read-write' ? '--bind-fd' : '--ro-bind-fd', String(number), inside]
  }
  // Directories that bubblewrap creates are in memory, so they are read-only: a command must not fill them.
  const inMemory = mounts.filter(({ descriptor }) => descriptor === undefined).map(({ inside }) => inside)
  if (whole.length === 0) inMemory.push('/')
  return [
    ...(whole.length > 0 ? whole.flatMap(bind) : systemArguments),
    ...baseArguments,
    ...(whole.length > 0 ? rest : mounts).flatMap(bind),
    ...inMemory.flatMap((inside) => ['--remount-ro', inside]),
  ]
}

function findProgram(name: string, searchPath: string): string | undefined {
  const places = searchPath.split(path.delimiter).filter((directory) => path.isAbsolute(directory))
  return places.map((directory) => path.join(directory, name)).find((file) => fs.existsSync(file))
}
