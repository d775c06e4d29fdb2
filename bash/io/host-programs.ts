/** Programs that run beside the host rather than in the worker. */
import type { AccessRules } from '../../src/fs/gate/access-rules.js'
import type { Root } from '../../src/fs/gate/confine.js'
import type { Bytes, FileSystem } from '../../src/fs/types.js'

/** A program that the host of a shell adds: its arguments and what it works with. Returns its exit status. */
export type HostProgram = (args: readonly string[], io: HostProgramIo) => Promise<number> | number

export type HostPrograms = Readonly<Record<string, HostProgram>>

export interface HostProgramIo {
  readonly cwd: string
  /** The exported variables. */
  readonly env: Readonly<Record<string, string>>
  /** The files as the command sees them, by absolute paths. Writes belong to the command's change. */
  readonly fs: FileSystem
  readonly stdin: {
    /** The next bytes; undefined at the end. */
    read(): Promise<Bytes | undefined>
    /** All of it. */
    bytes(): Promise<Bytes>
    text(): Promise<string>
  }
  readonly stdout: { write(data: string | Bytes): void }
  readonly stderr: { write(data: string | Bytes): void }
  /** Aborted when the command ends before the program does. */
  readonly signal: AbortSignal
}

/** The part of the `GitSettings` of a workspace that the user has made. */
export interface UserGitSettings {
  ignoreRules?: string
  defaults?: { autocrlf?: string; eol?: string; attributes?: string }
}

/** A program that runs operations on a workspace of its own, such as git. */
export interface ProgramCall {
  /**
   * Includes what the command has written so far, and receives what the program writes. The program itself checks
   * permissions.
   */
  fs: FileSystem
  roots: readonly [Root, ...Root[]]
  args: string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** The clock and the randomness of the workspace. */
  now: () => number
  random: () => number
  git: UserGitSettings
  /** The rules of the workspace: `fs` shows the objects of git, which may hold what they forbid. */
  rules?: AccessRules
  /** Where scratch space is, when scripts call it otherwise. */
  scratch?: string
  /** Reads all input. */
  input(): Promise<Bytes>
}

/** A text that a command of the shell is to edit before the program can end: the program is then called again. */
export interface TextToEdit {
  /** As for `sh -c`, with the name of the file after it. */
  command: string
  /** Of the file. */
  name: string
  text: string
  /** Given, what was done so far counts, and the program goes on from there: its own note of where it was. */
  phase?: string
}

/** What the shell is to run before the program goes on, which is then called again with the same arguments. */
export interface CommandToRun {
  /** As for `sh -c`; one word without special characters is run by itself, as git does. */
  line: string
  cwd: string
  /** The program's own note of where it was. */
  phase: string
  /** What it prints is for the program, not for the output. */
  isCaptured?: boolean
}

/** What a program finds when it goes on. */
export interface Ran {
  phase: string
  status: number
  /** Of an edited file, or captured output. */
  text: string
}

/** What an editor made of a text. */
export interface EditedText {
  status: number
  text: string
}

/** The variable with all that was edited so far, as JSON. */
export const editedVariable = 'POLYFS_EDITED'

/** The variable with what was run for a program that goes on, as JSON. */
export const ranVariable = 'POLYFS_RAN'

/** What a program asks of the shell before it can end. */
export type Request = TextToEdit | CommandToRun

/** How a program of the host ends. */
export type ProgramEnd = number | Request

/** A program of the host, or an operation of ours. */
export type CalledProgram = (args: readonly string[], io: HostProgramIo) => Promise<ProgramEnd> | ProgramEnd

export interface ProgramResult {
  /** In the order of writing. */
  written: readonly { stream: 'stdout' | 'stderr'; data: string | Bytes }[]
  exitCode: number
  /** The program has not ended yet. */
  request?: Request
}

export type Programs = Readonly<Record<string, (call: ProgramCall) => Promise<ProgramResult>>>
