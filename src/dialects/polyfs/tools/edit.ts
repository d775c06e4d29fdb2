import * as z from 'zod'
import { FsError, isFsError } from '../../../errors.js'
import { type EditedText, editText } from '../../../ops/edit-text.js'
import { singleHunkDiff, unifiedDiff } from '../../../text/diff/unified-diff.js'
import type { AppliedEdit, EditOptions } from '../../../text/edit/edit-types.js'
import { matchRules } from '../../../text/edit/match/rules.js'
import { splitLines } from '../../../text/lines/lines.js'
import { define, paging } from '../define-tool.js'
import { shortHash } from '../failure.js'
import { fittingEnd, sentBytes } from '../paging/token-budget.js'
import { plural } from '../print.js'
import { displayPath } from '../wording.js'
import { expectedHash, wholeHash } from './write.js'

const changing = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }

const line = z.int().exactOptional()

const editShape = {
  old_string: z.string().min(1).exactOptional(),
  new_string: z.string().exactOptional(),
  replace_all: z.boolean().exactOptional(),
  regex: z.boolean().exactOptional(),
  start_line: line,
  end_line: line,
  insert_line: line,
}

const oneEdit = z.strictObject(editShape)

type OneEdit = z.output<typeof oneEdit>

/** A unique match may differ in white space and look-alike characters; the replacement is indented like the file. */
const matching: EditOptions = { rules: matchRules, lineNumbers: 'original' }

export const editFile = define({
  name: 'edit_file',
  title: 'Edit file',
  description:
    'Change a text file: replace old_string (unique, or replace_all; regex: an ECMAScript pattern, $1 in new_string; start_line and end_line bound the search), or without it the lines start_line to end_line, or insert after insert_line (0: top, -1: end). Several edits: all or none, line numbers as before the call. Every other byte stays.',
  annotations: changing,
  group: 'edit',
  channel: 'payload',
  mutates: true,
  input: {
    path: z.string(),
    ...editShape,
    edits: z.array(oneEdit).exactOptional(),
    dry_run: z.boolean().default(false),
    expected_hash: expectedHash,
    max_tokens: paging.max_tokens,
  },
  facts: { path: z.string(), hash: z.string(), places: z.int(), added: z.int(), removed: z.int() },

  async run(args, workspace, call) {
    const { path, dry_run: dryRun, expected_hash } = args
    const edits = editsOf(args)
    const done = await workspace
      .run(
        editText,
        {
          path,
          edits: edits.map(toEdit),
          options: matching,
          dryRun,
          binaryWindow: 8000,
          ...(expected_hash !== undefined && { expectedHash: await wholeHash(path, expected_hash, workspace, call) }),
        },
        call,
      )
      .catch((error) => {
        throw withGivenLine(error, edits)
      })
    const places = done.edits.reduce((sum, edit) => sum + edit.places.length, 0)
    const name = displayPath(done.path, workspace)
    const diff = singleHunkDiff(name, done.before, done.after)
    const { added, removed } = changedLines(diff)
    const summary = `${dryRun ? 'would edit' : 'edited'} ${name}: ${plural(places, 'place')} (+${added} -${removed}), ${whereOf(done)}`
    // The diff is shown where the caller could not foresee the result.
    const isPlain =
      !dryRun && edits.every(({ regex, replace_all }) => !regex && !replace_all) && done.edits.every(isExact)
    const body = isPlain
      ? ''
      : fittingText(
          unifiedDiff({ path: name, before: done.before, after: done.after }),
          call.room - 700 - sentBytes(name),
        )
    return {
      payload: body === '' ? summary : `${summary}\n${body}`,
      notes: [
        ...new Set(done.edits.flatMap(ruleNote)),
        dryRun ? '[nothing was changed]' : `[hash ${shortHash(done.hash)}]`,
      ],
      facts: { path: name, hash: shortHash(done.hash), places, added, removed },
    }
  },
})

function editsOf({ edits = [], ...args }: OneEdit & { edits?: OneEdit[] }): OneEdit[] {
  const isOwn = args.old_string !== undefined || args.new_string !== undefined || args.start_line !== undefined
  const all = isOwn || args.insert_line !== undefined ? [args, ...edits] : edits
  if (all.length > 0) return all
  throw invalid('old_string', 'no edit: give old_string and new_string, lines, or edits')
}

/** Reports the line as the caller gave it: `insert_line` counts lines to insert after. */
function withGivenLine(error: unknown, edits: readonly OneEdit[]): unknown {
  if (!isFsError(error, 'LINE_OUT_OF_RANGE')) return error
  const { insert_line: line } = edits[error.facts.edit ?? 0] ?? {}
  return line === undefined ? error : new FsError('LINE_OUT_OF_RANGE', { ...error.facts, line })
}

function toEdit({ old_string, new_string = '', replace_all = false, regex = false, ...lines }: OneEdit) {
  const { start_line, end_line, insert_line } = lines
  const isTurned = start_line !== undefined && end_line !== undefined && start_line > end_line
  if (isTurned && start_line < 0 === end_line < 0) throw invalid('end_line', 'it comes before start_line')
  if (old_string === undefined) {
    if (insert_line !== undefined) {
      const before = insert_line === -1 ? ('end' as const) : insert_line < 0 ? insert_line + 1 : insert_line + 1
      return { kind: 'insert' as const, before, lines: new_string === '' ? [''] : splitLines(new_string) }
    }
    if (start_line === undefined)
      throw invalid('old_string', 'say what to replace: old_string, start_line, or insert_line')
    return { kind: 'lines' as const, first: start_line, last: end_line ?? start_line, lines: splitLines(new_string) }
  }
  if (insert_line !== undefined)
    throw invalid('insert_line', 'old_string replaces, insert_line inserts: give one of them')
  const within =
    start_line === undefined && end_line === undefined
      ? {}
      : { within: { first: start_line ?? 1, last: end_line ?? 1e9 } }
  const count = replace_all ? ('all' as const) : ('only' as const)
  return regex
    ? { kind: 'regex' as const, pattern: old_string, replace: new_string, count, ...within }
    : { kind: 'literal' as const, find: old_string, replace: new_string, count, ...within }
}

function invalid(at: string, message: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: [at], kind: 'other', message }] })
}

function isExact({ rule }: AppliedEdit): boolean {
  return rule === undefined || rule === 'exact' || rule === 'line-endings' || rule === 'lines'
}

function ruleNote({ rule, ...edit }: AppliedEdit): string[] {
  if (rule === 'regex' || isExact({ rule, ...edit } as AppliedEdit)) return []
  return [`[old_string was not there as sent; found by the rule "${rule}". Check the result]`]
}

function whereOf({ edits }: EditedText): string {
  const lines = edits.flatMap(({ places }) => places.map(({ after }) => after.line))
  return `line ${lines.slice(0, 10).join(', ')}${lines.length > 10 ? ', …' : ''}`
}

function changedLines(diff: string): { added: number; removed: number } {
  const rows = diff.split('\n').slice(2)
  return {
    added: rows.filter((row) => row.startsWith('+')).length,
    removed: rows.filter((row) => row.startsWith('-')).length,
  }
}

/** As many whole lines from the beginning as fit. */
export function fittingText(text: string, room: number): string {
  const end = fittingEnd(text, { start: 0, end: text.length, room })
  if (end === text.length) return text.replace(/\n$/, '')
  const lineEnd = text.lastIndexOf('\n', end)
  const rest = text.slice(Math.max(0, lineEnd + 1)).split('\n').length - 1
  return `${text.slice(0, Math.max(0, lineEnd))}\n… (${plural(rest, 'more line')})`
}
