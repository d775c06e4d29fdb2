/** Ends a program with a message and a status. */
export class ProgramError extends Error {
  constructor(
    message: string,
    readonly status = 1,
  ) {
    super(message)
  }
}

/** A wrong option. Most programs say in a second line how to get help. */
export class UsageError extends ProgramError {}
