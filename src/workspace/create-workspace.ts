import { callMemory } from '../call-memory.js'
import { type Changes, createChanges } from '../change/changes.js'
import { type CommandWatcher, createCommandWatcher } from '../change/command-watcher.js'
import { createHistory } from '../change/history/history.js'
import { memoryJournal } from '../change/journal/journal.js'
import { processLocks } from '../change/locks/locks.js'
import { FsError, isFsError } from '../errors.js'
import { readonly } from '../fs/backends/readonly.js'
import { type ConfinedFileSystem, confine, type Root } from '../fs/gate/confine.js'
import { isWithin } from '../fs/path.js'
import { gitOverNetwork } from '../network/git-over-network.js'
import { parseInput } from '../parse-input.js'
import { readRulesAbove, ruleReader } from '../search/patterns/rules-above.js'
import { watchedFiles } from '../search/run/watched-files.js'
import { defaultLimits, type Limits } from './limits.js'
import { compileRules } from './rules.js'
import { searchQueue } from './search-queue.js'
import { withApprovals } from './with-approvals.js'
import type { Lineage, Workspace } from './workspace.js'
import type { Parts, WorkspaceOptions } from './workspace-options.js'

const wholeTree: readonly [Root, ...Root[]] = [{ path: '/', access: 'read-write' }]

/** Puts the gate in front of a file system, and the journal behind every change. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { journal = memoryJournal(), locks = processLocks(), internals = {} } = options
  const { searches = searchQueue(), lineage = newLineage() } = internals
  const { rules = [], roots = wholeTree } = options
  const paths = roots.map(({ path }) => path)
  const compiledRules = internals.compiledRules ?? (rules.length === 0 ? undefined : compileRules(rules, paths))
  return assemble({
    ...options,
    journal,
    locks,
    internals: { ...internals, searches, lineage, ...(compiledRules && { compiledRules }) },
  })
}

function assemble(options: Parts): Workspace {
  const {
    roots = wholeTree,
    readOnly = false,
    protect,
    pathRules,
    journal,
    locks,
    now = Date.now,
    random = Math.random,
    internals,
  } = options
  const { network } = options
  const git = {
    rulesAbove: (root: string) => readRulesAbove(ruleReader(options.fs), root),
    ...(network && { http: gitOverNetwork(network) }),
    ...options.git,
  }
  const canChange = !readOnly && options.fs.capabilities.writable
  const confined = confine(readOnly ? readonly(options.fs) : options.fs, {
    // The gate refuses changes here, before they get into the journal.
    roots: canChange ? roots : (roots.map((root) => ({ ...root, access: 'read-only' })) as [Root, ...Root[]]),
    ...(options.hidden && { hidden: options.hidden }),
    ...(options.output && { unlisted: [options.output.path] }),
    ...(protect && { protect }),
    ...(pathRules && { pathRules }),
    ...(internals.compiledRules && { rules: internals.compiledRules }),
  })
  const engine = createChanges({
    fs: confined,
    journal,
    locks,
    ...(internals.directoryLocks && { directoryLocks: internals.directoryLocks }),
    now,
    ...(internals.changeIds && { newId: internals.changeIds }),
    ...(options.limits && { limits: options.limits }),
  })
  const { writable } = confined.capabilities
  const limits: Limits = { ...defaultLimits, ...options.limits, ...engine.limits }
  const commandWatcher =
    writable && options.watchCommands !== false
      ? commandWatcherOf(confined, engine, { limits, git, now, internals })
      : undefined
  const changes = commandWatcher === undefined ? engine : reportingTo(commandWatcher, engine)
  const ready =
    internals.recovered ??
    (writable ? changes.recover() : Promise.resolve({ finished: [], dropped: [], conflicts: [], corrupt: [] }))
  // Those who await `ready` get the failure; otherwise it must not be an unhandled rejection. One that was given is handled already, and a
  // handler here would keep a thousand forks in memory until it has run.
  if (internals.recovered === undefined) ready.catch(() => {})
  const workspace: Mutable<Workspace> = {
    fs: confined,
    root: roots[0].path,
    readOnly: !writable,
    limits,
    changes,
    history: createHistory(confined, changes),
    git,
    ...(network && { network }),
    ...(options.output && { output: options.output }),
    now,
    random,
    ready,
    // Workspaces are often copied with other parts, so an operation gets the one that `run` is called on.
    async run(operation, input, context = {}) {
      await this.ready.catch(() => {})
      const parsed = parseInput(operation.input, input)
      // What a command does can't be done again.
      if (!confined.areRuled || operation.needs === 'shell') return operation.run(parsed, this, context)
      const approve = context.approve ?? options.approve
      return withApprovals(this, approve, (allowed) => operation.run(parsed, allowed, context))
    },
    openWorkspace: options.openWorkspace ?? ((directory) => openWithin(workspace, options, [directory])),
    narrow: (directories) => openWithin(workspace, options, directories),
    fork: async (forkOptions = {}) => {
      // A page loads forks with the first.
      const { forkOf } = await import('./forks.js')
      return forkOf(workspace, options, { forkOptions, assemble })
    },
    async merge(fork, mergeOptions = {}) {
      const { mergeFork } = await import('./forks.js')
      return mergeFork(this, fork, mergeOptions)
    },
    internals: {
      searches: internals.searches,
      lineage: internals.lineage,
      ...(internals.searcher && { searcher: internals.searcher }),
      ...(commandWatcher && { commandWatcher }),
      callMemory: callMemory(),
      ...(internals.moveClock && { moveClock: internals.moveClock }),
      ...(internals.scratch && { scratch: internals.scratch }),
      ...momentsOf(options),
      ...(internals.shellBefore && { shellBefore: internals.shellBefore }),
    },
  }
  const { shell } = options
  if (shell && writable) workspace.shell = typeof shell === 'function' ? shell(workspace) : shell
  return workspace
}

function momentsOf({ fs, internals }: Parts): Pick<Workspace['internals'], 'moment'> {
  const { moment = fs.moment } = internals
  return moment === undefined ? {} : { moment }
}

function commandWatcherOf(
  fs: ConfinedFileSystem,
  changes: Changes,
  { limits, git, now, internals }: Pick<Workspace, 'limits' | 'git' | 'now'> & Pick<Parts, 'internals'>,
): CommandWatcher {
  const { rulesAbove, ignoreRules: globalRules } = git
  const { statsOf, manyStats, readsOf } = internals
  const list = watchedFiles(fs, {
    maxEntries: limits.maxWatchedFiles,
    ...(rulesAbove && { rulesAbove }),
    ...(globalRules !== undefined && { globalRules }),
    ...(manyStats && { manyStats }),
  })
  return createCommandWatcher({
    fs: fs.exact,
    changes,
    ...(statsOf && { statsOf }),
    ...(readsOf && { readsOf }),
    list,
    isWatched: (path) => mayChange(fs, path),
    now,
  })
}

/** Reports the engine's own changes to the command watcher, which must not record them again. */
function reportingTo(commandWatcher: CommandWatcher, changes: Changes): Changes {
  return {
    ...changes,
    async run(request, body) {
      const made = await changes.run(request, body)
      if (made.record !== undefined) await commandWatcher.noteOwnChange(made.record)
      return made
    },
  }
}

/** Of a workspace that is no fork. */
function newLineage(): Lineage {
  return { family: { forks: 0 }, merges: new WeakMap(), discarded: false }
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** The opened workspace can't reach or change more than this one. */
async function openWithin(
  { fs, root, ready, shell }: Workspace,
  options: Parts,
  directories: readonly string[],
): Promise<Workspace> {
  const chosen = await Promise.all(
    directories.map(async (directory): Promise<Root> => {
      const given = fs.resolve(directory, root)
      const path = await fs.realPath(given)
      if ((await fs.stat(path)).kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path: given })
      const access = mayChange(fs, path) ? 'read-write' : 'read-only'
      return { path, access, ...(given !== path && { aliases: [given] }) }
    }),
  )
  const nested = fs.roots.filter((inner) => {
    return chosen.some(({ path }) => inner.path !== path && isWithin(path, inner.path))
  })
  const { searcher: _, ...internals } = options.internals
  return assemble({
    ...options,
    // At least one directory was named.
    roots: [...chosen, ...nested] as [Root, ...Root[]],
    internals: { ...internals, recovered: ready, ...(shell && { shellBefore: new WeakRef(shell) }) },
  })
}

function mayChange(fs: ConfinedFileSystem, path: string): boolean {
  try {
    fs.authorize(path, 'write')
    return true
  } catch (error) {
    if (isFsError(error, 'READ_ONLY', 'PROTECTED', 'FORBIDDEN')) return false
    if (isFsError(error, 'NEEDS_APPROVAL')) return true
    throw error
  }
}
