import * as z from 'zod'
import { editText } from '../../../../ops/edit-text.js'
import type { Workspace } from '../../../../workspace/workspace.js'
import { define, type ToolCall } from '../../define-tool.js'
import { shortHash } from '../../failure.js'
import type { Reply } from '../../reply.js'
import { wholeHash } from '../write.js'
import {
  type EditArgs,
  editsOf,
  input,
  invalid,
  matching,
  type OneEdit,
  pathsOf,
  toEdit,
  withGivenLine,
} from './edit-arguments.js'
import { ruleNotes } from './edit-print.js'
import { summaryOf } from './edit-summary.js'

const changing = { destructiveHint: true, openWorldHint: false }

export const editFile = define({
  name: 'edit_file',
  title: 'Edit files',
  description:
    'Change text files (path, paths, a glob below path: those with its text; or edits[].path): replace old_string (unique per file, or replace_all; regex: ECMAScript, $1; start_line and end_line bound the search), or without it lines start_line to end_line, or insert after insert_line (0: top, -1: end). All or none; line numbers as before the call. Every other byte stays.',
  annotations: changing,
  group: 'edit',
  channel: 'payload',
  mutates: true,
  input,
  facts: {
    path: z.string(),
    hash: z.string(),
    files: z.int(),
    places: z.int(),
    added: z.int(),
    removed: z.int(),
  },

  async run(args, workspace, call) {
    const edits = editsOf(args)
    if (edits.some(({ path }) => path !== undefined)) {
      const { editEachFile } = await import('./edit-each.js')
      return editEachFile(edits, args, workspace, call)
    }
    const paths = pathsOf(args)
    const [path] = paths
    if (args.glob === undefined && paths.length === 1) return editOne(path as string, edits, args, workspace, call)
    if (args.expected_hash !== undefined) throw invalid('expected_hash', 'it goes with a single path')
    // Loaded late: most calls edit one file.
    const { editSeveral } = await import('./edit-several.js')
    return editSeveral(paths, edits.map(toEdit), args, workspace, call).catch((error) => {
      throw withGivenLine(error, edits)
    })
  },
})

async function editOne(
  path: string,
  edits: readonly OneEdit[],
  { dry_run: dryRun, expected_hash, expected_count, diff }: EditArgs,
  workspace: Workspace,
  call: ToolCall,
): Promise<Reply> {
  const done = await workspace
    .run(
      editText,
      {
        path,
        edits: edits.map(toEdit),
        options: matching,
        dryRun,
        detectEncoding: true,
        ...(expected_count !== undefined && { expectedCount: expected_count }),
        ...(expected_hash !== undefined && { expectedHash: await wholeHash(path, expected_hash, workspace, call) }),
      },
      call,
    )
    .catch((error) => {
      throw withGivenLine(error, edits)
    })
  const { payload, name, notes, ...counts } = summaryOf(done, edits, { dryRun, diff, room: call.room - 700 }, workspace)
  return {
    payload,
    notes: [
      ...ruleNotes(done.edits.map(({ rule }) => rule)),
      ...notes,
      dryRun ? '[nothing was changed]' : `[hash ${shortHash(done.hash)}]`,
    ],
    facts: { path: name, hash: shortHash(done.hash), ...counts },
  }
}
