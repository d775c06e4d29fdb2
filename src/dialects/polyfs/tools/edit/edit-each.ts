/** The part of edit_file for edits that name their own files. */
import { editEach } from '../../../../ops/many/edit-each.js'
import type { Workspace } from '../../../../workspace/workspace.js'
import type { ToolCall } from '../../define-tool.js'
import { plural } from '../../print.js'
import type { Reply } from '../../reply.js'
import { type EditArgs, invalid, matching, type OneEdit, toEdit, withGivenLine } from './edit-arguments.js'
import { fittingText, ruleNotes } from './edit-print.js'
import { summaryOf } from './edit-summary.js'

export async function editEachFile(
  edits: readonly OneEdit[],
  args: EditArgs,
  workspace: Workspace,
  call: ToolCall,
): Promise<Reply> {
  const { dry_run: dryRun, expected_count, expected_hash, diff } = args
  for (const other of ['paths', 'glob', 'exclude'] as const)
    if (args[other] !== undefined) throw invalid(other, 'each edit names its own path')
  if (expected_hash !== undefined) throw invalid('expected_hash', 'it goes with a single path')
  const placed = edits.map((edit) => {
    const path = edit.path ?? args.path
    if (path === undefined) throw invalid('path', 'an edit without a path of its own needs it')
    return { path, edit: toEdit(edit) }
  })
  const done = await workspace
    .run(
      editEach,
      {
        edits: placed,
        options: matching,
        dryRun,
        detectEncoding: true,
        ...(expected_count !== undefined && { expectedCount: expected_count }),
      },
      call,
    )
    .catch((error) => {
      throw withGivenLine(error, edits)
    })
  const room = call.room - 700
  const files = done.map((file) => {
    const own = file.numbers.map((number) => edits[number] as OneEdit)
    return summaryOf(file, own, { dryRun, diff, room: room / done.length }, workspace)
  })
  const sum = (key: 'places' | 'added' | 'removed') => files.reduce((total, file) => total + file[key], 0)
  const total = `${plural(files.length, 'file')} ${dryRun ? 'would be edited' : 'edited'}, ${plural(sum('places'), 'place')}`
  return {
    payload: fittingText(files.map(({ payload }) => payload).join('\n'), room),
    notes: [
      ...ruleNotes(done.flatMap((file) => file.edits.map(({ rule }) => rule))),
      ...new Set(files.flatMap(({ notes }) => notes)),
      `[${total}]`,
      dryRun && '[nothing was changed]',
    ],
    facts: { files: files.length, places: sum('places'), added: sum('added'), removed: sum('removed') },
  }
}
