/** What all shells on trees of this process share: the sandbox, the layers, and the processes of their commands. */
import fs from 'node:fs'
import path from 'node:path'
import { type FoundShell, findShell } from '../find-shell.js'
import { type HostCommands, hostCommands } from '../host-commands.js'
import { type Confinement, type ConfinementOptions, openConfinement } from '../sandbox/confinement.js'
import { type LayerPlace, layerParent, openLayerPlace } from './layer-place.js'
import { type LayerStore, layerStore } from './layer-store.js'
import { writeMountPoints } from './mount-points.js'
import { findMountPrograms, type MountPrograms } from './overlay-mount.js'
import { mountFault } from './trial-mount.js'

export interface RealTierOptions extends ConfinementOptions {
  /** Where layers are written. Default: `/dev/shm`, if a gigabyte is free there, else the directory for temporary files. */
  directory?: string
  env?: NodeJS.ProcessEnv
  hidesEnvironment?: boolean
  program?: string
}

export interface RealTier {
  readonly confinement: Confinement
  readonly programs: MountPrograms
  /** The program that runs commands. */
  readonly found: FoundShell
  /** Opens what is shared, with the first command. */
  open(): OpenTier
  /** One shell more, or less. Without any, all is removed a while later. */
  join(): void
  leave(): void
}

export interface OpenTier {
  place: LayerPlace
  store: LayerStore
  commands: HostCommands
  /** The lowest layer of a tree that begins at the root, with temporary files at `scratch`. */
  mountPoints(scratch: string): { name: string; directories: ReadonlySet<string> }
}

/** How long layers stay without a shell: the next workspace may have the same tree. */
const idleMs = 30_000

/** Tests what it needs. Returns what is wrong where something does not work. */
export function openRealTier(options: RealTierOptions): RealTier | { fault: string } {
  const confinement = openConfinement(options)
  if ('fault' in confinement) return confinement
  if (!confinement.hasUserNamespace) return { fault: 'bubblewrap has no user namespaces here' }
  const programs = findMountPrograms(options.searchPath ?? process.env.PATH ?? '')
  if (programs === undefined) return { fault: 'unshare or mount is not installed (util-linux)' }
  const parent = parentThatWorks(programs, options.directory)
  if (typeof parent !== 'string') return parent
  let opened: OpenTier | undefined
  let shells = 0
  let idle: NodeJS.Timeout | undefined

  function close(): void {
    opened?.commands.close()
    opened?.place.close()
    opened = undefined
  }

  return {
    confinement,
    programs,
    found: findShell(options.program),
    open() {
      opened ??= openTier(parent, options)
      return opened
    },
    join() {
      clearTimeout(idle)
      shells += 1
    },
    leave() {
      shells -= 1
      if (shells === 0) idle = setTimeout(close, idleMs).unref()
    },
  }
}

function openTier(parent: string, options: RealTierOptions): OpenTier {
  const place = openLayerPlace(parent)
  const points = new Map<string, { name: string; directories: ReadonlySet<string> }>()
  return {
    place,
    store: layerStore(place),
    commands: hostCommands({ ...options, temporary: () => path.dirname(place.directory) }),
    mountPoints(scratch) {
      const known = points.get(scratch)
      if (known !== undefined) return known
      const name = place.newName('p')
      const made = { name, directories: writeMountPoints(place.path(name), scratch) }
      points.set(scratch, made)
      return made
    },
  }
}

/** Memory first; some kernels can't mount layers there. */
function parentThatWorks(programs: MountPrograms, given: string | undefined): string | { fault: string } {
  const parents = new Set([layerParent(given), given ?? layerParent(undefined, { memory: false })])
  let fault = ''
  for (const parent of parents) {
    const found = mountFault(fs.realpathSync(parent), programs)
    if (found === undefined) return fs.realpathSync(parent)
    fault ||= found
  }
  return { fault }
}
