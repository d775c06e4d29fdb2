/** Running commands: what every engine offers, whatever it runs on. */
import type { ChangeRecord } from '../change/journal/record.js'
import type { Bytes } from '../fs/types.js'

export interface Shell {
  readonly kind: 'real' | 'emulated' | 'webcontainer'
  /** What commands run on, for people and models to read. */
  readonly engine: string
  readonly capabilities: ShellCapabilities
  /** A command that fails is a result; only a command that could not be started is an error. */
  exec(request: ExecRequest): Promise<ExecResult>
  /** Ends whatever commands left running. */
  close(): Promise<void>
}

export interface ShellCapabilities {
  /** Commands see the workspace's files, and the workspace sees what they change. */
  sharesFiles: boolean
  /** Commands reach nothing outside the workspace's roots; otherwise they can do whatever the process that runs them can. */
  confined: boolean
  /** Every change a command makes is in the workspace's history, exactly. Otherwise it is found by looking before and after. */
  recordsChanges: boolean
  /** What a command leaves running goes on after it. */
  background: boolean
  /** A command can be asked to end before it is ended, and a result tells which signal ended it. */
  signals: boolean
  /** The command language is that of a POSIX shell. */
  posix: boolean
  /** Output and errors are told apart; otherwise all of it is output. */
  separateStreams: boolean
}

export interface ExecRequest {
  command: string
  /** A directory of the workspace, with links followed. */
  cwd: string
  /** Variables besides those every command gets. */
  env?: Readonly<Record<string, string>>
  /** What the command reads; nothing unless given. */
  stdin?: Bytes
  timeoutMs: number
  /** Between asking a command to end and ending it; at once unless given. */
  graceMs?: number
  /** Kept of each stream. */
  maxStreamBytes: number
  /** Of a command that writes more: it is ended, or the rest is dropped, or the rest is only told to `onOutput`. */
  onTooMuch?: 'end' | 'drop' | 'tell'
  signal?: AbortSignal
  /** Told of output as it comes, in engines that have it before the end; of what is dropped it is not told. */
  onOutput?: (chunk: OutputChunk) => void
  /** Asks for `left` in the result. */
  reportState?: boolean
  /** Where commands have to wait for others, those of each caller have their turns; one for the whole workspace unless given. */
  caller?: object
}

export interface OutputChunk {
  stream: 'stdout' | 'stderr'
  bytes: Bytes
}

export interface ExecResult {
  ended: 'exit' | 'timeout' | 'aborted' | 'output-limit'
  /** Absent when a signal ended the shell. */
  exitCode?: number
  /** Such as `SIGTERM`. */
  signal?: string
  stdout: Output
  stderr: Output
  /** What the command changed, from shells that make it one change themselves. */
  record?: ChangeRecord
  /** Where the command left the shell, when asked for and when it came to its own end. */
  left?: ShellState
}

/** What a session keeps from one command to the next. */
export interface ShellState {
  /** A directory of the workspace; absent when the command went somewhere else. */
  cwd?: string
  /** Exported variables, besides those every command gets. */
  env: Readonly<Record<string, string>>
}

export interface Output {
  bytes: Bytes
  /** More was written than is kept. */
  cut: boolean
}
