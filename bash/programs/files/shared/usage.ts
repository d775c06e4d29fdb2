/** Errors in the arguments, which end with a pointer to `--help`. */
import type { ProgramIo } from '../../../io/program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'

export function usageError(io: ProgramIo, message: string, status = 1): ProgramError {
  return new ProgramError(`${message}\nTry '${io.name} --help' for more information.`, status)
}

/** Throws unless there is at least one operand. */
export function requireOperand(io: ProgramIo, operands: readonly string[], message = 'missing operand'): void {
  if (operands.length === 0) throw usageError(io, message)
}

export function extraOperand(io: ProgramIo, operand: string): ProgramError {
  return usageError(io, `extra operand ${quoted(operand)}`)
}

/** Throws unless a source and a destination are given. */
export function requireSourceAndDestination(io: ProgramIo, operands: readonly string[]): void {
  const [first] = operands
  if (first === undefined) throw usageError(io, 'missing file operand')
  if (operands.length === 1) throw usageError(io, `missing destination file operand after ${quotedName(first)}`)
}
