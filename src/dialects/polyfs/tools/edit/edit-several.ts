/** The part of edit_file that edits several files: named ones, or those that a glob selects. */
import { type EditedFile, type EditedFiles, editFiles } from '../../../../ops/many/edit-files.js'
import { searchText } from '../../../../ops/search-text.js'
import { editPrefilter } from '../../../../ops/shared/edit-prefilter.js'
import { compactHeader } from '../../../../text/diff/compact-diff.js'
import type { CallContext, Workspace } from '../../../../workspace/workspace.js'
import type { ToolCall } from '../../define-tool.js'
import { editNote } from '../../encodings.js'
import { rowsFrom } from '../../paging/page-of-rows.js'
import { sentBytes } from '../../paging/token-budget.js'
import { plural, size } from '../../print.js'
import { notesBytes, type Reply } from '../../reply.js'
import { displayPath } from '../../wording.js'
import { globsOf } from '../globs.js'
import { hiddenFiles, neverSearched } from '../list-and-glob.js'
import { binaryWindow, type EditArgs, matching, type ToEdit } from './edit-arguments.js'
import { fittingText, hunksOf, linesPhrase, ruleNotes } from './edit-print.js'

/** Skipped and ignored files that a note names. */
const mostNamed = 3

export async function editSeveral(
  paths: string[],
  edits: ToEdit[],
  args: EditArgs,
  workspace: Workspace,
  call: ToolCall,
): Promise<Reply> {
  const { dry_run: dryRun, expected_count, diff } = args
  const select = selectionOf(args, workspace)
  const done = await workspace.run(
    editFiles,
    {
      paths,
      ...(select && { select: { ...select, ignore: {} } }),
      edits,
      options: matching,
      dryRun,
      detectEncoding: true,
      nameSkipped: mostNamed,
      texts: diff === 'full',
      ...(expected_count !== undefined && { expectedCount: expected_count }),
    },
    call,
  )
  const left = select && done.ignored > 0 ? await ignoredMatches(select, edits, workspace, call) : []
  const places = done.files.reduce((sum, file) => sum + file.places, 0)
  const total = `${plural(done.files.length, 'file')} ${dryRun ? 'would be edited' : 'edited'}, ${plural(places, 'place')}`
  const notes = [
    ...ruleNotes(done.files.flatMap((file) => file.rules)),
    `[${total}${done.unmatched > 0 ? `; ${plural(done.unmatched, 'file')} without a match` : ''}]`,
    skippedNote(done, workspace),
    left.length > 0 && `[left out, as ignored: ${named(left, left.length, workspace)}]`,
    dryRun && '[nothing was changed]',
  ]
  const room = call.room - notesBytes(notes)
  const rows = done.files.map((file) => rowOf(file, workspace))
  return {
    payload: diff === 'full' ? withDiffs(rows, done.files, room, workspace) : fittingRows(rows, room),
    notes,
    facts: { files: done.files.length, places },
  }
}

function selectionOf({ path = '.', glob, exclude }: EditArgs, workspace: Workspace) {
  return glob === undefined ? undefined : { path, ...globsOf(glob, exclude, neverSearched(workspace)) }
}

function rowOf({ path, places, lines, ...file }: EditedFile, workspace: Workspace): string {
  return `${displayPath(path, workspace)}: ${plural(places, 'place')}, ${linesPhrase(lines)}${editNote(file)}`
}

function fittingRows(rows: readonly string[], room: number): string {
  const page = rowsFrom(rows, { start: 0, room })
  const rest = rows.length - page.end
  return [...page.rows, ...(rest > 0 ? [`… (${plural(rest, 'more file')})`] : [])].join('\n')
}

/** Diffs are made as far as there is room for them. */
function withDiffs(rows: readonly string[], files: readonly EditedFile[], room: number, workspace: Workspace): string {
  const texts = [...rows]
  let left = room - rows.reduce((sum, row) => sum + sentBytes(row) + 2, 0)
  let shown = 0
  for (const { path, before = '', after = '' } of files) {
    if (left <= 0) break
    const header = compactHeader({ kind: 'changed', path: displayPath(path, workspace) })
    const diff = `${header}\n${hunksOf({ before, after }, 'full').text}`.replace(/\n$/, '')
    texts.push(diff)
    left -= sentBytes(diff) + 2
    shown += 1
  }
  const missing = files.length - shown
  const rest = missing > 0 ? `\n… (${plural(missing, 'more diff')})` : ''
  return fittingText(texts.join('\n'), room - moreBytes) + rest
}

/** Bytes that the remarks on what is missing take. */
const moreBytes = 80

function skippedNote({ skipped, skippedFiles }: EditedFiles, workspace: Workspace): string | false {
  const { binary, tooLarge, unreadable } = skipped
  const parts = [
    binary > 0 && `${binary} binary`,
    tooLarge > 0 && `${tooLarge} over ${size(workspace.limits.maxFileBytes)}`,
    unreadable > 0 && `${unreadable} unreadable`,
  ].filter(Boolean)
  if (parts.length === 0) return false
  const paths = skippedFiles.map(({ path }) => path)
  const names = paths.length === 0 ? '' : ` (${named(paths, binary + tooLarge + unreadable, workspace)})`
  return `[not edited: ${parts.join(', ')}${names}]`
}

function named(paths: readonly string[], total: number, workspace: Workspace): string {
  const names = paths.slice(0, mostNamed).map((path) => displayPath(path, workspace))
  return total > names.length ? `${names.join(', ')} and ${total - names.length} more` : names.join(', ')
}

/** Bounds of the search in ignored files. */
const hiddenSearch = { maxFiles: 2000, timeoutMs: 1500 }

/** Ignored files in which the edits would find something, as far as they can be found in short time. */
async function ignoredMatches(
  { path, ...globs }: { path: string; include: string[]; exclude: string[] },
  edits: readonly ToEdit[],
  workspace: Workspace,
  context: CallContext,
): Promise<string[]> {
  const { files } = await hiddenFiles([path], globs, workspace, context)
  const matcher = editPrefilter(edits)
  if (files.length === 0 || matcher === undefined) return files
  const nul = { first: binaryWindow, last: binaryWindow }
  const request = {
    matcher,
    mode: 'files' as const,
    text: { nul, detectEncoding: true },
    maxFileBytes: workspace.limits.maxFileBytes,
  }
  const found = await workspace.run(searchText, { files, request: { ...request, ...hiddenSearch } }, context)
  return found.files.map(({ path }) => path)
}
