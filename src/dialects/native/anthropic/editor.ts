import * as z from 'zod'
import { writeFiles } from '../../../ops/write-files.js'
import { compose } from '../../../tools/make-tool.js'
import { numberRange } from '../number-range.js'
import { listing } from '../numbered-lines.js'
import { needed, refuse } from '../wording.js'
import { type Call, insertAfter, kindOf, listTwoLevels, readLines, replaceOnce } from './edit-file.js'

const input = z.object({
  command: z.enum(['view', 'create', 'str_replace', 'insert']).describe('What to do.'),
  path: z.string().describe('File or directory.'),
  view_range: numberRange.describe('First and last line to view, from 1; -1 is the last line of the file.'),
  file_text: z.string().exactOptional().describe('Content of the file to create.'),
  old_str: z
    .string()
    .exactOptional()
    .describe('Text to replace, exactly as it is in the file, where it must be unique.'),
  new_str: z.string().exactOptional().describe('Text that replaces it.'),
  insert_line: z.int().min(0).exactOptional().describe('Line after which to insert; 0 for the beginning of the file.'),
  insert_text: z.string().exactOptional().describe('Text to insert.'),
})

type Arguments = z.output<typeof input>

/** Anthropic's text editor, as its documentation describes `text_editor_20250728`. */
export const editor = compose({
  name: 'str_replace_based_edit_tool',
  title: 'Text editor',
  description: 'View, create and edit text files.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  mutates: true,
  input,
  run: (args, workspace, context) => commands[args.command](args, { workspace, context }),
})

const commands: Record<Arguments['command'], (args: Arguments, call: Call) => Promise<string>> = {
  async view({ path, view_range }, call) {
    if ((await kindOf(path, call)) !== 'directory') return viewFile(path, view_range, call)
    if (view_range) throw refuse('The `view_range` parameter is not allowed when `path` points to a directory.')
    return listing(path, await listTwoLevels(path, call))
  },

  async create({ path, file_text }, { workspace, context }) {
    const files = [{ path, content: needed('file_text', file_text), expect: 'new' as const }]
    await workspace.run(writeFiles, { files, makeParents: true }, context)
    return `File created successfully at: ${path}`
  },

  async str_replace({ path, old_str, new_str = '' }, call) {
    await replaceOnce({ path, old: needed('old_str', old_str), text: new_str }, call)
    return 'Successfully replaced text at exactly one location.'
  },

  async insert({ path, insert_line, insert_text, new_str }, call) {
    // Earlier versions of the tool named it `new_str`.
    const text = needed('insert_text', insert_text ?? new_str)
    await insertAfter({ path, line: needed('insert_line', insert_line), text }, call)
    return `The file ${path} has been edited.`
  },
}

async function viewFile(path: string, range: Arguments['view_range'], call: Call): Promise<string> {
  const { lines } = await readLines(path, call)
  const [first, last] = range ? checked(range, lines.length) : [1, lines.length]
  const shown = lines.slice(first - 1, last).map((line, at) => `${first + at}: ${line}`)
  return clipped(shown.join('\n'), call.workspace.limits.maxOutputBytes)
}

function checked([first, last]: readonly [number, number], count: number): [number, number] {
  const invalid = `Invalid \`view_range\`: [${first}, ${last}].`
  const end = last === -1 ? count : last
  if (first < 1 || first > count) {
    throw refuse(
      `${invalid} Its first element \`${first}\` should be within the range of lines of the file: [1, ${count}]`,
    )
  }
  if (end > count) {
    throw refuse(
      `${invalid} Its second element \`${last}\` should be smaller than the number of lines in the file: \`${count}\``,
    )
  }
  if (end < first) {
    throw refuse(`${invalid} Its second element \`${last}\` should be larger or equal than its first \`${first}\``)
  }
  return [first, end]
}

function clipped(text: string, most: number): string {
  if (text.length <= most) return text
  const shown = text.slice(0, text.lastIndexOf('\n', most))
  return `${shown}\n[The rest of the file is not shown: view it in parts with view_range.]`
}
