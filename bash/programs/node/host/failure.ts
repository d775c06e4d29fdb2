/** Failures that a script sees. */
export interface FailureDetails {
  message?: string
  /** The class of the error, if it is not a plain `Error`. */
  type?: 'TypeError' | 'SyntaxError' | 'URIError'
  /** Where a module would be. */
  url?: string
}

/** Ends an operation with a code that the script sees. */
export class Failure extends Error {
  constructor(
    readonly code: string,
    readonly details: FailureDetails = {},
  ) {
    super(details.message ?? code)
  }
}
