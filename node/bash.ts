/** polyfs/bash: an emulated bash on any file system, by itself or as the shell of a workspace. */
import { type Bash, type BashOptions, bashOn } from '../bash/standalone.js'
import { emulatedShell } from './shell/emulated-shell.js'

export type { EmulatedShellOptions } from '../bash/host/emulated-shell.js'
export type { HostProgram, HostProgramIo, HostPrograms } from '../bash/io/host-programs.js'
export type { Bash, BashOptions, BashResult, BashRunOptions } from '../bash/standalone.js'
export { emulatedShell }

/** A bash on a file system. Commands run in a thread, and reach only these files. */
export function createBash(options: BashOptions): Bash {
  return bashOn(emulatedShell, options)
}
