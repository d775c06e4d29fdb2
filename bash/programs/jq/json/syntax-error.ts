/** The text is not JSON; `at` is where that was seen. */
export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message)
  }
}

/** The text ends within a value. */
export class Incomplete extends Error {}
export const incomplete = new Incomplete()
