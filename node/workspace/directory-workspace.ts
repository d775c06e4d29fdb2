import { availableParallelism } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StatsOf } from '../../src/change/command-watcher.js'
import type { Journal } from '../../src/change/journal/journal.js'
import { journalPerRoot, locksPerRoot } from '../../src/change/journal/journal-per-root.js'
import type { DirectoryLocks } from '../../src/change/locks/directory-locks.js'
import { type Locks, nestedLocks, processLocks } from '../../src/change/locks/locks.js'
import { FsError } from '../../src/errors.js'
import { mount } from '../../src/fs/backends/mount.js'
import type { Root } from '../../src/fs/gate/confine.js'
import { outputPlace } from '../../src/fs/output-directory.js'
import { isWithin, relative } from '../../src/fs/path.js'
import { posixRules, windowsRules } from '../../src/fs/path-rules.js'
import { createWorkspace, type Workspace, type WorkspaceOptions } from '../../src/workspace.js'
import { toHost, toVirtual } from '../disk/host-path.js'
import { type NodeFileSystem, type NodeFsOptions, nodeFs } from '../disk/node-fs.js'
import { directoryLocks } from '../locks/directory-locks.js'
import { nodeShell } from '../shell/node-shell.js'
import type { SandboxLimits } from '../shell/sandbox/limits.js'
import { openSandbox, type SandboxMode } from '../shell/sandbox/sandbox.js'
import { stateHomes } from '../state/state-directory.js'
import { type KeptState, openState } from '../state/state-store.js'
import { searchPool } from '../threads/search-pool.js'
import { poolThreads } from '../threads/thread-pool.js'
import { walkPool } from '../threads/walk-pool.js'
import { readUserExcludes } from './user-excludes.js'

export interface Directory {
  directory: string
  access: Root['access']
}

export interface DirectoryWorkspace extends Workspace {
  /** The file systems behind the roots, in the order given. */
  readonly disks: readonly NodeFileSystem[]
  /** False when the history lives in memory, and neither other processes nor a crash are reckoned with. */
  readonly durable: boolean
  /** Why it is not durable although it was to be: the state directory can't be used. */
  readonly stateFault?: Error
  /** Releases the directories. */
  close(): void
}

export type DirectoryWorkspaceOptions = Omit<
  WorkspaceOptions,
  'fs' | 'roots' | 'rules' | 'journal' | 'locks' | 'shell'
> &
  NodeFsOptions & {
    /** `auto` (default) is the strongest that shares the files: here the shell of this computer, confined as `sandbox` says. */
    shell?: WorkspaceOptions['shell'] | 'auto'
    /** False keeps the history in memory, and does without locks between processes and recovery after a crash. */
    durable?: boolean
    /** False leaves the user's own ignore rules for git alone (`~/.config/git/ignore`, `core.excludesFile`), which else count. */
    userExcludes?: boolean
    /** Where the state of all roots is kept; the user's own place for such things unless given. */
    stateDirectory?: string
    /** False offers no tool that runs commands. */
    commands?: boolean
    /** Whether commands are confined to the directories; `off` unless given. */
    sandbox?: SandboxMode
    /** Whether confined commands may use the network. */
    allowNetwork?: boolean
    /** What each confined command may use of the machine. */
    sandboxLimits?: Partial<SandboxLimits>
    /** Of `nodeShell`. */
    hidesEnvironment?: boolean
    /** The `program` of `nodeShell`. */
    shellProgram?: string
    /** Threads that search files, started by the first search of many. As many as cores, 4 at most, unless given; none for 0. */
    searchThreads?: number
    /** The module those threads start from: the command is all in one file, and names that. */
    searchWorker?: string
  }

/** Beside this module once it is built. */
const workerName = './search-worker.js'

/** A directory of the disk that is open. */
export interface Opened {
  root: Root
  disk: NodeFileSystem
}

/**
 * A workspace over directories of the disk, under the paths they have there. A directory named twice is one root, writable if
 * either is. Fails with an `FsError` for one that is missing, unreadable or no directory.
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
  const keeps = canChange && options.durable !== false
  const kept = keeps ? await keepOutside(opened, options).catch(asStateFault) : undefined
  const { shell: given = 'auto', ...rest } = options
  const outputs = kept?.durable ? kept.states[0]?.outputs : undefined
  const own =
    given === 'auto' && canChange && options.commands !== false
      ? shellFor(opened, { ...options, hidden, ...(outputs && { readable: [outputs.root] }) })
      : undefined
  const shell = given === 'auto' ? own : given
  const outputPath = outputs && toVirtual(outputs.root)
  const isMounted = outputPath !== undefined && !opened.some(({ root }) => isWithin(root.path, outputPath))
  const workspace = createWorkspace({
    ...ignoreRulesFor(options),
    ...rest,
    ...(shell && { shell }),
    statsOf: statsIn(opened),
    fs: mount({
      ...Object.fromEntries(opened.map(({ root, disk }) => [root.path, disk])),
      ...(isMounted && { [outputPath]: outputs as NodeFileSystem }),
    }),
    // One for each of the directories, of which there is at least one.
    roots: opened.map(({ root }) => root) as [Root, ...Root[]],
    hidden: hiddenPaths,
    ...(outputs && { output: outputPlace({ store: outputs, path: toVirtual(outputs.root) }) }),
    rules: process.platform === 'win32' ? windowsRules : posixRules,
    ...(kept?.durable && { journal: kept.journal, locks: kept.locks }),
    ...(keeps && { directoryLocks: locksIn(opened, kept?.durable ? kept.states : []) }),
  })
  const threads = poolThreads({
    roots: disks.map((disk) => disk.share()),
    workerFile: options.searchWorker ?? fileURLToPath(new URL(workerName, import.meta.url)),
    count: options.searchThreads ?? Math.min(availableParallelism(), 4),
  })
  const points = opened.map(({ root }) => root.path)
  return {
    ...workspace,
    searcher: options.searcher ?? searchPool({ fs: workspace.fs, points, threads }),
    walker: walkPool({ fs: workspace.fs, points, hidden: hiddenPaths, threads }),
    disks,
    durable: kept?.durable ?? false,
    ...(kept?.durable === false && { stateFault: kept.stateFault }),
    close() {
      threads.close()
      void own?.close()
      for (const one of [...disks, ...(kept?.durable ? kept.states : [])]) one.close()
    },
  }
}

/** Read as the workspace is opened: a change of theirs counts from the next time on. */
export function ignoreRulesFor({ userExcludes = true }: { userExcludes?: boolean }): { globalIgnoreRules?: string } {
  const rules = userExcludes ? readUserExcludes() : undefined
  return rules === undefined ? {} : { globalIgnoreRules: rules }
}

function shellFor(
  opened: readonly Opened[],
  options: DirectoryWorkspaceOptions & { hidden: readonly string[]; readable?: readonly string[] },
) {
  const { sandbox: mode = 'off', allowNetwork = false, hidesEnvironment = false, shellProgram } = options
  const { hidden, readable = [] } = options
  const roots = [
    ...opened.map(({ root, disk }) => {
      return { path: disk.root, access: root.access, descriptor: disk.share().descriptor }
    }),
    ...readable.map((directory) => ({ path: directory, access: 'read-only' as const })),
  ]
  const sandbox = openSandbox({ mode, roots, hidden, allowNetwork, limits: options.sandboxLimits ?? {} })
  return nodeShell({
    hostPath: toHost,
    virtualPath: within(opened),
    hidesEnvironment,
    ...(shellProgram !== undefined && { program: shellProgram }),
    ...(sandbox && { sandbox }),
  })
}

/** The path of a place in one of the directories. */
function within(opened: readonly Opened[]): (host: string) => string | undefined {
  return (host) => {
    const virtual = toVirtual(host)
    return opened.some(({ root }) => isWithin(root.path, virtual)) ? virtual : undefined
  }
}

/** Locks of the directories that may be changed, on whichever disk they lie. */
function locksIn(opened: readonly Opened[], states: readonly KeptState[]): DirectoryLocks {
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

/** Asks the disk that a directory lies on; of those that lie in one another, the innermost. */
function statsIn(opened: readonly Opened[]): StatsOf {
  const innermost = [...opened].sort((a, b) => b.root.path.length - a.root.path.length)
  return (directory, names) => {
    const found = innermost.find(({ root }) => isWithin(root.path, directory))
    if (found === undefined) throw new FsError('OUTSIDE', { path: directory })
    return found.disk.statsOf(`/${relative(found.root.path, directory)}`, names)
  }
}

/**
 * A directory named twice is one root. One in a `hidden` directory, where journals lie, fails with `OUTSIDE`: whoever could write there
 * could have any file changed.
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

/** Journals and locks in the state directories of the roots, which every server of a root shares. */
async function keepOutside(opened: readonly Opened[], options: DirectoryWorkspaceOptions) {
  const journals = new Map<string, Journal>()
  const locks = new Map<string, Locks>()
  const states: KeptState[] = []
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

/** A server that has no place for its journal serves all the same. What it meets is told by Node, or by `nodeFs`. */
function asStateFault(error: unknown): { durable: false; stateFault: Error } {
  if (error instanceof Error && 'code' in error) return { durable: false, stateFault: error }
  throw error
}
