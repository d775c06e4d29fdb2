/** What an edit did to one file: a line, and the hunks where the caller can't know them. */
import type { EditedText } from '../../../../ops/edit-text.js'
import type { CompactHunks } from '../../../../text/diff/compact-diff.js'
import { finalLines } from '../../../../text/edit/final-lines.js'
import type { Workspace } from '../../../../workspace/workspace.js'
import { editNotes } from '../../encodings.js'
import { sentBytes } from '../../paging/token-budget.js'
import { plural } from '../../print.js'
import { displayPath } from '../../wording.js'
import type { EditArgs, OneEdit } from './edit-arguments.js'
import { countsOf, type DiffDetail, fittingText, hunksOf, isExact, linesPhrase, mostLines } from './edit-print.js'

export interface EditSummary {
  payload: string
  name: string
  /** About the encoding. */
  notes: readonly string[]
  places: number
  added: number
  removed: number
}

export function summaryOf(
  done: EditedText,
  edits: readonly OneEdit[],
  { dryRun, diff, room }: { dryRun: boolean; diff: EditArgs['diff']; room: number },
  workspace: Workspace,
): EditSummary {
  const places = done.edits.reduce((sum, edit) => sum + edit.places.length, 0)
  const name = displayPath(done.path, workspace)
  const notes = editNotes(done)
  const isShown = diff === 'full' || dryRun || notes.length > 0 || !isForeseeable(edits, done)
  const detail = detailOf(edits, diff)
  const {
    text: hunks = '',
    added,
    removed,
  }: Partial<CompactHunks> = isShown ? hunksOf(done, detail) : countsOf(done, detail)
  const where = linesPhrase(finalLines(done.edits, done.after, mostLines + 1))
  const line = `${dryRun ? 'would edit' : 'edited'} ${name}: ${plural(places, 'place')} (+${added} -${removed}), ${where}`
  const body = isShown ? fittingText(hunks, room - sentBytes(name)) : ''
  return { payload: body === '' ? line : `${line}\n${body}`, name, notes, places, added, removed }
}

/** The caller knows the result: the only place of a literal text, found as sent. What stood at the lines of a number, it may not know. */
function isForeseeable(edits: readonly OneEdit[], { edits: applied }: EditedText): boolean {
  const isNamed = ({ old_string, regex, replace_all }: OneEdit) => old_string !== undefined && !regex && !replace_all
  return edits.every(isNamed) && applied.every(({ rule }) => isExact(rule))
}

function detailOf(edits: readonly OneEdit[], diff: EditArgs['diff']): DiffDetail {
  if (diff === 'full') return 'full'
  const isWide = ({ old_string, regex, replace_all }: OneEdit) => old_string === undefined || regex || replace_all
  return edits.every(isWide) ? 'pattern' : 'usual'
}
