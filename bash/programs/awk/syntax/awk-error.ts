/** Failures of awk programs. */
import { ProgramError } from '../../program-error.js'

/** Ends the program with status 2, as gawk's fatal errors do. The runtime adds where it happened. */
export class AwkFatal extends Error {
  constructor(
    message: string,
    /** Where it happened; `nowhere` when that is not in the program. */
    readonly line?: number | 'nowhere',
  ) {
    super(message)
  }
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
