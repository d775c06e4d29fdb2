import { availableParallelism } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Journal } from '../../src/change/journal/journal.js'
import { journalPerRoot, locksPerRoot } from '../../src/change/journal/journal-per-root.js'
import type { DirectoryLocks } from '../../src/change/locks/directory-locks.js'
import { type Locks, nestedLocks, processLocks } from '../../src/change/locks/locks.js'
import { FsError } from '../../src/errors.js'
import { mount } from '../../src/fs/backends/mount.js'
import type { Root } from '../../src/fs/gate/confine.js'
import { outputPlace } from '../../src/fs/output-directory.js'
import { isWithin, relative } from '../../src/fs/path.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { GitSettings } from '../../src/workspace/git-settings.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../src/workspace/workspace-options.js'
import { hostRules, toHost, toVirtual } from '../disk/host-path.js'
import { type NodeFileSystem, type NodeFsOptions, nodeFs } from '../disk/node-fs.js'
import { directoryLocks } from '../locks/directory-locks.js'
import { nodeShell } from '../shell/node-shell.js'
import type { SandboxLimits } from '../shell/sandbox/limits.js'
import type { Mask } from '../shell/sandbox/masks.js'
import { openSandbox, type SandboxMode } from '../shell/sandbox/sandbox.js'
import { stateHomes } from '../state/state-directory.js'
import { openState, type StateStore } from '../state/state-store.js'
import { searchPool } from '../threads/search-pool.js'
import { statPool } from '../threads/stat-pool.js'
import { poolThreads } from '../threads/thread-pool.js'
import { walkPool } from '../threads/walk-pool.js'
import { rulesAboveOnDisk } from './rules-above.js'
import { readGitDefaults, readUserExcludes } from './user-git.js'

export interface Directory {
  directory: string
  access: Root['access']
}

export interface DirectoryWorkspace extends Workspace {
  /** The file systems behind the roots, in the order given. */
  readonly disks: readonly NodeFileSystem[]
  /** False when the history is in memory only, without locks between processes and without recovery after a crash. */
  readonly durable: boolean
  /** Where the state of the writable roots is stored, which other servers of these roots use too. */
  readonly stateDirectories: readonly string[]
  /** Why the state directory can't be used, when the workspace should have been durable. */
  readonly stateFault?: Error
  /** Starts the threads that search, which a first search would start otherwise. */
  startThreads(): void
  /** Closes the directories. */
  close(): Promise<void>
}

export type DirectoryWorkspaceOptions = Omit<
  WorkspaceOptions,
  'fs' | 'roots' | 'pathRules' | 'journal' | 'locks' | 'shell'
> &
  NodeFsOptions & {
    /** `auto` (default) is the shell of this computer, confined according to `sandbox`. */
    shell?: WorkspaceOptions['shell'] | 'auto'
    /** False holds the history in memory only, without locks between processes and without recovery after a crash. */
    durable?: boolean
    /** False ignores the user's own ignore rules for git (`~/.config/git/ignore`, `core.excludesFile`). Default: true. */
    userExcludes?: boolean
    /** Where the state of all roots is stored. Default: the user's state directory. */
    stateDirectory?: string
    /** False disables the tools that run commands. */
    commands?: boolean
    /** Whether commands are confined to the directories. Default: `off`. */
    sandbox?: SandboxMode
    /** Whether confined commands may use the network. */
    allowNetwork?: boolean
    /** Resource limits of each confined command. */
    sandboxLimits?: Partial<SandboxLimits>
    /** See `nodeShell`. */
    hidesEnvironment?: boolean
    /** See `program` of `nodeShell`. */
    shellProgram?: string
    /**
     * Number of threads that search files, started by the first large search. Default: the number of cores, at most 4.
     * 0 disables them.
     */
    searchThreads?: number
    /** The module that these threads load; the command, which is bundled into one file, names its own. */
    searchWorker?: string
  }

/** In the build, from an entry in `node` and from a chunk in `chunks`. */
const workerName = '../node/search-worker.js'

/** An open directory on disk. */
export interface Opened {
  root: Root
  disk: NodeFileSystem
}

/**
 * A workspace over directories on disk, under their own paths. A directory given twice is one root, writable if either
 * is. Fails with an `FsError` for a directory that is missing, unreadable or not a directory.
 */
export async function openDirectories(
  directories: readonly [Directory, ...Directory[]],
  options: DirectoryWorkspaceOptions = {},
): Promise<DirectoryWorkspace> {
  const hidden = stateHomes(options.stateDirectory)
  const hiddenPaths = hidden.map((directory) => toVirtual(directory))
  const opened = openRoots(directories, { ...options, hidden })
  const disks = opened.map(({ disk }) => disk)
  const canChange = !options.readOnly && opened.some(({ root }) => root.access === 'read-write')
  const persists = canChange && options.durable !== false
  const stored = persists ? await openStates(opened, options).catch(asStateFault) : undefined
  const { shell: given = 'auto', ...rest } = options
  const outputs = stored?.durable ? stored.states[0]?.outputs : undefined
  let masks = async (): Promise<readonly Mask[]> => []
  const ownShell =
    given === 'auto' && canChange && options.commands !== false
      ? shellFor(opened, {
          ...options,
          hidden,
          masks: () => masks(),
          ...(outputs && { readable: [outputs.root] }),
        })
      : undefined
  const shell = given === 'auto' ? ownShell : given
  const outputPath = outputs && toVirtual(outputs.root)
  const isMounted = outputPath !== undefined && !opened.some(({ root }) => isWithin(root.path, outputPath))
  const threads = poolThreads({
    roots: disks.map((disk) => disk.share()),
    workerFile: options.searchWorker ?? fileURLToPath(new URL(workerName, import.meta.url)),
    count: options.searchThreads ?? Math.min(availableParallelism(), 4),
  })
  const points = opened.map(({ root }) => root.path)
  const files = mount({
    ...Object.fromEntries(opened.map(({ root, disk }) => [root.path, disk])),
    ...(isMounted && { [outputPath]: outputs as NodeFileSystem }),
  })
  const workspace = createWorkspace({
    ...rest,
    ...(shell && { shell }),
    git: { ...userGitFor(options), rulesAbove: rulesAboveOnDisk, ...rest.git },
    fs: files,
    // As many as directories, so at least one.
    roots: opened.map(({ root }) => root) as [Root, ...Root[]],
    hidden: hiddenPaths,
    ...(outputs && { output: outputPlace({ store: outputs, path: toVirtual(outputs.root) }) }),
    pathRules: hostRules(opened.map(({ root }) => root.path)),
    ...(stored?.durable && { journal: stored.journal, locks: stored.locks }),
    internals: {
      ...rest.internals,
      statsOf: inInnermost(opened, (disk, directory, entries) => disk.statsOf(directory, entries)),
      readsOf: inInnermost(opened, (disk, directory, names) => disk.readsOf(directory, names)),
      manyStats: statPool({ points, threads }),
      ...(persists && { directoryLocks: locksIn(opened, stored?.durable ? stored.states : []) }),
    },
  })
  if (workspace.fs.areRuled) {
    const { ruledPlaces } = await import('./ruled-places.js')
    masks = () => ruledPlaces(workspace, files)
  }
  return {
    ...workspace,
    internals: {
      ...workspace.internals,
      searcher: options.internals?.searcher ?? searchPool({ fs: workspace.fs, points, threads }),
      // Threads list without the gate, which knows what rules hide.
      ...(!workspace.fs.areRuled && { walker: walkPool({ fs: workspace.fs, points, hidden: hiddenPaths, threads }) }),
    },
    disks,
    durable: stored?.durable ?? false,
    stateDirectories: stored?.durable ? stored.states.map(({ directory }) => directory) : [],
    ...(stored?.durable === false && { stateFault: stored.stateFault }),
    startThreads: threads.start,
    async close() {
      threads.close()
      const shellEnds = ownShell?.close()
      for (const one of [...disks, ...(stored?.durable ? stored.states : [])]) one.close()
      await shellEnds
    },
  }
}

/** Read when the workspace is opened; later edits of these files take effect the next time. */
export function userGitFor({ userExcludes = true }: { userExcludes?: boolean }): GitSettings {
  const rules = userExcludes ? readUserExcludes() : undefined
  return { defaults: readGitDefaults(), ...(rules !== undefined && { ignoreRules: rules }) }
}

function shellFor(
  opened: readonly Opened[],
  options: DirectoryWorkspaceOptions & {
    hidden: readonly string[]
    readable?: readonly string[]
    masks: () => Promise<readonly Mask[]>
  },
) {
  const { sandbox: mode = 'off', allowNetwork = false, hidesEnvironment = false, shellProgram } = options
  const { hidden, readable = [], masks } = options
  const roots = [
    ...opened.map(({ root, disk }) => {
      return { path: disk.root, access: root.access, descriptor: disk.share().descriptor }
    }),
    ...readable.map((directory) => ({ path: directory, access: 'read-only' as const })),
  ]
  const sandbox = openSandbox({ mode, roots, hidden, masks, allowNetwork, limits: options.sandboxLimits ?? {} })
  return nodeShell({
    hostPath: toHost,
    virtualPath: within(opened),
    hidesEnvironment,
    ...(shellProgram !== undefined && { program: shellProgram }),
    ...(sandbox && { sandbox }),
  })
}

/** Turns a host path inside one of the directories into a virtual path. */
function within(opened: readonly Opened[]): (host: string) => string | undefined {
  return (host) => {
    const virtual = toVirtual(host)
    return opened.some(({ root }) => isWithin(root.path, virtual)) ? virtual : undefined
  }
}

/** Locks the writable directories, on whichever disk they are. */
function locksIn(opened: readonly Opened[], states: readonly StateStore[]): DirectoryLocks {
  const innermost = [...opened].sort((a, b) => b.root.path.length - a.root.path.length)
  return directoryLocks({
    hostPath: toHost,
    listeners: () => states.flatMap(({ locks }) => locks.listeners),
    inDirectory(directory, act) {
      const found = innermost.find(({ root }) => isWithin(root.path, directory))
      if (found?.root.access !== 'read-write') return undefined
      return found.disk.inDirectory(`/${relative(found.root.path, directory)}`, act)
    },
  })
}

/** Uses the disk that holds a directory; of nested roots, the innermost. */
function inInnermost<Given, Result>(
  opened: readonly Opened[],
  act: (disk: NodeFileSystem, directory: string, given: Given) => Result,
): (directory: string, given: Given) => Result {
  const innermost = [...opened].sort((a, b) => b.root.path.length - a.root.path.length)
  return (directory, given) => {
    const found = innermost.find(({ root }) => isWithin(root.path, directory))
    if (found === undefined) throw new FsError('OUTSIDE', { path: directory })
    return act(found.disk, `/${relative(found.root.path, directory)}`, given)
  }
}

/**
 * Opens each directory once, even if given twice. A directory inside a `hidden` one, where journals are stored, fails
 * with `OUTSIDE`: write access to journals would give write access to any file.
 */
export function openRoots(
  directories: readonly Directory[],
  { hidden, ...options }: NodeFsOptions & { hidden: readonly string[] },
): Opened[] {
  const roots = new Map<string, Opened>()
  for (const { directory, access } of directories) {
    const disk = nodeFs(directory, options)
    const point = toVirtual(disk.root)
    if (hidden.some((place) => isWithin(toVirtual(place), point))) {
      for (const { disk: one } of [{ disk }, ...roots.values()]) one.close()
      throw new FsError('OUTSIDE', { path: directory })
    }
    const given = toVirtual(path.resolve(directory))
    const known = roots.get(point)
    if (known !== undefined) disk.close()
    roots.set(point, {
      disk: known?.disk ?? disk,
      root: {
        path: point,
        access: known?.root.access === 'read-write' ? 'read-write' : access,
        aliases: [...(known?.root.aliases ?? []), ...(given === point ? [] : [given])],
      },
    })
  }
  return [...roots.values()]
}

/** Opens the journals and locks in the state directories, which all servers of a root share. */
async function openStates(opened: readonly Opened[], options: DirectoryWorkspaceOptions) {
  const journals = new Map<string, Journal>()
  const locks = new Map<string, Locks>()
  const states: StateStore[] = []
  try {
    for (const { root, disk } of opened) {
      if (root.access === 'read-only') continue
      const state = await openState(disk.root, options.stateDirectory, options)
      states.push(state)
      journals.set(root.path, state.journal)
      locks.set(root.path, state.locks)
    }
  } catch (error) {
    for (const state of states) state.close()
    throw error
  }
  const points = opened.map(({ root }) => root.path).sort((a, b) => b.length - a.length)
  const rootOf = (at: string) => points.find((point) => isWithin(point, at)) ?? at
  return {
    durable: true as const,
    states,
    journal: journalPerRoot(rootOf, journals),
    locks: nestedLocks(processLocks(), locksPerRoot(rootOf, locks)),
  }
}

/** Continues without a journal when its directory can't be used. These errors come from Node or from `nodeFs`. */
function asStateFault(error: unknown): { durable: false; stateFault: Error } {
  if (error instanceof Error && 'code' in error) return { durable: false, stateFault: error }
  throw error
}
