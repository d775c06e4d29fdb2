import * as z from 'zod'
import { applyPatch as patchFiles } from '../../../ops/apply-patch.js'
import { deleteEntry } from '../../../ops/delete-entry.js'
import { writeFiles } from '../../../ops/write-files.js'
import { compose } from '../../../tools/make-tool.js'
import type { CallContext, Workspace } from '../../../workspace/workspace.js'
import { needed, refuse } from '../wording.js'

const path = z.string().describe('Path of the file, relative to the workspace.')

const operation = z.object({
  type: z.enum(['create_file', 'update_file', 'delete_file']),
  path,
  diff: z
    .string()
    .exactOptional()
    .describe(
      'Of a new file each line after a +; of an update sections that begin with @@, of lines after a space, a - or a +.',
    ),
})

type Operation = z.output<typeof operation>

/** OpenAI's `apply_patch`: one operation on one file, with a diff that has no line numbers (V4A). */
export const applyPatch = compose({
  name: 'apply_patch',
  title: 'Apply patch',
  description: 'Create, update or delete one file by a V4A diff.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  mutates: true,
  input: z.object({ operation }),
  run: ({ operation }, workspace, context) => apply(operation, workspace, context),
})

async function apply(wanted: Operation, workspace: Workspace, context: CallContext): Promise<string> {
  const { type, path } = wanted
  if (/[\r\n]/.test(path)) throw refuse('The path has a line break.')
  if (type === 'delete_file') {
    await workspace.run(deleteEntry, { path }, context)
    return `Deleted ${path}`
  }
  const lines = ofOneFile(needed('diff', wanted.diff))
  if (type === 'create_file') {
    const files = [{ path, content: added(lines), expect: 'new' as const }]
    await workspace.run(writeFiles, { files, makeParents: true }, context)
    return `Created ${path}`
  }
  const patch = ['*** Begin Patch', `*** Update File: ${path}`, ...lines, '*** End Patch'].join('\n')
  await workspace.run(patchFiles, { patch, format: 'v4a' }, context)
  return `Updated ${path}`
}

/** The lines up to a header of the format for several files: this diff has one. */
function ofOneFile(diff: string): string[] {
  const lines = diff.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const end = lines.findIndex((line) => /^\*\*\* (End Patch|(Update|Delete|Add) File:)/.test(line))
  return end === -1 ? lines : lines.slice(0, end)
}

/** The content of a new file. Its last line has a line feed only if an empty one follows, as in OpenAI's own implementation. */
function added(lines: readonly string[]): string {
  const other = lines.find((line) => !line.startsWith('+'))
  if (other !== undefined) throw refuse(`Invalid Add File Line: ${other.slice(0, 200)}`)
  return lines.map((line) => line.slice(1)).join('\n')
}
