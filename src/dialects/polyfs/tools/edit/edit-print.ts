/** What answers about edits have in common. */
import {
  type CompactHunks,
  type CompactOptions,
  compactCounts,
  compactHunks,
} from '../../../../text/diff/compact-diff.js'
import { changedSpans } from '../../../../text/edit/changed-spans.js'
import type { AppliedEdit } from '../../../../text/edit/edit-types.js'
import type { Span } from '../../../../text/spans.js'
import { fittingEnd } from '../../paging/token-budget.js'
import { plural } from '../../print.js'

/** How much a diff shows: where a pattern decides what changes, less of what is around; in full, long lines whole. */
export type DiffDetail = 'pattern' | 'usual' | 'full'

const details: Readonly<Record<DiffDetail, CompactOptions>> = {
  pattern: { context: 1 },
  usual: {},
  full: { longest: Infinity },
}

/** The hunks of an edit, for a file that the answer names. */
export function hunksOf(edit: PrintedEdit, detail: DiffDetail): CompactHunks {
  return compactHunks(edit.before, edit.after, { ...details[detail], changed: changedIn(edit) })
}

/** The numbers of lines, where the hunks are not printed. */
export function countsOf(edit: PrintedEdit, detail: DiffDetail): Pick<CompactHunks, 'added' | 'removed'> {
  return compactCounts(edit.before, edit.after, { ...details[detail], changed: changedIn(edit) })
}

function changedIn({ after, edits }: PrintedEdit): readonly Span[] | undefined {
  return edits !== undefined && edits.length <= mostEdits ? changedSpans(edits, after) : undefined
}

/** With more edits, to find out what they have changed takes longer than to compare the texts. */
const mostEdits = 1000

interface PrintedEdit {
  before: string
  after: string
  /** What was done, if it is known. */
  edits?: readonly AppliedEdit[]
}

type Rule = AppliedEdit['rule']

export function isExact(rule: Rule): boolean {
  return rule === undefined || rule === 'exact' || rule === 'line-endings' || rule === 'lines'
}

export function ruleNotes(rules: readonly Rule[]): string[] {
  const tolerant = new Set(rules.filter((rule) => rule !== 'regex' && !isExact(rule)))
  return [...tolerant].map((rule) => `[old_string was not found as sent, but by the rule "${rule}". Check the result]`)
}

export const mostLines = 10

/** `line 6`, `lines 6 and 30`. */
export function linesPhrase(lines: readonly number[]): string {
  if (lines.length < 2) return `line ${lines[0] ?? 1}`
  if (lines.length > mostLines) return `lines ${lines.slice(0, mostLines).join(', ')}, …`
  return `lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`
}

/** As many whole lines from the beginning as fit. */
export function fittingText(text: string, room: number): string {
  const end = fittingEnd(text, { start: 0, end: text.length, room })
  if (end === text.length) return text.replace(/\n$/, '')
  const lineEnd = text.lastIndexOf('\n', end)
  const rest = text.slice(Math.max(0, lineEnd + 1)).split('\n').length - 1
  return `${text.slice(0, Math.max(0, lineEnd))}\n… (${plural(rest, 'more line')})`
}
