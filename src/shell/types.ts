/** The interface of a shell, whatever engine runs its commands. */
import type { ChangeRecord } from '../change/journal/record.js'
import type { Bytes } from '../fs/types.js'

export interface Shell {
  readonly kind: 'real' | 'emulated' | 'webcontainer'
  /** A description of the engine for people and models. */
  readonly engine: string
  /** What runs scripts of `node`, for people and models. Absent where it is always the same. */
  readonly nodeEngine?: string
  readonly capabilities: ShellCapabilities
  /** A failing command is a result; only a command that could not be started is an error. */
  exec(request: ExecRequest): Promise<ExecResult>
  /** The path if it is a directory of the shell's scratch space, which is not part of the workspace: a session may stay there. */
  scratchDirectory?(path: string): Promise<string | undefined>
  /** Ends all running and background commands. */
  close(): Promise<void>
}

export interface ShellCapabilities {
  /** Commands see the workspace's files, and the workspace sees their changes. */
  sharesFiles: boolean
  /**
   * Commands can't reach anything outside the workspace's roots; otherwise they can do whatever the process that runs
   * them can.
   */
  confined: boolean
  /**
   * The workspace's history records every change of a command exactly. Otherwise changes are found by comparing before
   * and after.
   */
  recordsChanges: boolean
  /** Background processes continue after the command has ended. */
  background: boolean
  /** A command can be asked to end before it is killed, and a result says which signal ended it. */
  signals: boolean
  /** The command language is that of a POSIX shell. */
  posix: boolean
  /** Output and errors are separate; otherwise all of it is output. */
  separateStreams: boolean
}

export interface ExecRequest {
  command: string
  /** A directory of the workspace, with all links resolved. */
  cwd: string
  /** Variables in addition to those every command gets. */
  env?: Readonly<Record<string, string>>
  /** The command's input. Default: none. */
  stdin?: Bytes
  timeoutMs: number
  /** Time between asking a command to end and killing it. Default: none. */
  graceMs?: number
  /** How many bytes of each stream the result includes. */
  maxStreamBytes: number
  /** Errors become part of the output, in the order in which all of it was written; `stderr` of the result is empty. */
  mergeStreams?: boolean
  /** What happens when a command writes more: it is ended, the rest is dropped, or the rest goes only to `onOutput`. */
  onOutputLimit?: 'end' | 'drop' | 'report'
  signal?: AbortSignal
  /** Called with output as it arrives, in engines that have it before the end; not with output that is dropped. */
  onOutput?: (chunk: OutputChunk) => void
  /** Requests `left` in the result. */
  reportState?: boolean
  /** Where commands queue, each caller gets a fair share of turns. Default: one caller for the whole workspace. */
  caller?: object
  /** @internal How many statements may run, in an emulated shell. Default: no limit. */
  maxStatements?: number
}

export interface OutputChunk {
  stream: 'stdout' | 'stderr'
  bytes: Bytes
}

export interface ExecResult {
  ended: 'exit' | 'timeout' | 'aborted' | 'output-limit' | 'statement-limit'
  /** Absent when a signal ended the shell. */
  exitCode?: number
  /** For example `SIGTERM`. */
  signal?: string
  stdout: Output
  stderr: Output
  /** Processes that the command started go on after it, as far as the shell can tell. */
  leavesProcesses?: boolean
  /** The last pipeline that the command ran, from shells that know it. */
  pipeline?: readonly PipelineCommand[]
  /** The change the command made, from shells that record it themselves. */
  record?: ChangeRecord
  /** The final state of the shell, when requested and when the command reached its end. */
  left?: ShellState
  /** @internal The time at its end, by the clock of a command in a workspace with a clock of its own. */
  clockMs?: number
  /** @internal Ended by the machine's clock, though by its own the command had time left: another run may end otherwise. */
  byWallClock?: true
}

/** A command of a pipeline, as text. */
export interface PipelineCommand {
  command: string
  exitCode: number
}

/** The state that a session carries from one command to the next. */
export interface ShellState {
  /** A directory of the workspace; absent when the command ended elsewhere. */
  cwd?: string
  /** Exported variables, except those every command gets. */
  env: Readonly<Record<string, string>>
}

export interface Output {
  bytes: Bytes
  /** True when more was written than `bytes` has. */
  cut: boolean
}
