/** What a workspace is, and what is passed with every call in one. These types refer to each other, so one file has them all. */
import type { CallMemory } from '../call-memory.js'
import type { Changes, Recovery } from '../change/changes.js'
import type { CommandWatcher } from '../change/command-watcher.js'
import type { EntryState } from '../change/entry-image.js'
import type { History } from '../change/history/history.js'
import type { ClientInfo } from '../change/journal/record.js'
import type { MergeOptions, MergeOutcome } from '../change/merge/types.js'
import type { FairQueue } from '../fair-queue.js'
import type { OverlayChange } from '../fs/backends/overlay.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import type { OutputPlace } from '../fs/output-directory.js'
import type { Branch, FileSystem, Moment } from '../fs/types.js'
import type { Network } from '../network/types.js'
import type { Schema } from '../parse-input.js'
import type { Searcher } from '../search/run/records.js'
import type { Walker } from '../search/run/walk-files.js'
import type { Shell } from '../shell/types.js'
import type { ApprovePath } from './approval.js'
import type { GitSettings } from './git-settings.js'
import type { Limits } from './limits.js'

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
  /** Runs commands; absent if none was given, and in a read-only workspace. */
  readonly shell?: Shell
  readonly git: GitSettings
  /** What programs of the emulated shell may reach; absent if none was given. */
  readonly network?: Network
  /** Where output is stored that is too long for a result; without it, in the tree itself. */
  readonly output?: OutputPlace
  /** The clock, in milliseconds. */
  readonly now: () => number
  /** Numbers from 0 to 1: the randomness that shows in results. */
  readonly random: () => number
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
  /**
   * A workspace that starts with the same files, and changes only itself. `merge` brings its changes back. Fails with `READ_ONLY` for a
   * workspace in which nothing can be changed.
   */
  fork(options?: ForkOptions): Promise<Fork>
  /**
   * Merges what a fork has changed into this workspace, as one change that can be undone: the one that it was forked from, or another fork of
   * that. Where both changed the same, the conflicts are returned, and nothing is changed.
   */
  merge(this: Workspace, fork: Fork, options?: MergeOptions): Promise<MergeOutcome>
  /** @internal What operations, shells and adapters use, and programs don't. */
  readonly internals: WorkspaceInternals
}

export interface ForkOptions {
  /** Also the name of the workspace in a database. By default it has a number. */
  name?: string
  /** The most bytes that the fork may hold in memory for itself, besides its history; more fails with `NO_SPACE`. Default: 1 GiB. */
  maxBytes?: number
  /** By default that of the workspace, if a function makes it: a shell that exists already would change the files of the original. */
  shell?: (fork: Workspace) => Shell
}

export interface Fork extends Workspace {
  readonly name: string
  /** What differs from the start, sorted by path. */
  differences(): Promise<OverlayChange[]>
  /** Frees what only the fork holds. It can't be used any more. */
  discard(): Promise<void>
}

export interface WorkspaceInternals {
  /** Limits concurrent searches. */
  readonly searches: FairQueue
  /** Searches faster than by reading every file through `fs`, with the same results. */
  readonly searcher?: Searcher
  /** Walks large trees faster than through `fs`, with the same results. */
  readonly walker?: Walker
  /** Records what commands change past the engine; absent in a read-only workspace, and with `watchCommands: false`. */
  readonly commandWatcher?: CommandWatcher
  /** What calls leave for later ones. */
  readonly callMemory: CallMemory<Workspace>
  /** Moves a virtual clock on; called by commands that sleep. */
  readonly moveClock?: (nowMs: number) => void
  /** What it was forked from, and what was merged. Copies of a workspace have the same. */
  readonly lineage: Lineage
  /** Where the emulated shell puts temporary files; by default a place of its own for each shell. */
  readonly scratch?: () => FileSystem
  /** The tree as it is now, where the backend can keep it. */
  readonly moment?: () => Moment
  /** Of the workspace that this one was forked or opened from: its own shell may start from what that one has prepared, while it is there. */
  readonly shellBefore?: WeakRef<Shell>
}

/** What a tree of forks knows about one of them, or about their origin. */
export interface Lineage {
  /** The same for all that can be merged. */
  readonly family: { forks: number }
  /** Of a fork. */
  readonly branch?: Branch
  /** Of a fork: what it was made from, and the newest change there was then. */
  readonly origin?: { lineage: Lineage; newest: string | undefined }
  /** What was merged of this into others. */
  readonly merges: WeakMap<Lineage, PastMerge[]>
  discarded: boolean
}

export interface PastMerge {
  /** The change; absent if nothing had to change. */
  id?: string
  /** The entries that were merged: for the next merge they are the base. */
  states: ReadonlyMap<string, EntryState>
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
  /** Asks the user where a rule says so, in place of the workspace's own `approve`. */
  approve?: ApprovePath
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
