import type { ChangeRecord } from '../../src/change/journal/record.js'
import { isFsError } from '../../src/errors.js'
import { describeError } from '../io/describe-error.js'
import type { CommittedCommand } from './commit-changes.js'

/** A command that has ended, and a way to add messages to its errors. */
export interface EndedCommand {
  exitCode?: number | undefined
  /** Ended from outside. */
  isKilled: boolean
  note(text: string): void
}

/**
 * Commits what the command had changed when it ended, whatever ended it. A change that can't be committed makes it fail, with a message
 * on stderr.
 */
export async function commitOrFail(
  commit: () => Promise<CommittedCommand>,
  { exitCode, isKilled, note }: EndedCommand,
): Promise<{ exitCode: number | undefined; record?: ChangeRecord; isSaved: boolean }> {
  try {
    const { record, madeReadable } = await commit()
    for (const { path, asked, stored } of madeReadable) {
      note(
        `chmod: ${path}: stored with mode ${octal(stored)}, not ${octal(asked)}: its owner must be able to read it\n`,
      )
    }
    if (isKilled && record !== undefined) note('bash: what it had changed by then is saved\n')
    const code = madeReadable.length > 0 && exitCode === 0 ? 1 : exitCode
    return { exitCode: code, isSaved: true, ...(record && { record }) }
  } catch (error) {
    if (!isFsError(error)) throw error
    const path = 'path' in error.facts ? `${error.facts.path}: ` : ''
    const reason = error.code === 'CONFLICT' ? 'changed by someone else while the command ran' : describeError(error)
    note(`bash: ${path}${reason}; none of its changes were saved\n`)
    return { exitCode: exitCode === undefined ? undefined : exitCode || 1, isSaved: false }
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0')
}
