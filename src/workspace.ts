import type * as z from 'zod'
import { type Changes, createChanges, type HistoryLimits, type Recovery } from './change/changes.js'
import { type CommandWatcher, createCommandWatcher, type StatsOf } from './change/command-watcher.js'
import { createHistory, type History } from './change/history/history.js'
import { type Journal, memoryJournal } from './change/journal/journal.js'
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
import { parseInput } from './parse-input.js'
import type { Searcher } from './search/run/records.js'
import type { Walker } from './search/run/walk-files.js'
import { watchedFiles } from './search/run/watched-files.js'
import type { Shell } from './shell/types.js'

/** The one thing every operation gets: what may be reached, how it is changed, and within which limits. */
export interface Workspace {
  readonly fs: ConfinedFileSystem
  /** Relative paths count from here. */
  readonly root: string
  /** Nothing can be changed; tools that would are not offered. */
  readonly readOnly: boolean
  readonly limits: Limits
  /** The only way to change anything. */
  readonly changes: Changes
  readonly history: History
  /** @internal Puts what is changed past the engine into the history; absent where nothing may be changed, and where that is not wanted. */
  readonly witness?: CommandWatcher
  /** Runs commands; absent where there is none, and where nothing may be changed. */
  readonly shell?: Shell
  /** @internal A quicker way to search than reading every file through `fs`, with the same results. */
  readonly searcher?: Searcher
  /** @internal What keeps searches from being too many at once. */
  readonly searches: FairQueue
  /** @internal A quicker way to go through large trees, likewise. */
  readonly walker?: Walker
  /** The user's own ignore rules for all repositories, as text. */
  readonly globalIgnoreRules?: string
  /** How git fetches; absent where nothing is fetched. */
  readonly http?: GitHttp
  /** Where output goes that is too long for an answer; absent where the tree itself has to serve. */
  readonly output?: OutputPlace
  /** What a crash left half done has been dealt with; calls wait for it. */
  readonly ready: Promise<Recovery>
  /** Runs an operation on this workspace once it is ready. Fails with `INVALID_INPUT` before anything is done, or as the operation does. */
  run<Given, Input, Result>(
    this: Workspace,
    operation: Operation<Given, Input, Result>,
    input: NoInfer<Given>,
    context?: CallContext,
  ): Promise<Result>
  /**
   * A directory as a workspace of its own, where an agent chooses what to work in. It has to lie in this workspace, unless the host
   * says otherwise; changes share the journal. Fails like any access to the path.
   */
  openWorkspace(directory: string): Promise<Workspace>
  /** The same workspace with only these of its directories as roots; nothing more can be reached. Fails like any access to them. */
  narrow(directories: readonly [string, ...string[]]): Promise<Workspace>
}

/** What a call carries besides its input. */
export interface CallContext {
  signal?: AbortSignal
  /** Told how far a long call is. */
  onProgress?: (progress: { done: number; total?: number }) => void
  /** Told what happens meanwhile, where the dialect `logs`. */
  onLog?: (entry: { level: 'debug' | 'info' | 'warning' | 'error'; message: string }) => void
  /** What the client has answered so far, where the dialect `asks`. */
  asked?: Asked
  /** Lets go of the connection that waits for the answer: the client fetches it over another. Absent where it could not. */
  detach?: () => void
  session?: Session
}

/** How a call that was begun before is taken up again. */
export interface Asked {
  /** What the client can be asked, as it has declared. */
  readonly can: { readonly elicitation: boolean; readonly sampling: boolean; readonly roots: boolean }
  /** By the names of the questions. They come from the client, and are not checked. */
  readonly answers: Readonly<Record<string, unknown>>
  /** What the call gave with its last questions, unchanged. */
  readonly state?: string
}

/** What a connection remembers from one call to the next. */
export interface Session {
  /** The workspace the agent has chosen, in dialects that let it choose. */
  chosen?: Workspace
}

/**
 * Something that can be done to a workspace, in neutral names; dialects decide how it is called and how the result reads.
 * `Given` is its input before defaults are filled in.
 */
export interface Operation<Given, Input, Result> {
  /** True when it can change something; not offered in a read-only workspace. */
  readonly mutates: boolean
  /** Not offered where the workspace lacks it. */
  readonly needs?: 'shell'
  readonly input: z.ZodType<Input, Given>
  run(input: Input, workspace: Workspace, context: CallContext): Promise<Result>
  /** As `run` without a promise, on input that is not checked; undefined where it would block, and then nothing has been done. */
  runSync?(given: Given, workspace: Workspace): Result | undefined
}

/** A way to fetch repositories. */
export interface GitHttp {
  /** As `fetchHttp` makes it; or the default export of `isomorphic-git/http/web` or `isomorphic-git/http/node`. */
  client: { request(request: HttpRequest): Promise<HttpResponse> }
  /** Where pages send requests to servers that allow no other origin. */
  corsProxy?: string
  /** Requests come from a page: a server that does not allow its origin can't be told from one that is not there. */
  fromPage?: boolean
}

export interface HttpRequest {
  url: string
  method?: string | undefined
  headers?: Record<string, string> | undefined
  body?: AsyncIterableIterator<Uint8Array>
  /** Nobody waits for the answer any more. */
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
  /** A larger file is not read whole. */
  maxFileBytes: number
  /** A result is cut to this many bytes, and says so. */
  maxOutputBytes: number
  /** With more files, what a command changes on a real disk is not looked for. */
  maxWatchedFiles: number
  /** A command that is given no time of its own. */
  commandTimeoutMs: number
  /** The most time a command can be given. */
  maxCommandTimeoutMs: number
}

export interface WorkspaceOptions {
  fs: FileSystem
  /** What of `fs` may be reached; all of it unless given. */
  roots?: readonly [Root, ...Root[]]
  /** Directories in the roots that no tool reaches: neither read, nor listed, nor changed. */
  hidden?: readonly string[]
  /** A place for long output; tools can read what is there in `fs`, by its path. */
  output?: OutputPlace
  readOnly?: boolean
  protect?: Protection
  limits?: Partial<Limits>
  rules?: PathRules
  /** Where changes are written down; in memory unless given. */
  journal?: Journal
  /** What keeps changes apart; within this process unless given. */
  locks?: Locks
  /** @internal Of the directories that changes are made in; none unless given. */
  directoryLocks?: DirectoryLocks
  now?: () => number
  /** A function makes one for this workspace, and another for every workspace that is opened within it. */
  shell?: Shell | ((workspace: Workspace) => Shell)
  /** False leaves what commands change on a real disk out of the history, and looks at no file for it. */
  watchCommands?: boolean
  /** @internal A quicker way to look at entries of a directory of `fs`; what it may reach is not checked again. */
  statsOf?: StatsOf
  /** @internal */
  searcher?: Searcher
  /** @internal Shared with other workspaces; its own unless given. */
  searches?: FairQueue
  globalIgnoreRules?: string
  /** Lets git fetch, which it can't unless given. */
  http?: GitHttp
  /** Opens a directory that an agent chooses; only those inside this workspace unless given. */
  openWorkspace?: (directory: string) => Promise<Workspace>
}

/** What holds where nothing else is said; how much history is kept, `createChanges` knows. */
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

/** More at once are no quicker together, and each holds what it has found. */
export function searchQueue(): FairQueue {
  return fairQueue({ what: 'searches', atOnce: 8, ofOneCaller: 6, maxWaiting: 1000 })
}

type Parts = WorkspaceOptions & Required<Pick<WorkspaceOptions, 'journal' | 'locks' | 'searches'>>

/** `recovered` is what another workspace over the same journal has done already. */
function assemble(options: Parts, recovered?: Promise<Recovery>): Workspace {
  const {
    roots = [{ path: '/', access: 'read-write' }],
    readOnly = false,
    protect,
    rules,
    journal,
    locks,
    now,
  } = options
  const canChange = !readOnly && options.fs.capabilities.writable
  const confined = confine(readOnly ? readonly(options.fs) : options.fs, {
    // Refused by the gate, a change does not even get into the journal.
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
    ...(now && { now }),
    ...(options.limits && { limits: options.limits }),
  })
  const { writable } = confined.capabilities
  const limits: Limits = { ...defaultLimits, ...options.limits, ...engine.limits }
  const witness = writable && options.watchCommands !== false ? witnessOf(confined, engine, limits, options) : undefined
  const changes = witness === undefined ? engine : toldTo(witness, engine)
  const ready =
    recovered ??
    (writable ? changes.recover() : Promise.resolve({ finished: [], dropped: [], conflicts: [], corrupt: [] }))
  // Whoever waits for it hears of a failure; nobody waiting is no fault.
  ready.catch(() => {})
  const workspace: Mutable<Workspace> = {
    fs: confined,
    root: roots[0].path,
    readOnly: !writable,
    limits,
    changes,
    history: createHistory(confined, changes),
    ...(witness && { witness }),
    ready,
    // Copies of a workspace with other parts are common, so an operation gets the one that `run` is called on.
    async run(operation, input, context = {}) {
      await this.ready.catch(() => {})
      return operation.run(parseInput(operation.input, input), this, context)
    },
    openWorkspace: options.openWorkspace ?? ((directory) => openWithin(workspace, options, [directory])),
    narrow: (directories) => openWithin(workspace, options, directories),
    searches: options.searches,
    ...(options.searcher && { searcher: options.searcher }),
    ...(options.globalIgnoreRules !== undefined && { globalIgnoreRules: options.globalIgnoreRules }),
    ...(options.http && { http: options.http }),
    ...(options.output && { output: options.output }),
  }
  const { shell } = options
  if (shell && writable) workspace.shell = typeof shell === 'function' ? shell(workspace) : shell
  return workspace
}

function witnessOf(fs: ConfinedFileSystem, changes: Changes, limits: Limits, options: Parts): CommandWatcher {
  const { globalIgnoreRules: globalRules, now } = options
  const list = watchedFiles(fs, {
    maxEntries: limits.maxWatchedFiles,
    ...(globalRules !== undefined && { globalRules }),
  })
  return createCommandWatcher({
    fs: fs.exact,
    changes,
    ...(options.statsOf && { statsOf: options.statsOf }),
    list,
    ...(now && { now }),
  })
}

/** Changes that go through the engine are no news to the witness. */
function toldTo(witness: CommandWatcher, changes: Changes): Changes {
  return {
    ...changes,
    async run(request, body) {
      const made = await changes.run(request, body)
      if (made.record !== undefined) await witness.noteOwnChange(made.record)
      return made
    },
  }
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** Nothing that could not be reached or changed before can be in what is opened. */
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
  return assemble({ ...rest, roots: [...chosen, ...nested] as [Root, ...Root[]] }, ready)
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
