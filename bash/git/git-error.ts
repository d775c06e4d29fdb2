import type { Request } from '../io/host-programs.js'

/** Ends a git command: `message` is printed to stderr as it is, with `fatal: ` or `error: ` in front where git has it. */
export class GitError extends Error {
  constructor(
    message: string,
    readonly exitCode = 128,
  ) {
    super(message)
  }
}

/** `before` is printed in front of the line. */
export function fatal(message: string, exitCode = 128, before = ''): GitError {
  return new GitError(`${before}fatal: ${message}`, exitCode)
}

export function failure(message: string, exitCode = 1): GitError {
  return new GitError(`error: ${message}`, exitCode)
}

/** Ends a command that needs something run by the shell, and is called again afterwards. */
export class NeedsShell extends Error {
  constructor(readonly request: Request) {
    super('something has to be run first')
  }
}

/** Ends a command that has printed what it had to say. */
export class Finished extends Error {
  constructor(readonly exitCode: number) {
    super(`exit ${exitCode}`)
  }
}
