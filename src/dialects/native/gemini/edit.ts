import * as z from 'zod'
import { isFsError } from '../../../errors.js'
import { editText } from '../../../ops/edit-text.js'
import { readText } from '../../../ops/read-text.js'
import { type WrittenFile, writeFiles } from '../../../ops/write-files.js'
import { changedLines } from '../../../text/diff/changed-lines.js'
import { splitLines } from '../../../text/lines/lines.js'
import { printable } from '../../../text/printable.js'
import { compose } from '../../../tools/make-tool.js'
import type { CallContext, Workspace } from '../../../workspace/workspace.js'
import { everyLine } from '../numbered-lines.js'
import { refuse } from '../wording.js'

const annotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }
const file_path = z.string().describe('The path to the file.')

export const replace = compose({
  name: 'replace',
  title: 'Edit',
  description:
    'Replaces text in a file: one exact occurrence of old_string, or all with allow_multiple. An empty old_string creates a file.',
  annotations,
  mutates: true,
  input: z.object({
    file_path,
    instruction: z.string().exactOptional().describe('What the change is for.'),
    old_string: z.string().describe('The exact text to replace.'),
    new_string: z.string().describe('The exact text to put in its place.'),
    allow_multiple: z.boolean().default(false).describe('Replace every occurrence.'),
  }),

  async run({ file_path: path, old_string: find, new_string, allow_multiple }, workspace, context) {
    if (find === '') return createByReplace(path, new_string, { workspace, context })
    const count = allow_multiple ? ('all' as const) : ('only' as const)
    const edits = [{ kind: 'literal' as const, find, replace: new_string, count }]
    const edited = await workspace.run(editText, { path, edits }, context)
    const places = edited.edits.flatMap((edit) => edit.places).length
    const said = `Successfully modified file: ${shown(path, workspace)} (${places} replacements).`
    return `${said} Here is the updated code:\n${updatedCode(edited.before, edited.after)}`
  },
})

async function createByReplace(path: string, content: string, { workspace, context }: Call): Promise<string> {
  try {
    await write(path, { content, expect: 'new' }, { workspace, context })
  } catch (error) {
    if (isFsError(error, 'EXISTS')) throw refuse(`File already exists, cannot create: ${shown(path, workspace)}`)
    throw error
  }
  return `Created new file: ${shown(path, workspace)} with provided content. Here is the updated code:\n${content}`
}

export const writeFile = compose({
  name: 'write_file',
  title: 'WriteFile',
  description:
    'Writes the complete content of a file. Missing directories are created, and an existing file is replaced.',
  annotations,
  mutates: true,
  input: z.object({ file_path, content: z.string().describe('The complete content.') }),

  async run({ file_path: path, content }, workspace, context) {
    const call = { workspace, context }
    const before = await textOf(path, call)
    const { created } = await write(path, { content, expect: 'either' }, call)
    const said = created ? 'Successfully created and wrote to new file' : 'Successfully overwrote file'
    return `${said}: ${shown(path, workspace)}. Here is the updated code:\n${updatedCode(before, content)}`
  },
})

interface Call {
  workspace: Workspace
  context: CallContext
}

async function write(
  path: string,
  { content, expect }: { content: string; expect: 'new' | 'either' },
  { workspace, context }: Call,
): Promise<WrittenFile> {
  const [written] = await workspace.run(writeFiles, { files: [{ path, content, expect }], makeParents: true }, context)
  return written as WrittenFile
}

/** What the file has now, to show what changes; nothing if it can't be shown. */
async function textOf(path: string, { workspace, context }: Call): Promise<string> {
  const { maxFileBytes } = workspace.limits
  try {
    return (await workspace.run(readText, { path, maxFileBytes, counting: everyLine }, context)).lines.join('\n')
  } catch (error) {
    if (isFsError(error)) return ''
    throw error
  }
}

function shown(path: string, { fs, root }: Workspace): string {
  return printable(fs.show(fs.resolve(path, root)))
}

/** Lines shown before and after what has changed. */
const context = 5

/** The lines that have changed, with those around them; of a new file all. */
function updatedCode(before: string, after: string): string {
  const lines = splitLines(after, everyLine)
  if (before === '' || before === after) return lines.join('\n')
  const parts: string[] = []
  let shownTo = 0
  for (const { newStart, newEnd } of changedLines(splitLines(before, everyLine), lines)) {
    const start = Math.max(shownTo, newStart - context)
    const end = Math.min(lines.length, newEnd + context)
    if (end <= shownTo) continue
    if (start > shownTo) parts.push('...')
    parts.push(...lines.slice(start, end))
    shownTo = end
  }
  if (shownTo < lines.length) parts.push('...')
  return parts.join('\n')
}
