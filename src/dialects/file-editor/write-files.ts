import * as z from 'zod'
import { isFsError } from '../../errors.js'
import { writeFiles as write } from '../../ops/write-files.js'
import { printable } from '../../text/printable.js'
import { compose } from '../../tools/make-tool.js'
import { linesOf } from './lines.js'
import { forEach, isList, onePathOrMore } from './one-or-many.js'
import { reason, refuse } from './wording.js'

const name = 'write_files'
const lineCount = z.int().min(0)

/** Each file is a change of its own, so one that fails does not stop the others. */
export const writeFiles = compose({
  name,
  title: 'Write files',
  description: 'Create files or replace their whole content. Directories that are missing are made.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  mutates: true,
  input: z.object({
    path: onePathOrMore,
    content: z.union([z.string(), z.array(z.string())]).describe('The whole content, for all files or for each.'),
    line_count: z.union([lineCount, z.array(lineCount)]).describe('Lines of the content, for all files or for each.'),
  }),

  async run({ path, content, line_count }, workspace, context) {
    const paths = isList(path) ? path : [path]
    const contents = forEach(content, paths.length)
    if (contents === undefined) throw refuse(mismatch(paths, `content count (${content.length})`))
    if (isList(line_count) && line_count.length !== paths.length) {
      throw refuse(mismatch(paths, `line_count array length (${line_count.length})`))
    }
    if (paths.length === 0) throw refuse('No files provided')

    const written: { path: string; lines: number }[] = []
    const failures: string[] = []
    for (const [index, to] of paths.entries()) {
      const text = contents[index] as string
      try {
        await workspace.run(write, { files: [{ path: to, content: text }], makeParents: true }, context)
        // Reports the actual number of lines, whatever the caller stated.
        written.push({ path: printable(to), lines: linesOf(text).length })
      } catch (error) {
        if (!isFsError(error)) throw error
        failures.push(`${printable(to)}: ${reason(error, workspace, { tool: name, args: { path: to } })}`)
      }
    }
    if (failures.length > 0) throw refuse(`Failed to write ${failures.length} file(s): ${failures.join(', ')}`)
    const rows = written.map((file) => `${file.path} (${file.lines} lines)`)
    if (rows.length === 1) return `File written successfully: ${rows[0]}`
    const total = written.reduce((sum, { lines }) => sum + lines, 0)
    return [`Successfully wrote ${rows.length} files (${total} total lines):`, ...rows.map((row) => `  - ${row}`)].join(
      '\n',
    )
  },
})

function mismatch(paths: readonly string[], other: string): string {
  return `Path count (${paths.length}) doesn't match ${other}`
}
