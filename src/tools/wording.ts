/** The texts of a dialect for errors. */
import { type FsError, relocate } from '../errors.js'
import type { Workspace } from '../workspace/workspace.js'

/** A message for each error code: a new code does not compile until every dialect has one. */
export type Wording<Word> = { [Code in FsError['code']]: (facts: FsError<Code>['facts'], workspace: Workspace) => Word }

/** The message for one error. */
export function word<Word>(wording: Wording<Word>, error: FsError, workspace: Workspace): Word {
  // The table and the error both pair the code with its facts.
  const choose = wording[error.code] as (facts: FsError['facts'], workspace: Workspace) => Word
  return choose(error.facts, workspace)
}

/** As `word`, for wordings that print paths as they are: absolute ones become what the host writes. */
export function wordShown<Word>(wording: Wording<Word>, error: FsError, workspace: Workspace): Word {
  return word(wording, relocate(error, workspace.fs.show) as FsError, workspace)
}
