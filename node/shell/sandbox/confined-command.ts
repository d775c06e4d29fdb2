/** What a sandbox is given, and what it makes of it. */
import type { Mask } from './masks.js'

export interface ConfinedCommand {
  /** A POSIX shell. */
  program: string
  script: string
  cwd: string
  /** The environment of the shell itself. */
  env: Readonly<Record<string, string>>
  /**
   * Variables that the shell sets before the script. The wrapper and the shell start without them, because they may
   * affect how programs are loaded.
   */
  variables: Readonly<Record<string, string>>
  /** What is covered, or only readable, during this command. */
  masks?: readonly Mask[]
}

/** The process to start, with the descriptors it needs. */
export interface Wrapped {
  argv: string[]
  /** Closes the descriptors that are only for this command, once it has been started. */
  started?(): void
  /** Only for the wrapper, sent on `channels.arguments`. */
  arguments: Buffer
  /** Numbered from `channels.firstMount` on. */
  descriptors: readonly number[]
  /** Limits the command as a whole, where the system can. Takes its first process, before it does anything. */
  admit?: (pid: number) => () => void
  /**
   * Called when the command has ended with all its processes, with the process that holds its mounts: they stay until the promise is resolved. The
   * wrapper then has the channels `ended` and `go`, and is not killed with the command.
   */
  whenEnded?: (holder: number) => Promise<void>
}
