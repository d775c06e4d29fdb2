import * as z from 'zod'
import { type EditedText, editText } from '../../../../ops/edit-text.js'
import type { CompactHunks } from '../../../../text/diff/compact-diff.js'
import { finalLines } from '../../../../text/edit/final-lines.js'
import type { Workspace } from '../../../../workspace/workspace.js'
import { define, type ToolCall } from '../../define-tool.js'
import { editNotes } from '../../encodings.js'
import { shortHash } from '../../failure.js'
import { sentBytes } from '../../paging/token-budget.js'
import { plural } from '../../print.js'
import type { Reply } from '../../reply.js'
import { displayPath } from '../../wording.js'
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
import {
  countsOf,
  type DiffDetail,
  fittingText,
  hunksOf,
  isExact,
  linesPhrase,
  mostLines,
  ruleNotes,
} from './edit-print.js'

const changing = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }

export const editFile = define({
  name: 'edit_file',
  title: 'Edit files',
  description:
    'Change text files (path, paths, or a glob below path): replace old_string (unique per file, or replace_all; regex: ECMAScript, $1 in new_string; start_line and end_line bound the search), or without it the lines start_line to end_line, or insert after insert_line (0: top, -1: end). All or none; line numbers as before the call. Every other byte stays.',
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
  const places = done.edits.reduce((sum, edit) => sum + edit.places.length, 0)
  const name = displayPath(done.path, workspace)
  const encodingNotes = editNotes(done)
  const isShown = diff === 'full' || dryRun || encodingNotes.length > 0 || !isForeseeable(edits, done)
  const detail = detailOf(edits, diff)
  const {
    text: hunks = '',
    added,
    removed,
  }: Partial<CompactHunks> = isShown ? hunksOf(done, detail) : countsOf(done, detail)
  const where = linesPhrase(finalLines(done.edits, done.after, mostLines + 1))
  const summary = `${dryRun ? 'would edit' : 'edited'} ${name}: ${plural(places, 'place')} (+${added} -${removed}), ${where}`
  const body = isShown ? fittingText(hunks, call.room - 700 - sentBytes(name)) : ''
  return {
    payload: body === '' ? summary : `${summary}\n${body}`,
    notes: [
      ...ruleNotes(done.edits.map(({ rule }) => rule)),
      ...encodingNotes,
      dryRun ? '[nothing was changed]' : `[hash ${shortHash(done.hash)}]`,
    ],
    facts: { path: name, hash: shortHash(done.hash), places, added, removed },
  }
}

/** The caller knows the result: the only place of a literal text, found as sent. */
function isForeseeable(edits: readonly OneEdit[], { edits: applied }: EditedText): boolean {
  return edits.every(({ regex, replace_all }) => !regex && !replace_all) && applied.every(({ rule }) => isExact(rule))
}

function detailOf(edits: readonly OneEdit[], diff: EditArgs['diff']): DiffDetail {
  if (diff === 'full') return 'full'
  return edits.every(({ regex, replace_all }) => regex || replace_all) ? 'pattern' : 'usual'
}
