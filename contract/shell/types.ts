/** The vocabulary of the shell contract: plain data, so that a case can be posted to a worker and run there. */
import type { FileSystem } from '../../src/fs/types.js'
import type { ExecResult, Shell, ShellCapabilities } from '../../src/shell/types.js'
import type { Content, Tree } from '../fs/index.js'

/** Where cases are run. */
export interface ShellTarget {
  shell: Shell
  /** Sees the files that commands see, under the same paths. */
  fs: FileSystem
  /** The directory a case works in: made when missing, and removed afterwards with all that is in it. */
  base: string
}

/** One behaviour. Commands run in the base unless they say otherwise; paths are relative to it. */
export interface ShellCase {
  /** Reads like a line of the specification; unique. */
  name: string
  /** Expected errors, and steps that a shell is asked to do in the background, add their own. */
  needs?: Partial<ShellCapabilities>
  /** What exists before. */
  tree?: Tree
  steps: ShellStep[]
  /** The whole tree afterwards, compared exactly; not compared unless given. */
  after?: Tree
}

export type ShellStep = Run | StartJob | AwaitJob | StopJob | ListJobs | AwaitFile

/** A command that runs to its end, and its expected outcome. */
export interface Run extends Expected {
  run: string
  /** Runs in the case's session, which carries directory and variables from command to command. */
  session?: true
  cwd?: string
  env?: Record<string, string>
  stdin?: Content
  timeoutMs?: number
  graceMs?: number
  maxStreamBytes?: number
  onOutputLimit?: 'end' | 'drop'
  mergeStreams?: true
  /** Aborts the command as soon as this file exists. */
  abortWhen?: string
  /** Aborts the command as soon as it has printed this. */
  abortAfter?: string
}

/** `ended` is `exit` and `exitCode` 0 unless given; `any` leaves it open. Streams are compared only when given. */
export interface Expected {
  ended?: ExecResult['ended']
  exitCode?: number | 'any' | 'not zero'
  signal?: string
  stdout?: ExpectedOutput
  stderr?: ExpectedOutput
  /** Output that `onOutput` must have received before the end of the command. */
  streamed?: string
}

export type ExpectedOutput =
  | Content
  /** Somewhere in it. */
  | { contains: string }
  /** The lines in any order. */
  | { lines: string[] }
  /** Cut to exactly so many bytes. */
  | { cutAt: number }

/** Starts a background job under a name. */
export interface StartJob {
  start: string
  job: string
  env?: Record<string, string>
}

/** Polls a job until its output contains a text, or until it has ended as given. */
export interface AwaitJob {
  job: string
  until: { output: string } | { exitCode: number }
}

export interface StopJob {
  stop: string
}

/** The jobs that are known, in order, and whether they are running. */
export interface ListJobs {
  jobs: Array<'running' | 'over'>
}

/** Waits until a file exists and has this content, or until it does not exist. */
export interface AwaitFile {
  file: string
  content: Content | 'absent'
}
