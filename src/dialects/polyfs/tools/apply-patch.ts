import * as z from 'zod'
import type { PatchedFile } from '../../../ops/apply-patch.js'
import type { Workspace } from '../../../workspace.js'
import { define, paging } from '../define-tool.js'
import { editNote } from '../encodings.js'
import { plural } from '../print.js'
import { displayPath } from '../wording.js'

export const patch = define({
  name: 'apply_patch',
  title: 'Apply patch',
  description:
    'Apply a patch that changes, creates, deletes or renames files, all of it or nothing: a unified diff, or the *** Begin Patch format.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  group: 'edit',
  channel: 'payload',
  mutates: true,
  reads: ({ dry_run }) => dry_run,
  input: { patch: z.string(), dry_run: z.boolean().default(false), ...paging },
  facts: { files: z.int(), added: z.int(), removed: z.int(), cursor: z.string() },

  async run(args, workspace, call) {
    const { patch: text, dry_run: dryRun } = args
    // Loaded late: few sessions apply patches.
    const { applyPatch } = await import('../../../ops/apply-patch.js')
    const files = await workspace.run(applyPatch, { patch: text, dryRun, detectEncoding: true }, call)
    const sum = (key: 'added' | 'removed') => files.reduce((total, file) => total + file[key], 0)
    const rows = files.map((file) => rowOf(file, workspace))
    return {
      rows: { all: rows, what: 'files', empty: '(nothing)' },
      notes: [
        dryRun
          ? '[nothing was changed]'
          : `[${plural(files.length, 'file')} changed (+${sum('added')} -${sum('removed')})]`,
      ],
      facts: { files: files.length, added: sum('added'), removed: sum('removed') },
    }
  },
})

function rowOf({ kind, path, toPath, added, removed, ...file }: PatchedFile, workspace: Workspace): string {
  const name = displayPath(path, workspace)
  const moved = toPath === undefined ? name : `${name} -> ${displayPath(toPath, workspace)}`
  return `${{ create: 'A', modify: 'M', delete: 'D', rename: 'R' }[kind]} ${moved} (+${added} -${removed})${editNote(file)}`
}
