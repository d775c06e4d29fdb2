/** What the interpreter needs from outside. */
import type { CommandClock } from '../io/command-clock.js'
import type { CommandTree } from '../io/command-tree.js'
import type { ShellNetwork } from '../io/program.js'
import type { ByteReader, ByteWriter } from '../io/streams.js'
import type { ProgramTable } from '../programs/program-table.js'

export interface ScriptRun {
  source: string
  /** The name in messages. Default: `bash`. */
  name?: string
  /** The positional parameters. */
  args?: readonly string[]
  cwd: string
  /** Exported variables. */
  env: Readonly<Record<string, string>>
  tree: CommandTree
  programs: ProgramTable
  /** Called before each program. */
  beforeProgram?(): void
  stdin: ByteReader
  stdout: ByteWriter
  stderr: ByteWriter
  /** Where absolute paths below `/tmp` lead, when the workspace has no `/tmp`. */
  scratch?: string | undefined
  now(): number
  random(): number
  /** Absent where nothing may be reached. */
  network?: ShellNetwork
  /** How it waits. Default: by the machine's clock. */
  clock?: CommandClock
  /** Throws when the command has to stop: it was cancelled, or used its steps. Called at every statement and by programs. */
  step(count?: number): void
  /** The same, for statements and turns of loops only. Default: `step`. */
  statement?(): void
  /** Lets messages in at times; await what it returns. Called in loops. */
  pause?(): Promise<void> | undefined
  /** Throws when the command uses too much memory. */
  account(bytes: number): void
  /** Called for a name that no program has, and returns a hint to print after `command not found`. */
  hint?(name: string): string | undefined
}

export interface ScriptResult {
  exitCode: number
  cwd: string
  /** Exported variables at the end. */
  env: Record<string, string>
  /** The last pipeline that the shell itself ran, with the status of each command. */
  pipeline?: Array<{ command: string; exitCode: number }>
}
