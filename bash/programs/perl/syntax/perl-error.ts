/** What ends a program of Perl before or while it runs. */

/** Something that this perl does not have. Nothing may be run or changed before it is found, if that is possible. */
export class Unsupported extends Error {
  constructor(what: string) {
    super(`${what} is not supported here`)
  }
}

/** What perl itself refuses to compile. */
export class PerlSyntaxError extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message)
  }
}
