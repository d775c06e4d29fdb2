/** Confines commands with bubblewrap: they see only the system's programs, the workspace's roots and a temporary directory. */
import { FsError } from '../../../src/errors.js'
import { channels } from './channels.js'
import type { ConfinedCommand, Wrapped } from './confined-command.js'
import { type ConfinementOptions, openConfinement } from './confinement.js'
import { type Mask, openMasks } from './masks.js'
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

/** `auto` confines commands where this computer supports it; `require` fails where it does not. */
export type SandboxMode = 'auto' | 'require' | 'off'

export interface Sandbox {
  /** A description for people and models. */
  readonly name: string
  /** The wrapper program that runs between the server and the command. */
  readonly program: string
  /** What rules keep from commands, as it is now. */
  masks(): Promise<readonly Mask[]>
  /** Prepares a script to run confined. Throws an `FsError` when a root was removed. */
  wrap(command: ConfinedCommand): Wrapped
  /** Variables that have other values inside. */
  readonly env: Readonly<Record<string, string>>
  /** The host directory for temporary files, created on first use and removed by `close`. */
  directory(): string
  /** Call it after all commands have ended. */
  close(): Promise<void>
}

export interface SandboxOptions extends ConfinementOptions {
  mode: SandboxMode
  roots: readonly SandboxRoot[]
  /** Host directories that appear empty inside, even within a root. */
  hidden?: readonly string[]
  /** @internal Entries that commands don't see, or can't change; asked before each command. */
  masks?: () => Promise<readonly Mask[]>
}

/** Commands should be confined, but can't be. */
export class SandboxError extends Error {}

/** Tests bubblewrap once, because containers may forbid it. Undefined when `off`, or when `auto` and it does not work. */
export function openSandbox(options: SandboxOptions): Sandbox | undefined {
  const { mode, roots, hidden = [], masks = async () => [] } = options
  if (mode === 'off') return undefined
  const confinement = openConfinement(options)
  if ('fault' in confinement) {
    if (mode === 'auto') return undefined
    throw new SandboxError(`commands can't be confined as required: ${confinement.fault}`)
  }
  const mounts = openMounts(roots, hidden)
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
    name: confinement.name,
    program: 'bwrap',
    masks,
    wrap(command) {
      const [removed] = removedOf(mounts)
      if (removed !== undefined) throw new FsError('NOT_FOUND', { path: removed })
      const shown = ordered(place().mounts, mounts)
      const covers = openMasks(shown, command.masks ?? [], place().empty)
      const all = [...shown, ...covers]
      return {
        ...confinement.wrap(command, mountArguments(all)),
        descriptors: all.flatMap(({ descriptor }) => descriptor ?? []),
        started: () => closeMounts(covers),
      }
    },
    env: { HOME: temporaryInside, TMPDIR: temporaryInside },
    directory: () => place().directory,
    async close() {
      if (closed) return
      closed = true
      confinement.close()
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
function mountArguments(mounts: readonly Mount[]): string[] {
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
