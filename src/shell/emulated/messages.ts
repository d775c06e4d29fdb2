/** The messages between the host and the worker that runs commands. */
import type { ErrorCode, ErrorFacts } from '../../errors.js'
import type { Bytes, Capabilities } from '../../fs/types.js'
import type { OutputChunk, ShellState } from '../types.js'

/** Operations a worker may request on the command's view of the files, which the host holds. */
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
  /** All variables, including those every command gets. */
  env: Readonly<Record<string, string>>
  stdin: Bytes
  timeoutMs: number
  reportState: boolean
  /** Limit for its variables and other data. */
  maxMemoryBytes: number
  /** Names of commands that the host runs. */
  programs: string[]
  /** The capabilities of its file system. */
  capabilities: Capabilities
}

export type ToWorker =
  | { kind: 'run'; run: CommandToRun }
  /** Asks the running command to stop at the next opportunity. */
  | { kind: 'stop' }
  | { kind: 'answer'; call: number; value: unknown }
  | { kind: 'failure'; call: number; error: WireError }

export type FromWorker =
  /** The worker has started and runs the command. */
  | { kind: 'begun' }
  | { kind: 'call'; call: number; method: FileMethod; given: unknown[] }
  | { kind: 'output'; chunk: OutputChunk }
  /** The command exceeded its memory limit, and the worker waits to be ended. */
  | { kind: 'out-of-memory' }
  | { kind: 'done'; exitCode: number; outOfTime: boolean; left?: ShellState }

/** An `FsError` as data: its class does not survive cloning. */
export interface WireError {
  code: ErrorCode
  facts: ErrorFacts[ErrorCode]
}
