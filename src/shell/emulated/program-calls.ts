/** Commands that run beside the shell rather than in its worker, on the files as the command sees them. */
import type { Root } from '../../fs/gate/confine.js'
import type { Bytes, FileSystem } from '../../fs/types.js'

export interface ProgramCall {
  /** With what the command has written so far, and for what it writes; rights are up to the program. */
  fs: FileSystem
  roots: readonly [Root, ...Root[]]
  args: string[]
  cwd: string
  env: Readonly<Record<string, string>>
  stdin: Bytes
}

export interface ProgramResult {
  stdout: string
  stderr: string
  exitCode: number
}

export type Programs = Readonly<Record<string, (call: ProgramCall) => Promise<ProgramResult>>>
