/** Commands that run on the host rather than in the worker, on the files as the command sees them. */
import type { Root } from '../../fs/gate/confine.js'
import type { Bytes, FileSystem } from '../../fs/types.js'

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
  stdin: Bytes
}

export interface ProgramResult {
  stdout: string
  stderr: string
  exitCode: number
}

export type Programs = Readonly<Record<string, (call: ProgramCall) => Promise<ProgramResult>>>
