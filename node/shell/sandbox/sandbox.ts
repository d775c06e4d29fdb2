/** Confines commands with bubblewrap: they see the system's programs, the workspace's roots and a place for temporary files, and no more. */

import fs from 'node:fs'
import path from 'node:path'
import { FsError } from '../../../src/errors.js'
import { shellCommand } from '../shell-command.js'
import { channels } from './channels.js'
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

/** `auto` confines where this computer can; `require` fails where it can't. */
export type SandboxMode = 'auto' | 'require' | 'off'

export interface Sandbox {
  /** For people and models to read. */
  readonly name: string
  /** The program whose processes stand between the server and the command. */
  readonly program: string
  /** How to run a script confined. Throws an `FsError` when a root was removed. */
  wrap(command: ConfinedCommand): Wrapped
  /** Variables that mean something else inside. */
  readonly env: Readonly<Record<string, string>>
  /** Of the host, for temporary files; made when it is first asked for, and removed by `close`. */
  directory(): string
  /** Once all commands have been ended. */
  close(): void
}

export interface ConfinedCommand {
  /** A POSIX shell. */
  program: string
  script: string
  cwd: string
  /** Of the shell itself. */
  env: Readonly<Record<string, string>>
  /** Set by the shell before the script: they may say how programs are loaded, so the wrapper and the shell are started without. */
  variables: Readonly<Record<string, string>>
}

/** What is to be started, with the descriptors it needs. */
export interface Wrapped {
  argv: string[]
  /** For the wrapper alone, on `channels.arguments`. */
  arguments: Buffer
  /** As they are numbered from `channels.firstMount` on. */
  descriptors: readonly number[]
}

export interface SandboxOptions {
  mode: SandboxMode
  roots: readonly SandboxRoot[]
  /** Directories of the host that are empty inside, also where a root contains them. */
  hidden?: readonly string[]
  allowNetwork?: boolean
  limits?: Partial<SandboxLimits>
  /** Where to look for the program; that of the server unless given. */
  searchPath?: string
}

/** Commands were to be confined, and can't be. */
export class SandboxError extends Error {}

/** Tries it once, because a container may refuse what is installed. Absent when off, or where it does not work and need not. */
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
  let closed = false
  let opened: (SandboxPlace & { mounts: readonly Mount[] }) | undefined

  /** Not at every start: most run no command. */
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
      // They are told apart by zeros: one in a value would be an argument of its own.
      if (args.some((argument) => argument.includes('\0'))) {
        const message = 'a directory or a variable contains a null character'
        throw new FsError('INVALID_INPUT', { issues: [{ at: [], kind: 'other', message }] })
      }
      return {
        argv: [program, '--args', String(channels.arguments), '--', ...shellCommand(shell, prelude + script)],
        arguments: Buffer.from(args.map((argument) => `${argument}\0`).join('')),
        descriptors: all.flatMap(({ descriptor }) => descriptor ?? []),
      }
    },
    env: { HOME: temporaryInside, TMPDIR: temporaryInside },
    directory: () => place().directory,
    close() {
      if (closed) return
      closed = true
      closeMounts([...mounts, ...(opened?.mounts ?? [])])
      if (opened) removePlace(opened.directory)
    },
  }
}

/** The machine's own root directory lies below everything else, and what is for temporary files below the roots. */
function ordered(temporary: readonly Mount[], mounts: readonly Mount[]): Mount[] {
  const isWhole = ({ inside }: Mount) => inside === '/'
  return [...mounts.filter(isWhole), ...temporary, ...mounts.filter((mount) => !isWhole(mount))]
}

/** Every mount in turn, by the number that its descriptor has for the wrapper. */
function confinement(mounts: readonly Mount[]): string[] {
  const [first, ...rest] = mounts
  const whole = first?.inside === '/' ? [first] : []
  let number = channels.firstMount - 1
  const bind = ({ inside, access, descriptor }: Mount) => {
    if (descriptor === undefined) return ['--tmpfs', inside]
    number += 1
    return [access === 'read-write' ? '--bind-fd' : '--ro-bind-fd', String(number), inside]
  }
  // What bubblewrap makes up itself lies in memory, which a command must not fill.
  const madeUp = mounts.filter(({ descriptor }) => descriptor === undefined).map(({ inside }) => inside)
  if (whole.length === 0) madeUp.push('/')
  return [
    ...(whole.length > 0 ? whole.flatMap(bind) : systemArguments),
    ...baseArguments,
    ...(whole.length > 0 ? rest : mounts).flatMap(bind),
    ...madeUp.flatMap((inside) => ['--remount-ro', inside]),
  ]
}

function findProgram(name: string, searchPath: string): string | undefined {
  const places = searchPath.split(path.delimiter).filter((directory) => path.isAbsolute(directory))
  return places.map((directory) => path.join(directory, name)).find((file) => fs.existsSync(file))
}
