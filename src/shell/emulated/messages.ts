/** What passes between a shell and the worker its commands run in. Both sides are built from this. */
import type { ErrorCode, ErrorFacts } from '../../errors.js'
import type { Bytes, Capabilities } from '../../fs/types.js'
import type { OutputChunk, ShellState } from '../types.js'

/** What a worker may ask for: operations on the command's view of the files, which stays with the shell. */
export const fileMethods = [
  'stat',
  'readFile',
  'writeFile',
  'readDir',
  'makeDir',
  'remove',
  'rename',
  'symlink',
  'readLink',
  'setMode',
  'setModified',
  'realPath',
  'append',
  'program',
] as const

export type FileMethod = (typeof fileMethods)[number]

export interface CommandToRun {
  command: string
  cwd: string
  /** All variables, those every command gets included. */
  env: Readonly<Record<string, string>>
  stdin: Bytes
  timeoutMs: number
  reportState: boolean
  /** What it may have in variables and the like. */
  maxMemoryBytes: number
  /** Names of commands that the shell runs itself. */
  programs: string[]
  /** Of the files it works on. */
  capabilities: Capabilities
}

export type ToWorker =
  | { kind: 'run'; run: CommandToRun }
  /** Asks the running command to stop at the next opportunity. */
  | { kind: 'stop' }
  | { kind: 'answer'; call: number; value: unknown }
  | { kind: 'failure'; call: number; error: WireError }

export type FromWorker =
  /** The worker has started, and now runs the command. */
  | { kind: 'begun' }
  | { kind: 'call'; call: number; method: FileMethod; given: unknown[] }
  | { kind: 'output'; chunk: OutputChunk }
  /** It has more in memory than it may, and waits to be ended. */
  | { kind: 'out-of-memory' }
  | { kind: 'done'; exitCode: number; outOfTime: boolean; left?: ShellState }

/** An `FsError` in pieces: its class does not survive the way. */
export interface WireError {
  code: ErrorCode
  facts: ErrorFacts[ErrorCode]
}
