import { type CallMemory, callMemory } from './call-memory.js'
import { attributed, type Changes, createChanges, type HistoryLimits, type Recovery } from './change/changes.js'
import { type CommandWatcher, createCommandWatcher, type ReadsOf, type StatsOf } from './change/command-watcher.js'
import { createHistory, type History } from './change/history/history.js'
import { type Journal, memoryJournal } from './change/journal/journal.js'
import type { ClientInfo } from './change/journal/record.js'
import type { DirectoryLocks } from './change/locks/directory-locks.js'
import { type Locks, processLocks } from './change/locks/locks.js'
import { FsError, isFsError } from './errors.js'
import { type FairQueue, fairQueue } from './fair-queue.js'
import { readonly } from './fs/backends/readonly.js'
import { type ConfinedFileSystem, confine, type Root } from './fs/gate/confine.js'
import type { Protection } from './fs/gate/protected-names.js'
import type { OutputPlace } from './fs/output-directory.js'
import { isWithin } from './fs/path.js'
import type { PathRules } from './fs/path-rules.js'
import type { FileSystem } from './fs/types.js'
import { parseInput, type Schema } from './parse-input.js'
import { type RulesAbove, readRulesAbove, ruleReader } from './search/patterns/rules-above.js'
import type { Searcher } from './search/run/records.js'
import type { Walker } from './search/run/walk-files.js'
import { type ManyStats, watchedFiles } from './search/run/watched-files.js'
import type { Shell } from './shell/types.js'

/** A tree and everything that works on it. Every operation gets one. */
export interface Workspace {
  readonly fs: ConfinedFileSystem
  /** Relative paths are resolved against this directory. */
  readonly root: string
  /** Nothing can be changed, and tools that change something are not offered. */
  readonly readOnly: boolean
  readonly limits: Limits
  /** The only way to change anything. */
  readonly changes: Changes
  readonly history: History
  /** @internal Records what commands change past the engine; absent in a read-only workspace, and with `watchCommands: false`. */
  readonly commandWatcher?: CommandWatcher
  /** Runs commands; absent if none was given, and in a read-only workspace. */
  readonly shell?: Shell
  /** @internal Searches faster than by reading every file through `fs`, with the same results. */
  readonly searcher?: Searcher
  /** @internal Limits concurrent searches. */
  readonly searches: FairQueue
  /** @internal Walks large trees faster than through `fs`, with the same results. */
  readonly walker?: Walker
  /** The user's own ignore rules for all repositories, as text. */
  readonly globalIgnoreRules?: string
  /** What counts where a repository's own configuration and attributes say nothing. */
  readonly gitDefaults?: GitDefaults
  /** @internal The ignore rules of the directories above a root. */
  readonly rulesAbove?: (root: string) => Promise<RulesAbove>
  /** The HTTP client of git; without it git fetches nothing. */
  readonly http?: GitHttp
  /** Where output is stored that is too long for a result; without it, in the tree itself. */
  readonly output?: OutputPlace
  /** The clock, in milliseconds. */
  readonly now: () => number
  /** Numbers from 0 to 1: the randomness that shows in results. */
  readonly random: () => number
  /** @internal What calls leave for later ones. */
  readonly memory: CallMemory<Workspace>
  /** @internal Moves a virtual clock on; called by commands that sleep. */
  readonly moveClock?: (nowMs: number) => void
  /** @internal Where the emulated shell puts temporary files; by default a place of its own for each shell. */
  readonly scratch?: () => FileSystem
  /** Resolves when changes interrupted by a crash are recovered; calls wait for it. */
  readonly ready: Promise<Recovery>
  /** Runs an operation once the workspace is ready. Fails with `INVALID_INPUT` before anything is done, or as the operation does. */
  run<Given, Input, Result>(
    this: Workspace,
    operation: Operation<Given, Input, Result>,
    input: NoInfer<Given>,
    context?: CallContext,
  ): Promise<Result>
  /**
   * Opens a directory that an agent chooses as a workspace of its own. It must be inside this workspace, unless the host passed its own
   * `openWorkspace`. Both share the journal. Fails like any access to the path.
   */
  openWorkspace(directory: string): Promise<Workspace>
  /** The same workspace with only these of its directories as roots. Fails like any access to them. */
  narrow(directories: readonly [string, ...string[]]): Promise<Workspace>
}

export type { ClientInfo }

/** What a call gets besides its input. */
export interface CallContext {
  signal?: AbortSignal
  /** Called with the progress of a long call. */
  onProgress?: (progress: { done: number; total?: number }) => void
  /** Called with log entries, in dialects with `logs`. */
  onLog?: (entry: { level: 'debug' | 'info' | 'warning' | 'error'; message: string }) => void
  /** The client's answers so far, in dialects with `asks`. */
  asked?: Asked
  /** Ends the connection of this call; the client fetches the result over another. Absent where the client can't do that. */
  detach?: () => void
  session?: Session
  /** Who calls, as far as the connection knows. */
  client?: ClientInfo
}

/** What a call needs to continue after it asked the client questions. */
export interface Asked {
  /** The kinds of questions that the client has declared to support. */
  readonly can: { readonly elicitation: boolean; readonly sampling: boolean; readonly roots: boolean }
  /** By the names of the questions. They come unchecked from the client. */
  readonly answers: Readonly<Record<string, unknown>>
  /** The state that the call returned with its last questions, unchanged. */
  readonly state?: string
}

/** The state of a connection between calls. */
export interface Session {
  /** The workspace that the agent has chosen, in dialects with that choice. */
  chosen?: Workspace
  /** @internal The session itself, in a wrapper of it: what is stored by session is stored by this. */
  readonly self?: Session
}

/**
 * Something that can be done in a workspace, independent of dialects, which name it and format its result.
 * `Given` is its input before defaults are filled in.
 */
export interface Operation<Given, Input, Result> {
  /** True when it can change something; not offered in a read-only workspace. */
  readonly mutates: boolean
  /** Not offered in a workspace without it. */
  readonly needs?: 'shell'
  readonly input: Schema<Input, Given>
  run(input: Input, workspace: Workspace, context: CallContext): Promise<Result>
  /** As `run`, but synchronously and with unchecked input. Undefined if it would block; then nothing has been done. */
  runSync?(given: Given, workspace: Workspace): Result | undefined
}

/** A way to fetch repositories. */
export interface GitHttp {
  /** From `fetchHttp`, or the default export of `isomorphic-git/http/web` or `isomorphic-git/http/node`. */
  client: { request(request: HttpRequest): Promise<HttpResponse> }
  /** A proxy through which pages reach servers that do not allow other origins. */
  corsProxy?: string
  /** Requests come from a page, where a server that denies the origin looks like one that can't be reached. */
  fromPage?: boolean
  /** A clone that fetches more is refused. Default: 256 MiB, which are held in memory several times over. */
  maxFetchedBytes?: number
}

export interface HttpRequest {
  url: string
  method?: string | undefined
  headers?: Record<string, string> | undefined
  body?: AsyncIterableIterator<Uint8Array>
  /** Aborts the request. */
  signal?: AbortSignal | undefined
}

export interface HttpResponse {
  url: string
  method?: string | undefined
  headers?: Record<string, string> | undefined
  body?: AsyncIterableIterator<Uint8Array>
  statusCode: number
  statusMessage: string
}

export interface Limits extends HistoryLimits {
  /** The largest file that is read as a whole. */
  maxFileBytes: number
  /** A longer result is cut, with a note. */
  maxOutputBytes: number
  /** With more files, changes that commands make on a real disk are not recorded. */
  maxWatchedFiles: number
  /** The default timeout of a command. */
  commandTimeoutMs: number
  /** The longest timeout of a command. */
  maxCommandTimeoutMs: number
}

/** Settings of the user's own git that decide what a file looks like in a repository. */
export interface GitDefaults {
  /** `core.autocrlf` and `core.eol`. */
  autocrlf?: string
  eol?: string
  /** The text of the attributes file for all repositories. */
  attributes?: string
}

export interface WorkspaceOptions {
  fs: FileSystem
  /** The parts of `fs` that may be reached; all of it by default. */
  roots?: readonly [Root, ...Root[]]
  /** Directories in the roots that no tool reaches: neither read, nor listed, nor changed. */
  hidden?: readonly string[]
  /** A place for long output, which tools read by its path in `fs`. */
  output?: OutputPlace
  readOnly?: boolean
  protect?: Protection
  limits?: Partial<Limits>
  rules?: PathRules
  /** In memory by default. */
  journal?: Journal
  /** Only within this process by default. */
  locks?: Locks
  /** @internal Locks of the directories that changes are made in; none by default. */
  directoryLocks?: DirectoryLocks
  /**
   * The clock. With one of its own a workspace is reproducible: results depend only on the calls, this clock and `random`.
   * Archives and git objects are then not compressed, and commands of the emulated shell run on a clock that starts at this
   * one and jumps over what they sleep. Default: `Date.now`.
   */
  now?: () => number
  /** Numbers from 0 to 1, for everything random that shows in results, so that runs can be repeated. Default: `Math.random`. */
  random?: () => number
  /** @internal Ids for changes, in ascending order; see `ChangesOptions`. */
  changeIds?: (atMs: number) => string
  /** @internal See `Workspace`. */
  moveClock?: (nowMs: number) => void
  /** @internal See `Workspace`. */
  scratch?: () => FileSystem
  /** @internal The recovery of a workspace whose journal this one has, or has a copy of. By default it starts one of its own. */
  recovered?: Promise<Recovery>
  /** A function is called for this workspace, and again for every workspace that is opened within it. */
  shell?: Shell | ((workspace: Workspace) => Shell)
  /** False: changes that commands make on a real disk are not recorded, and the tree is not scanned for them. */
  watchCommands?: boolean
  /** @internal A faster stat of several entries of a directory of `fs`. The gate does not check its paths again. */
  statsOf?: StatsOf
  /** @internal The same for entries of many directories. */
  manyStats?: ManyStats
  /** @internal A faster way to read several files of a directory of `fs`. The gate does not check its paths again. */
  readsOf?: ReadsOf
  /** @internal */
  searcher?: Searcher
  /** @internal To share one with other workspaces. */
  searches?: FairQueue
  globalIgnoreRules?: string
  gitDefaults?: GitDefaults
  /** Reads the ignore rules of the directories above a root. Default: those in `fs`. */
  rulesAbove?: (root: string) => Promise<RulesAbove>
  /** Required for git to fetch. */
  http?: GitHttp
  /** Opens a directory that an agent chooses. By default only directories inside this workspace can be opened. */
  openWorkspace?: (directory: string) => Promise<Workspace>
}

/** The defaults, except those of the history, which are in `createChanges`. */
export const defaultLimits = {
  maxFileBytes: 20_000_000,
  maxOutputBytes: 131_072,
  maxWatchedFiles: 50_000,
  commandTimeoutMs: 120_000,
  maxCommandTimeoutMs: 600_000,
}

/** Puts the gate in front of a file system, and the journal behind every change. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { journal = memoryJournal(), locks = processLocks(), searches = searchQueue() } = options
  return assemble({ ...options, journal, locks, searches })
}

/**
 * True with a clock of its own: what shows in results and in the tree then depends only on the calls, that clock and
 * `random`, not on the machine, its time zone or its load.
 */
export function isReproducible({ now }: Pick<Workspace, 'now'>): boolean {
  return now !== Date.now
}

/** More concurrent searches would not be faster, and each holds its results in memory. */
export function searchQueue(): FairQueue {
  return fairQueue({ what: 'searches', maxRunning: 8, maxPerCaller: 6, maxWaiting: 1000 })
}

type Parts = WorkspaceOptions & Required<Pick<WorkspaceOptions, 'journal' | 'locks' | 'searches'>>

function assemble(options: Parts): Workspace {
  const {
    roots = [{ path: '/', access: 'read-write' }],
    readOnly = false,
    protect,
    rules,
    journal,
    locks,
    now = Date.now,
    random = Math.random,
  } = options
  const canChange = !readOnly && options.fs.capabilities.writable
  const confined = confine(readOnly ? readonly(options.fs) : options.fs, {
    // The gate refuses changes here, before they get into the journal.
    roots: canChange ? roots : (roots.map((root) => ({ ...root, access: 'read-only' })) as [Root, ...Root[]]),
    ...(options.hidden && { hidden: options.hidden }),
    ...(options.output && { unlisted: [options.output.path] }),
    ...(protect && { protect }),
    ...(rules && { rules }),
  })
  const engine = createChanges({
    fs: confined,
    journal,
    locks,
    ...(options.directoryLocks && { directoryLocks: options.directoryLocks }),
    now,
    ...(options.changeIds && { newId: options.changeIds }),
    ...(options.limits && { limits: options.limits }),
  })
  const { writable } = confined.capabilities
  const limits: Limits = { ...defaultLimits, ...options.limits, ...engine.limits }
  const commandWatcher =
    writable && options.watchCommands !== false ? commandWatcherOf(confined, engine, limits, options) : undefined
  const changes = commandWatcher === undefined ? engine : reportingTo(commandWatcher, engine)
  const ready =
    options.recovered ??
    (writable ? changes.recover() : Promise.resolve({ finished: [], dropped: [], conflicts: [], corrupt: [] }))
  // Those who await `ready` get the failure; otherwise it must not be an unhandled rejection. One that was given is handled already, and a
  // handler here would keep a thousand forks in memory until it has run.
  if (options.recovered === undefined) ready.catch(() => {})
  const workspace: Mutable<Workspace> = {
    fs: confined,
    root: roots[0].path,
    readOnly: !writable,
    limits,
    changes,
    history: createHistory(confined, changes),
    ...(commandWatcher && { commandWatcher }),
    ready,
    // Workspaces are often copied with other parts, so an operation gets the one that `run` is called on.
    async run(operation, input, context = {}) {
      await this.ready.catch(() => {})
      return operation.run(parseInput(operation.input, input), this, context)
    },
    openWorkspace: options.openWorkspace ?? ((directory) => openWithin(workspace, options, [directory])),
    narrow: (directories) => openWithin(workspace, options, directories),
    searches: options.searches,
    ...(options.searcher && { searcher: options.searcher }),
    ...(options.globalIgnoreRules !== undefined && { globalIgnoreRules: options.globalIgnoreRules }),
    ...(options.gitDefaults && { gitDefaults: options.gitDefaults }),
    rulesAbove: rulesAboveOf(options),
    ...(options.http && { http: options.http }),
    now,
    random,
    memory: callMemory(),
    ...(options.moveClock && { moveClock: options.moveClock }),
    ...(options.scratch && { scratch: options.scratch }),
    ...(options.output && { output: options.output }),
  }
  const { shell } = options
  if (shell && writable) workspace.shell = typeof shell === 'function' ? shell(workspace) : shell
  return workspace
}

/** The same workspace; the history records who makes the changes. */
export function onBehalfOf(workspace: Workspace, by: ClientInfo): Workspace {
  const { changes: all, commandWatcher } = workspace
  const changes = attributed(all, by)
  return {
    ...workspace,
    changes,
    history: createHistory(workspace.fs, changes),
    ...(commandWatcher && {
      commandWatcher: { ...commandWatcher, watch: (label, run) => commandWatcher.watch(label, run, by) },
    }),
    openWorkspace: async (directory) => onBehalfOf(await workspace.openWorkspace(directory), by),
    narrow: async (directories) => onBehalfOf(await workspace.narrow(directories), by),
  }
}

function commandWatcherOf(fs: ConfinedFileSystem, changes: Changes, limits: Limits, options: Parts): CommandWatcher {
  const { globalIgnoreRules: globalRules, now, manyStats } = options
  const list = watchedFiles(fs, {
    maxEntries: limits.maxWatchedFiles,
    rulesAbove: rulesAboveOf(options),
    ...(globalRules !== undefined && { globalRules }),
    ...(manyStats && { manyStats }),
  })
  return createCommandWatcher({
    fs: fs.exact,
    changes,
    ...(options.statsOf && { statsOf: options.statsOf }),
    ...(options.readsOf && { readsOf: options.readsOf }),
    list,
    isWatched: (path) => mayChange(fs, path),
    ...(now && { now }),
  })
}

function rulesAboveOf({ fs, rulesAbove }: WorkspaceOptions) {
  return rulesAbove ?? ((root: string) => readRulesAbove(ruleReader(fs), root))
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

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** The opened workspace can't reach or change more than this one. */
async function openWithin(
  { fs, root, ready }: Workspace,
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
  const { searcher: _, ...rest } = options
  // At least one directory was named.
  return assemble({ ...rest, roots: [...chosen, ...nested] as [Root, ...Root[]], recovered: ready })
}

function mayChange(fs: ConfinedFileSystem, path: string): boolean {
  try {
    fs.authorize(path, 'write')
    return true
  } catch (error) {
    if (isFsError(error, 'READ_ONLY', 'PROTECTED')) return false
    throw error
  }
}
