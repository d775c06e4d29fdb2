/** Running commands: what every engine offers, whatever it runs on. */
import type { Bytes } from '../fs/types.js'

export interface Shell {
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
  /** What a command leaves running goes on after it. */
  background: boolean
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
  timeoutMs: number
  /** Between asking a command to end and ending it; at once unless given. */
  graceMs?: number
  /** Of each stream; a command that writes more is ended, or the rest is dropped. */
  maxStreamBytes: number
  onTooMuch?: 'end' | 'drop'
  signal?: AbortSignal
}

export interface ExecResult {
  ended: 'exit' | 'timeout' | 'aborted' | 'output-limit'
  /** Absent when a signal ended the shell. */
  exitCode?: number
  /** Such as `SIGTERM`. */
  signal?: string
  stdout: Output
  stderr: Output
}

export interface Output {
  bytes: Bytes
  /** More was written than is kept. */
  cut: boolean
}
