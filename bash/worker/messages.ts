/** The messages between the host and the worker that runs commands. */
import type { ErrorCode, ErrorFacts } from '../../src/errors.js'
import type { Bytes, Capabilities } from '../../src/fs/types.js'
import type { NetworkRequest } from '../../src/network/types.js'
import type { OutputChunk, PipelineCommand, ShellState } from '../../src/shell/types.js'

/** Why a command has to stop. `wall-clock`: its time by its own clock is not over, but it takes too long for the machine. */
export type StopReason = 'timeout' | 'statement-limit' | 'wall-clock' | 'aborted'

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
  'readStart',
  'readStarts',
] as const

export type FileMethod = (typeof fileMethods)[number]

/** `nowMs`: the time of the command, when it has a clock of its own. */
export interface FileCall {
  call: number
  method: FileMethod
  given: unknown[]
  nowMs?: number
}

export type FileAnswer = { call: number; value: unknown } | { call: number; error: WireError }

/** See `packed-answers.ts`. */
export interface PackedAnswers {
  /** Without those that are rows. */
  answers: FileAnswer[]
  /** One for each answer; absent where nothing was packed. */
  rows?: Float64Array
  /** The bytes of small files. */
  bytes?: Bytes
}

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
  /** The time at its start, when the workspace has a clock of its own. Then nothing it does depends on the machine's. */
  nowMs?: number
  /** How many statements of its script may run. */
  maxStatements?: number
  /** For random numbers, when the workspace has its own. */
  seed?: number
  /** Where absolute paths below `/tmp` lead. */
  scratch?: string
  /** The directory whose FIFOs are kept for later commands, and those that are there. */
  pipes?: { directory: string; paths: readonly string[] }
  /** Names of programs that the host runs. */
  programs: string[]
  /** What may be reached, for messages; absent without a network. */
  network?: readonly string[]
  /** The capabilities of its file system. */
  capabilities: Capabilities
}

/** A program of the host that a command has called. */
export interface ProgramToRun {
  name: string
  args: string[]
  cwd: string
  env: Readonly<Record<string, string>>
}

export type ToWorker =
  | { kind: 'run'; run: CommandToRun }
  /** Asks the running command to stop at the next opportunity. */
  | { kind: 'stop' }
  /** To all calls of a message, in their order. */
  | ({ kind: 'answers' } & PackedAnswers)
  | { kind: 'answer'; call: number; value: unknown }
  /** A program of the host reads its input, writes, and ends with an `answer`: its status. */
  | { kind: 'pull'; call: number }
  | { kind: 'push'; call: number; chunk: OutputChunk }

export type FromWorker =
  /** The worker has started and runs the command. */
  | { kind: 'begun' }
  /** Several that do not wait for each other: a message costs far more than most calls. */
  | { kind: 'calls'; calls: FileCall[] }
  | { kind: 'program'; call: number; program: ProgramToRun; nowMs?: number }
  /** A request to the network; its outcome is an `answer`. */
  | { kind: 'exchange'; call: number; request: NetworkRequest; nowMs?: number }
  /** What a program of the host asked for; without bytes at the end of the input. */
  | { kind: 'input'; call: number; bytes?: Bytes }
  | { kind: 'output'; chunk: OutputChunk }
  | {
      kind: 'done'
      exitCode: number
      /** Why it was ended, when it did not end by itself. */
      stopped?: StopReason
      /** It was ended for lack of memory, or by an error of the interpreter. */
      isKilled?: boolean
      /** The worker is not to run another command: it may hold much of what this one left. */
      isSpent?: boolean
      left?: ShellState
      /** The FIFOs that are kept. */
      pipes?: string[]
      pipeline?: readonly PipelineCommand[]
      /** The time at its end, when it has a clock of its own. */
      nowMs?: number
    }

/** Sends a message to the host; transferred buffers are no longer usable here. */
export type Send = (message: FromWorker, transferred?: ArrayBufferLike[]) => void

/** An `FsError` as data: its class does not survive cloning. */
export interface WireError {
  code: ErrorCode
  facts: ErrorFacts[ErrorCode]
}
