/** What a script's text can be wrong in. */

/** A syntax error, with bash's message. Printed as `bash: -c: line N: message`, and then the line itself if there is one. */
export class SyntaxFault extends Error {
  /** A token in a command substitution was wrong: the status of `bash -c` is another then. */
  inSubstitution = false
  /** It is in `[[ … ]]`: as in bash, it leaves the status of a whole shell as it is. */
  inCondition = false
  /** Nothing of the script follows it: then the shell does not end with success. */
  atEnd = false
  /** It is in the elements of an array: only the rest of the line is lost. */
  inArray = false
  /** The text ended too early: with more of it there may be not an error. */
  wantsMore = false

  constructor(
    message: string,
    readonly line: number,
    /** The line of the script that is shown below the message. */
    readonly context?: string,
  ) {
    super(message)
  }

  /** The lines that bash prints; `prefix` is such as `bash: -c`. */
  describe(prefix: string): string {
    if (this.message === '') return ''
    const first = `${prefix}: line ${this.line}: ${this.message}\n`
    return this.context === undefined ? first : `${first}${prefix}: line ${this.line}: \`${this.context}'\n`
  }
}
