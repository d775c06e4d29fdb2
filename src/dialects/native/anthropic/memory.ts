import * as z from 'zod'
import { isFsError } from '../../../errors.js'
import { join } from '../../../fs/path.js'
import { deleteEntry } from '../../../ops/delete-entry.js'
import { makeDirectory } from '../../../ops/make-directory.js'
import { moveEntry } from '../../../ops/move-entry.js'
import { writeFiles } from '../../../ops/write-files.js'
import { compose } from '../../../tools/make-tool.js'
import type { Workspace } from '../../../workspace/workspace.js'
import { numberRange } from '../number-range.js'
import { listing, numberedLines } from '../numbered-lines.js'
import { needed, refuse } from '../wording.js'
import { type Call, insertAfter, kindOf, listTwoLevels, readLines, replaceOnce } from './edit-file.js'

export const memories = '/memories'

const path = z.string().exactOptional()

const input = z.object({
  command: z.enum(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
  path: path.describe('A path that begins with /memories.'),
  view_range: numberRange,
  file_text: z.string().exactOptional(),
  old_str: z.string().exactOptional(),
  new_str: z.string().exactOptional(),
  insert_line: z.int().exactOptional(),
  insert_text: z.string().exactOptional(),
  old_path: path,
  new_path: path,
})

type Arguments = z.output<typeof input>
type Run = (args: Arguments, call: Call) => Promise<string>

/** Anthropic's `memory_20250818`: files in `/memories`, which is the directory `memories` of the workspace, and nothing else. */
export const memory = compose({
  name: 'memory',
  title: 'Memory',
  description:
    'Keep notes in /memories from one conversation to the next: view, create, str_replace, insert, delete, rename.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  mutates: true,
  input,

  async run(args, workspace, context) {
    const directory = directoryOf(workspace)
    await workspace.run(makeDirectory, { path: directory }, context)
    const within = await workspace.narrow([directory])
    return commands[args.command](args, { workspace: within, context })
  },
})

const commands: Record<Arguments['command'], Run> = {
  async view({ path, view_range }, call) {
    const given = needed('path', path)
    const at = placeOf(given, call)
    if ((await kindOf(at, call)) === 'directory') return listing(given, await listTwoLevels(at, call))
    const { lines } = await readLines(at, call)
    if (lines.length > maxLines) throw refuse(`File ${given} exceeds maximum line limit of 999,999 lines.`)
    const [first, last] = view_range ?? [1, -1]
    const start = Math.max(1, first)
    const shown = lines.slice(start - 1, last === -1 ? undefined : Math.max(0, last))
    return `Here's the content of ${given} with line numbers:\n${numberedLines(shown, start)}`
  },

  async create({ path, file_text }, call) {
    const [given, content] = [needed('path', path), needed('file_text', file_text)]
    const { workspace, context } = call
    const files = [{ path: placeOf(given, call), content, expect: 'new' as const }]
    await workspace.run(writeFiles, { files, makeParents: true }, context)
    return `File created successfully at: ${given}`
  },

  async str_replace({ path, old_str, new_str: text = '' }, call) {
    const [given, old] = [needed('path', path), needed('old_str', old_str)]
    const { lines, changed } = await replaceOnce({ path: placeOf(given, call), old, text }, call)
    const first = Math.max(1, changed - 2)
    const snippet = numberedLines(lines.slice(first - 1, changed + 2), first)
    return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`
  },

  async insert({ path, insert_line, insert_text }, call) {
    const given = needed('path', path)
    const [line, text] = [needed('insert_line', insert_line), needed('insert_text', insert_text)]
    await insertAfter({ path: placeOf(given, call), line, text }, call)
    return `The file ${given} has been edited.`
  },

  async delete({ path }, call) {
    const given = needed('path', path)
    const { workspace, context } = call
    const at = placeOf(given, call)
    if (at === workspace.root) throw refuse('Cannot delete the /memories directory itself')
    await workspace.run(deleteEntry, { path: at, recursive: true }, context)
    return `Successfully deleted ${given}`
  },

  async rename(args, call) {
    const [old_path, new_path] = [needed('old_path', args.old_path), needed('new_path', args.new_path)]
    const { workspace, context } = call
    const [from, to] = [placeOf(old_path, call), placeOf(new_path, call)]
    if (from === workspace.root) throw refuse('Cannot rename the /memories directory itself')
    // Moving an entry to where it is, or onto the directory of all, is no rename.
    if (to === from || to === workspace.root) {
      await kindOf(from, call)
      throw refuse(`The destination ${new_path} already exists`)
    }
    try {
      await workspace.run(moveEntry, { from, to, makeParents: true }, context)
    } catch (error) {
      if (isFsError(error, 'EXISTS', 'NOT_EMPTY')) throw refuse(`The destination ${new_path} already exists`)
      throw error
    }
    return `Successfully renamed ${old_path} to ${new_path}`
  },
}

/** The directory of the workspace that is `/memories`. */
export function directoryOf({ root }: Workspace): string {
  return join(root, memories.slice(1))
}

const maxLines = 999_999

/** The path in the workspace. The gate checks the links on the way: the workspace has only this root. */
function placeOf(given: string, { workspace: { fs, root } }: Call): string {
  if (given !== memories && !given.startsWith(`${memories}/`)) {
    throw refuse(`Path must start with /memories, got: ${given}`)
  }
  try {
    return fs.resolve(`.${given.slice(memories.length)}`, root)
  } catch (error) {
    if (isFsError(error, 'OUTSIDE')) throw refuse(`Path ${given} would escape /memories directory`)
    throw error
  }
}
