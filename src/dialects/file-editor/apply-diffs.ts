import * as z from 'zod'
import { type FsError, isFsError } from '../../errors.js'
import { editText } from '../../ops/edit-text.js'
import type { EditFailure } from '../../text/edit/edit-types.js'
import { printable } from '../../text/printable.js'
import type { ToolResult } from '../../tools/dialect.js'
import { compose, text } from '../../tools/make-tool.js'
import { counting, linesOf, numbered } from './lines.js'
import { onePath } from './one-or-many.js'
import { refuse } from './wording.js'

const line = z.int().meta({ minimum: 1 })
const contents = z.union([z.string(), z.array(z.string())])

export const applyDiffs = compose({
  name: 'apply_diffs',
  title: 'Apply diffs',
  description:
    'Replace blocks of whole lines of a file, each where it is said to start. All line numbers are those of the file as it is now.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  mutates: true,
  input: z.object({
    path: onePath.describe('File to change.'),
    search_content: contents.describe('The lines that are there now, for one diff or for each.'),
    replace_content: contents.describe('The lines to put in their place.'),
    start_line: z.union([line, z.array(line)]).describe('Where the lines start, from 1.'),
    atomic: z.boolean().default(true).describe('All of the diffs or none; otherwise those that fit.'),
    trim: z.boolean().default(false).describe('Compare without the white space at both ends of a line.'),
  }),

  async run({ path, atomic, trim, ...given }, workspace, context) {
    const diffs = diffsOf(given)
    const inOrder = [...diffs].sort((one, other) => one.start - other.start)
    const compare = trim ? ('trimmed' as const) : ('exact' as const)
    const edits = inOrder.map(({ start, search, replace }) => ({
      kind: 'lines' as const,
      first: start,
      last: start + search.length - 1,
      lines: replace,
      expected: { lines: search, compare },
    }))
    const failures = atomic || diffs.length === 1 ? ('refuse' as const) : ('skip' as const)
    const options = { counting, lineNumbers: 'original' as const, failures }
    try {
      const edited = await workspace.run(editText, { path, edits, options }, context)
      const outcomes = outcomesOf(inOrder, (index) => edited.edits[index]?.failure)
      return printApplied(outcomes, { path: printable(path), atomic, lineCount: linesOf(edited.after).length })
    } catch (error) {
      if (!isFsError(error, 'NO_MATCH', 'LINE_OUT_OF_RANGE', 'INVALID_EDIT')) throw error
      const { edit: failed = 0 } = error.facts
      const [refused] = outcomesOf(inOrder, (index) => (index === failed ? asFailure(error) : undefined)).slice(failed)
      return printRefused(refused as Outcome, diffs)
    }
  },
})

interface Diff {
  /** Position in the request, from 1. */
  number: number
  search: string[]
  replace: string[]
  start: number
}

interface Given {
  search_content: string | string[]
  replace_content: string | string[]
  start_line: number | number[]
}

function diffsOf({ search_content, replace_content, start_line }: Given): Diff[] {
  const [searches, replaces, starts] = [asList(search_content), asList(replace_content), asList(start_line)]
  if (searches.length !== replaces.length || searches.length !== starts.length) {
    throw refuse('Array lengths for search_content, replace_content, and start_line must match')
  }
  if (searches.length === 0) throw refuse('No diffs provided')
  for (const [index, start] of starts.entries()) {
    if (start < 1) throw refuse(`Invalid start_line: ${start} at index ${index}. Line numbers start from 1.`)
  }
  return searches.map((search, index) => ({
    number: index + 1,
    search: linesOf(search),
    replace: linesOf(replaces[index] as string),
    start: starts[index] as number,
  }))
}

function asList<Value>(given: Value | Value[]): Value[] {
  return Array.isArray(given) ? given : [given]
}

/** The outcome of a diff; `shift` is the number of lines that earlier diffs have added. */
interface Outcome {
  diff: Diff
  shift: number
  failure: EditFailure | undefined
}

function outcomesOf(inOrder: readonly Diff[], failureOf: (index: number) => EditFailure | undefined): Outcome[] {
  let shift = 0
  return inOrder.map((diff, index) => {
    const outcome = { diff, shift, failure: failureOf(index) }
    if (outcome.failure === undefined) shift += added(diff)
    return outcome
  })
}

/** Errors of these codes carry the facts of such a failure. */
function asFailure({ code, facts }: FsError<EditFailure['code']>): EditFailure {
  return { code, ...facts } as EditFailure
}

interface Applied {
  path: string
  atomic: boolean
  lineCount: number
}

function printApplied(outcomes: readonly Outcome[], { path, atomic, lineCount }: Applied): string {
  const now = `File now has ${lineCount} lines.`
  const [first, ...others] = outcomes as [Outcome, ...Outcome[]]
  if (others.length === 0) return `Successfully applied diff to ${path}: replaced ${replaced(first.diff)}. ${now}`
  const failed = outcomes.filter(({ failure }) => failure !== undefined).length
  const counts = `${outcomes.length - failed}/${outcomes.length} diffs applied successfully to ${path}`
  const summary = `Batch diff operation (${atomic ? 'atomic' : 'non-atomic'}) completed: ${counts}`
  const details = outcomes.map(
    (outcome): Detail => ({
      diff: outcome.diff,
      ...(outcome.failure === undefined
        ? { status: 'success', message: `Replaced ${replaced(outcome.diff)}` }
        : { status: 'fail', message: explain(outcome, outcome.failure) }),
    }),
  )
  return `${summary}${failed > 0 ? ` (${failed} failed)` : ''}. ${now}\n\n${printDetails(details)}`
}

/** The first diff that does not match ends the call. */
function printRefused(refused: Outcome, diffs: readonly Diff[]): ToolResult {
  const message = explain(refused, refused.failure as EditFailure)
  if (diffs.length === 1) return { ...text(`Error: Single diff failed:\n\n${message}`), isError: true }
  const details = diffs.map(
    (diff): Detail =>
      diff === refused.diff ? { diff, status: 'fail', message } : { diff, status: 'aborted', message: aborted },
  )
  const summary = `Atomic operation failed: 1/${diffs.length} diffs would fail. No changes applied.`
  return { ...text(`Error: ${summary}\n\n${printDetails(details)}`), isError: true }
}

const aborted = 'Operation aborted due to validation failures in atomic mode'

interface Detail {
  diff: Diff
  status: 'success' | 'fail' | 'aborted'
  message: string
}

function printDetails(details: readonly Detail[]): string {
  const rows = [...details]
    .sort((one, other) => one.diff.number - other.diff.number)
    .map(({ diff, status, message }) => {
      return `\n\nDiff ${diff.number}:\n  Status: ${status}\n  Start Line: ${diff.start}\n  Message: ${message}`
    })
  return `Detailed results:${rows.join('')}`
}

function replaced(diff: Diff): string {
  const more = added(diff)
  const change = more === 0 ? '' : ` (${more > 0 ? 'added' : 'removed'} ${Math.abs(more)} line(s))`
  return `${diff.search.length} line(s) at line ${diff.start}${change}`
}

function added({ search, replace }: Diff): number {
  return replace.length - search.length
}

function explain({ diff, shift }: Outcome, failure: EditFailure): string {
  const { number, start, search } = diff
  const actual = start + shift
  if (failure.code === 'LINE_OUT_OF_RANGE') {
    const { lineCount } = failure
    return actual > lineCount
      ? `start_line (${start} -> ${actual}) exceeds file length (${lineCount} lines)`
      : `Search content extends beyond file length. Start line: ${start} (actual: ${actual}), search lines: ${search.length}, file lines: ${lineCount}`
  }
  if (failure.code === 'INVALID_EDIT' && failure.reason === 'malformed-text') return 'Content is not well-formed text'
  return [
    `Content mismatch at line ${start} (actual: ${actual}).`,
    `Expected content:\n${numbered(search, actual)}`,
    `Actual content:\n${found(failure, actual)}`,
    `This is diff #${number} in the batch.`,
  ].join('\n\n')
}

function found(failure: EditFailure, actual: number): string {
  const nearest = failure.code === 'NO_MATCH' ? failure.explanation.nearest : undefined
  return nearest ? numbered(linesOf(nearest.text), actual) : '(lines that another diff has replaced)'
}
