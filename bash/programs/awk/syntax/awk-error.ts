/** Failures of awk programs. */
import { ProgramError } from '../../program-error.js'

/** A line of the program, as messages name it: `cmd. line:1`. */
export class SourceLine {
  constructor(
    readonly source: string,
    readonly line: number,
  ) {}

  toString(): string {
    return `${this.source}:${this.line}`
  }
}

/** Ends the program with status 2, as gawk's fatal errors do. The runtime adds where it happened. */
export class AwkFatal extends Error {
  constructor(
    message: string,
    /** Where it happened; `nowhere` when that is not in the program. */
    public line?: SourceLine | 'nowhere',
  ) {
    super(message)
  }
}

/** Says of a failure that knows no place in the program that it happened here. */
export function located(error: unknown, line: SourceLine | undefined): unknown {
  if (error instanceof AwkFatal && error.line === undefined && line !== undefined) error.line = line
  return error
}

/** A piece of program text: the operand, an `-e` text or a file of `-f`. */
export interface SourceText {
  /** As messages call it, such as `cmd. line`. */
  name: string
  text: string
}

/** Shows the line and points at the place where it went wrong. Status 1, as gawk gives. */
export function syntaxError(source: SourceText, at: number, message: string): ProgramError {
  const before = source.text.slice(0, at)
  const line = before.split('\n').length
  const start = before.lastIndexOf('\n') + 1
  const end = source.text.indexOf('\n', start)
  const text = source.text.slice(start, end === -1 ? undefined : end)
  const where = `${source.name}:${line}:`
  return new ProgramError(`${where} ${text}\n${where} ${' '.repeat(at - start)}^ ${message}`, 1)
}
