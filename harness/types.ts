/** The words of the harness: episodes, traces, tasks, scores and agents. */
import type { Usage } from '../models/usage.js'
import type { ToolSet } from '../src/dialects/tool-definitions.js'
import type { FsError } from '../src/errors.js'
import type { Room } from '../src/fs/backends/limit-bytes.js'
import type { MemoryTree } from '../src/fs/backends/memory.js'
import type { FileSystem } from '../src/fs/types.js'
import type { Headers, Network, NetworkAnswer, NetworkFailure, NetworkRequest } from '../src/network/types.js'
import type { Dialect, ToolResult } from '../src/tools/dialect.js'
import type { Limits } from '../src/workspace/limits.js'
import type { Workspace } from '../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../src/workspace/workspace-options.js'
import type { FaultyOptions, OperationName } from './faults.js'

export interface EpisodeOptions {
  /** What the tree starts with. A file system is copied once for all episodes that are opened on it, and never written. */
  files: MemoryTree | FileSystem
  /** The directory that relative paths count from; all of the tree can be reached. Default: `/`. */
  root?: string
  /** Determines everything random. Default: 1. */
  seed?: number
  /** The time at which the episode begins, in milliseconds. Default: 2026-01-01T00:00:00Z. */
  startMs?: number
  /** How far the clock moves with each call. Default: 1000. */
  stepMs?: number
  /** Default: our own. */
  dialect?: Dialect
  /** Some of its tools; see `selectTools`. */
  tools?: string | readonly string[]
  limits?: Partial<Limits>
  /**
   * Such as `emulatedShell()`, whose clock, randomness and scratch space are the episode's; or `realShell()`, which runs programs of the machine: the
   * trace then says so (`tier`), and only its states can be expected to be the same again.
   */
  shell?: WorkspaceOptions['shell']
  /** How many statements a command may run. Default: 1,000,000. */
  maxStatements?: number
  budget?: Partial<Budget>
  /**
   * How much the episode may hold in memory beyond the files it begins with: its files, its history and its trace. A write beyond it fails with
   * `NO_SPACE`. Default: 256 MiB.
   */
  maxBytes?: number
  /** @internal What several episodes may hold together. */
  sharedRoom?: Room
  faults?: FaultSchedule
  /** What commands may reach. Every exchange is in the trace, and `replayTrace` repeats it from there. Default: nothing. */
  network?: Network
  /** Variables that every command gets. */
  env?: Readonly<Record<string, string>>
  /** The id of the task, for the header of the trace. */
  task?: string
  /** Called with every event of the trace as it is added, for example to write it to a file. */
  onEvent?: (event: TraceEvent) => void
}

/** What an episode may use up. Only what is counted ends an episode, never what is timed: the same run ends at the same point again. */
export interface Budget {
  calls: number
  /** Answers of the model. */
  turns: number
  /** Of input and output, as the model reports them. */
  tokens: number
  /** Of results of calls. */
  bytes: number
}

/** A workspace of its own, in memory, whose calls are recorded and give the same results whenever they are repeated. */
export interface Episode {
  readonly workspace: Workspace
  /** Recorded and metered, to be served over MCP. */
  readonly dialect: Dialect
  /** The same tools for `openAiTools`, `anthropicTools` and `aiSdkTools`. */
  readonly tools: ToolSet
  readonly trace: Trace
  /** What has run out; then every further call fails and says so. `memory` is that of `maxBytes`. */
  readonly exhausted: keyof Budget | 'memory' | undefined
  /** Why a repetition could end otherwise, such as a command that the machine's clock has ended. Then the run says nothing about the agent. */
  readonly disturbed: string | undefined
  /** Goes on as this episode would have: with the same history, scratch space, shell session, clock and randomness. Takes the same short time for any tree. */
  fork(options?: ForkOptions): Episode
  /** Resolves when all calls that have arrived are done. */
  idle(): Promise<void>
  /** All that differs from the beginning, sorted by path. */
  changes(): Promise<EpisodeChange[]>
  /** Of paths, kinds, modes and contents; not of times. */
  stateHash(): Promise<string>
  close(): Promise<void>
}

export interface ForkOptions {
  /** Other randomness than that of the original from here on. */
  seed?: number
  /** False: no faults are injected any more, for example while it is scored. */
  faults?: false
  /** @internal True: with all of `maxBytes` again, which is not shared. However full an episode is, it can be judged. */
  ownMemory?: boolean
  /** Called with every event that the fork adds. */
  onEvent?: (event: TraceEvent) => void
}

/** A file, directory or link that differs from the beginning. */
export interface EpisodeChange {
  path: string
  change: 'added' | 'modified' | 'deleted' | 'renamed'
  /** Where a renamed entry was before. */
  from?: string
  /** What it is now; what it was, if it was deleted. */
  kind: 'file' | 'directory' | 'symlink'
}

/** Failures of the file system that an agent has to cope with; the same for the same seed. */
export interface FaultSchedule {
  /** Default: that of the episode. */
  seed?: number
  /** How likely an operation fails, from 0 to 1. */
  rate: number
  /** One of these. Default: `IO`. */
  codes?: readonly FsError['code'][]
  /** Methods of the file system. Default: all that read or write contents. */
  operations?: readonly OperationName[]
  /** Globs. Default: every path. */
  paths?: readonly string[]
  /** The number of calls before the first fault. Default: 0. */
  after?: number
  /** The most faults in all. Default: no limit. */
  most?: number
  /** How much of its effect a failing operation has anyway; see `faulty`. Default: none. */
  effect?: FaultyOptions['effect']
}

/** A trace is a file with one JSON object per line. */
export const traceFormat = 'polyfs-trace/1'

/** The first line: everything that determines how calls are answered. */
export interface TraceHeader {
  type: 'header'
  format: typeof traceFormat
  /** Of polyfs. */
  version: string
  task?: string
  agent?: string
  dialect: string
  tools?: string | readonly string[]
  root: string
  seed: number
  startMs: number
  stepMs: number
  budget: Partial<Budget>
  limits: Record<string, number>
  faults?: unknown
  /** What the network allowed. */
  network?: readonly string[]
  env?: Readonly<Record<string, string>>
  maxStatements?: number
  maxBytes?: number
  /** `real`: commands ran programs of the machine, whose output a repetition may not have again. Absent otherwise. */
  tier?: 'real'
  /** Of the names, descriptions and schemas that the agent was given. */
  toolsHash: string
  /** Of the tree at the beginning. */
  stateHash: string
}

/** What a model read or wrote. */
export interface TraceMessage {
  type: 'message'
  role: 'system' | 'user' | 'assistant'
  text: string
  /** Of the answer of a model; counted against the budget. */
  usage?: TraceUsage
  model?: string
}

/** With what it cost, where the model's prices are known. */
export interface TraceUsage extends Usage {
  /** In the currency of the user's prices. */
  cost?: number
}

export interface TraceCall {
  type: 'call'
  /** From 1. */
  step: number
  tool: string
  args: unknown
  result: ToolResult | { protocolError: { code: number; message: string } }
  /** Of the tree after the call. */
  stateHash: string
  /** What commands asked of the network, in their order, without the secrets of the rule. */
  network?: readonly RecordedExchange[]
  /** Faults that were injected. */
  faults?: readonly { operation: string; path: string; code: string }[]
  /** How long it took. Not part of the hash of the transcript. */
  wallMs: number
}

/** One request of a command, and what came of it. */
export interface RecordedExchange {
  request: RecordedMessage & Pick<NetworkRequest, 'method' | 'url'>
  answer?: RecordedMessage & Pick<NetworkAnswer, 'status' | 'statusText' | 'httpVersion'>
  failure?: NetworkFailure
}

export interface RecordedMessage {
  headers: Headers
  /** The body, where it is UTF-8. */
  text?: string
  /** The body, where it is not. */
  base64?: string
}

export interface TraceScore extends Score {
  type: 'score'
}

export interface TraceEnd {
  type: 'end'
  outcome: 'finished' | 'budget' | 'agent-error' | 'infra'
  reason?: string
  answer?: string
  /** How long it took. Not part of the hash of the transcript. */
  wallMs?: number
}

export type TraceEvent = TraceHeader | TraceMessage | TraceCall | TraceScore | TraceEnd

/** The record of an episode. A fork begins with what its original had recorded. */
export interface Trace {
  readonly header: TraceHeader
  /** All so far, the header first. */
  readonly events: readonly TraceEvent[]
  /** Adds what a model read or wrote, or a score, or the end. Calls add themselves. */
  add(event: TraceMessage | TraceScore | TraceEnd): void
  /** Of everything but wall times. */
  transcriptHash(): string
  toJsonl(): string
}

export interface Task {
  /** Unique in a suite. */
  id: string
  instruction: string
  files: EpisodeOptions['files']
  /** A weighted mean of all scores decides; a task is passed with 1. */
  score: readonly Scorer[]
  /** Solves the task, to prove that its scorers accept a solution. */
  solve?(episode: Episode): Promise<void>
  options?: Omit<EpisodeOptions, 'files' | 'task' | 'onEvent'>
  /** How long an agent may take. A safety net: a run that it ends has no result. */
  timeoutMs?: number
}

/** Judges what an agent left. `episode` is a fork that was made after the agent's last call. */
export type Scorer = (run: ScoredRun) => Promise<Score[]>

export interface ScoredRun {
  episode: Episode
  task: Task
  trace: Trace
  /** The agent's last words. */
  answer: string
}

export interface Score {
  name: string
  /** From 0 to 1. */
  value: number
  reason: string
  /** Default: 1. */
  weight?: number
  /** A condition, not an achievement: it is not part of the mean, but below 1 it makes the whole result 0. */
  gate?: boolean
  /** What a judge answered, word for word. */
  answer?: string
}

export interface EpisodeAgent {
  readonly name: string
  /** Works until it is done, the budget of the episode is used up, or the signal aborts. Throws when the agent itself fails. */
  run(work: AgentWork): Promise<{ answer: string }>
}

export interface AgentWork {
  episode: Episode
  instruction: string
  signal: AbortSignal
  /** For agents that know more than a model may, such as `oracle`. */
  task?: Task
}
