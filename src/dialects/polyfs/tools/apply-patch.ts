import * as z from 'zod'
import { isFsError } from '../../../errors.js'
import type { PartlyPatched, PatchedFile, RejectedBlock } from '../../../ops/apply-patch.js'
import type { Tolerated } from '../../../text/patch/apply-hunks.js'
import { word } from '../../../tools/wording.js'
import type { Workspace } from '../../../workspace/workspace.js'
import { define, paging } from '../define-tool.js'
import { editNote } from '../encodings.js'
import { wordMismatch } from '../patch-wording.js'
import { plural } from '../print.js'
import type { Reply } from '../reply.js'
import { displayPath, wording } from '../wording.js'

export const patch = define({
  name: 'apply_patch',
  title: 'Apply patch',
  description:
    'Change, create, delete and rename files by a patch, all of it or (partial) the files that fit: a unified diff, or the *** Begin Patch format.',
  annotations: { destructiveHint: true, openWorldHint: false },
  group: 'edit',
  channel: 'payload',
  mutates: true,
  reads: ({ dry_run }) => dry_run,
  input: { patch: z.string(), partial: z.boolean().default(false), dry_run: z.boolean().default(false), ...paging },
  facts: { files: z.int(), added: z.int(), removed: z.int(), rejected: z.int(), cursor: z.string() },

  async run({ patch, partial, dry_run: dryRun }, workspace, call) {
    // Loaded late: few sessions apply patches.
    const { applyPatch, applyPatchPartly } = await import('../../../ops/apply-patch.js')
    const input = { patch, dryRun, detectEncoding: true, compact: true, explain: true }
    if (!partial) return replyOf({ applied: await workspace.run(applyPatch, input, call) }, workspace, { dryRun })
    return replyOf(await workspace.run(applyPatchPartly, input, call), workspace, { dryRun })
  },
})

/** The files that were changed, those that were not and why, and the patch that is left. */
function replyOf(
  { applied, rejected = [], rest = '' }: Pick<PartlyPatched, 'applied'> & Partial<PartlyPatched>,
  workspace: Workspace,
  { dryRun }: { dryRun: boolean },
): Reply {
  const sum = (key: 'added' | 'removed') => applied.reduce((total, file) => total + file[key], 0)
  const rows = applied.map((file) => rowOf(file, workspace))
  rows.push(...rejected.flatMap((block) => rejection(block, workspace).split('\n')))
  // A patch of which nothing fits is what was sent.
  if (rest !== '' && applied.length > 0)
    rows.push('the rest of the patch, to correct and send again:', ...linesOf(rest))
  const changed = `${plural(applied.length, 'file')} changed (+${sum('added')} -${sum('removed')})`
  const left = rejected.length === 0 ? '' : `, ${rejected.length} not`
  return {
    rows: { all: rows, what: rejected.length === 0 ? 'files' : 'lines', empty: '(nothing)' },
    notes: [dryRun || applied.length === 0 ? '[nothing was changed]' : `[${changed}${left}]`],
    facts: {
      files: applied.length,
      added: sum('added'),
      removed: sum('removed'),
      ...(rejected.length > 0 && { rejected: rejected.length }),
    },
    ...(applied.length === 0 && { failed: true }),
  }
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}

function rejection({ path, toPath, error }: RejectedBlock, workspace: Workspace): string {
  const name = namesOf({ path, ...(toPath !== undefined && { toPath }) }, workspace)
  if (error === undefined) return `not applied: ${name}, because another block for the same file does not fit.`
  const message = isFsError(error, 'PATCH_MISMATCH')
    ? wordMismatch(error.facts, displayPath(error.facts.path, workspace))
    : word(wording, error, workspace)
  return `not applied: ${message.join(' ')}`
}

function rowOf({ kind, added, removed, ...file }: PatchedFile, workspace: Workspace): string {
  const letter = { create: 'A', modify: 'M', delete: 'D', rename: 'R' }[kind]
  return `${letter} ${namesOf(file, workspace)} (+${added} -${removed})${editNote(file)}${toleranceNote(file)}`
}

/** Says where the lines of the patch are not those of the file, so that nothing is lost in silence. */
function toleranceNote({ tolerated = [] }: Pick<PatchedFile, 'tolerated'>): string {
  return tolerated
    .map(({ line, likeness, isIndented }) => {
      const moved = isIndented ? ', and its new lines were indented as the file is' : ''
      return `; the hunk at line ${line} differs from the file in ${differences[likeness]}${moved}`
    })
    .join('')
}

const differences: Readonly<Record<Tolerated['likeness'], string>> = {
  same: 'nothing',
  'trailing-space': 'white space at the end of lines',
  'outer-space': 'white space',
  punctuation: 'white space or characters that look alike',
}

function namesOf({ path, toPath }: { path: string; toPath?: string }, workspace: Workspace): string {
  const name = displayPath(path, workspace)
  return toPath === undefined ? name : `${name} -> ${displayPath(toPath, workspace)}`
}
