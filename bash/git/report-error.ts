/** What git says of an error, and how it ends. */
import { type ErrorFacts, isFsError } from '../../src/errors.js'
import { describeRefusal } from '../../src/git/print/print-refusal.js'
import { ProgramError } from '../programs/program-error.js'
import type { Text } from './context.js'
import { Finished, GitError } from './git-error.js'

/** Prints it, and returns the exit code. What is no error of a command is thrown on. */
export function reportError(err: Text, error: unknown): number {
  if (error instanceof Finished) return error.exitCode
  if (error instanceof GitError) {
    if (error.message !== '') err.write(`${error.message}\n`)
    return error.exitCode
  }
  if (error instanceof ProgramError) {
    err.write(`error: ${error.message}\n`)
    return error.status
  }
  if (!isFsError(error)) throw error
  err.write(`${describe(error.code, error.facts)}\n`)
  return isRefusal(error.code, error.facts) ? 1 : 128
}

/** Refusals to lose changes end with 1 in git, all else with 128. */
function isRefusal(code: keyof ErrorFacts, facts: ErrorFacts[keyof ErrorFacts]): boolean {
  if (code !== 'GIT_REFUSED') return false
  const { reason } = facts as ErrorFacts['GIT_REFUSED']
  return ['would-overwrite', 'in-the-way', 'unmerged', 'ignored'].includes(reason)
}

function describe(code: keyof ErrorFacts, facts: ErrorFacts[keyof ErrorFacts]): string {
  if (code === 'NOT_A_REPOSITORY') return 'fatal: not a git repository (or any of the parent directories): .git'
  if (code === 'GIT_REFUSED') {
    const refusal = facts as ErrorFacts['GIT_REFUSED']
    if (refusal.reason === 'would-overwrite') {
      const list = (refusal.paths ?? []).map((path) => `\t${path}\n`).join('')
      return `error: Your local changes to the following files would be overwritten by checkout:\n${list}Please commit your changes or stash them before you switch branches.\nAborting`
    }
    if (refusal.reason === 'checked-out-elsewhere')
      return `fatal: '${refusal.subject}' is already checked out at '${refusal.paths?.[0]}'`
    return `fatal: ${describeRefusal(refusal)}`
  }
  const words = code.toLowerCase().replaceAll('_', ' ')
  return 'path' in facts ? `fatal: ${facts.path}: ${words}` : `fatal: ${words}`
}
