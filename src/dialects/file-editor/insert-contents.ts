import * as z from 'zod'
import { isFsError } from '../../errors.js'
import { editText } from '../../ops/edit-text.js'
import { printable } from '../../text/printable.js'
import { compose } from '../../tools/make-tool.js'
import type { CallContext, Workspace } from '../../workspace/workspace.js'
import { counting, linesOf } from './lines.js'
import { forEach, isList, onePathOrMore } from './one-or-many.js'
import { reason, refuse } from './wording.js'

const name = 'insert_contents'

export const insertContents = compose({
  name,
  title: 'Insert contents',
  description: 'Insert lines before a line of one or several files.',
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  mutates: true,
  input: z.object({
    path: onePathOrMore,
    line: z
      .union([z.int(), z.array(z.int())])
      .describe(
        'Line to insert before, from 1; 0 is the end of the file, -1 the last line. For all files or for each.',
      ),
    content: z.union([z.string(), z.array(z.string())]).describe('Lines to insert, in all files or in each.'),
  }),

  async run({ path, line, content }, workspace, context) {
    const paths = isList(path) ? path : [path]
    const lines = forEach(line, paths.length)
    const contents = forEach(content, paths.length)
    if (lines === undefined) throw refuse(mismatch('Line', line, paths))
    if (contents === undefined) throw refuse(mismatch('Content', content, paths))
    if (paths.length === 0) throw refuse('No files provided')
    const insertions = paths.map((at, index): Insertion => {
      return { path: at, line: lines[index] as number, content: contents[index] as string }
    })
    const [only] = insertions
    if (!isList(path) && only !== undefined) return insert(only, workspace, context)
    return insertAll(insertions, workspace, context)
  },
})

interface Insertion {
  path: string
  line: number
  content: string
}

async function insert({ path, line, content }: Insertion, workspace: Workspace, context: CallContext): Promise<string> {
  const lines = linesOf(content)
  const edit = { kind: 'insert' as const, before: line === 0 ? ('end' as const) : line, lines }
  const { after } = await workspace.run(editText, { path, edits: [edit], options: { counting } }, context)
  const position = line === 0 ? 'end of file' : line
  const count = linesOf(after).length
  return `Successfully inserted ${lines.length} line(s) at position ${position} in ${printable(path)}. File now has ${count} lines.`
}

async function insertAll(insertions: Insertion[], workspace: Workspace, context: CallContext): Promise<string> {
  const done: string[] = []
  const failures: { path: string; message: string }[] = []
  for (const insertion of insertions) {
    const path = printable(insertion.path)
    try {
      done.push(`✅ ${path}: ${await insert(insertion, workspace, context)}\n`)
    } catch (error) {
      if (!isFsError(error)) throw error
      failures.push({ path, message: reason(error, workspace, { tool: name, args: insertion }) })
    }
  }
  if (done.length === 0) {
    throw refuse(`Failed to insert content in any files: ${failures.map(({ message }) => message).join(', ')}`)
  }
  const rows = failures.map(({ path, message }) => `❌ ${path}: ${message}`)
  const errors = rows.length === 0 ? '' : `\nErrors encountered:\n${rows.join('\n')}`
  return `Successfully processed ${done.length} file(s):\n\n${done.join('')}${errors}`.trim()
}

function mismatch(what: string, given: unknown, paths: readonly string[]): string {
  return `${what} array length (${(given as unknown[]).length}) must match file count (${paths.length})`
}
