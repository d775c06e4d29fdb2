/** The texts of a dialect for errors. */
import { type ErrorFacts, type FsError, type RuledKind, relocate } from '../errors.js'
import { printable } from '../text/printable.js'
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

const doingWords: Record<RuledKind, string> = { read: 'reading', change: 'changing' }

/** What a rule of the user forbids, after the path, or the name of the program. */
export function forbiddenWords({ doing, rule }: ErrorFacts['FORBIDDEN']): string {
  return `a rule of the user forbids ${doingWords[doing]} it (${printable(rule)})`
}

/** The same where the user has to be asked, or has said no. */
export function unapprovedWords({ doing, rule, refused }: ErrorFacts['NEEDS_APPROVAL']): string {
  const needs = `${doingWords[doing]} it needs the user's approval (${printable(rule)})`
  if (refused === undefined) return `${needs}, and nobody can be asked here`
  return refused.word === undefined ? `${needs}, and the user said no` : `${needs}, and the user says: ${refused.word}`
}
