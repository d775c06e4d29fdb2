import * as z from 'zod'
import { isFsError } from '../../errors.js'
import { type ReadText, readText } from '../../ops/read-text.js'
import { printable } from '../../text/printable.js'
import { compose } from '../../tools/make-tool.js'
import type { CallContext, Workspace } from '../../workspace/workspace.js'
import { counting, numbered } from './lines.js'
import { onePathOrMore } from './one-or-many.js'
import { isMissing, reason, refuse } from './wording.js'

const name = 'read_files'

export const readFiles = compose({
  name,
  title: 'Read files',
  description:
    'Read one file, all of it or a range of lines, or several whole files. Lines are numbered: `line | content`.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  mutates: false,
  input: z.object({
    path: onePathOrMore,
    line_range: z.string().meta({ pattern: '^\\d+-\\d+$' }).exactOptional().describe('"start-end", for a single file.'),
  }),

  async run({ path, line_range }, workspace, context) {
    if (Array.isArray(path)) return readAll(path, workspace, context)
    const part = line_range ? parseRange(line_range) : { first: 1 }
    const { lines, firstLine } = await read(path, part, workspace, context)
    return numbered(lines, firstLine)
  },
})

interface Part {
  first: number
  last?: number
}

function read(path: string, { first, last }: Part, workspace: Workspace, context: CallContext): Promise<ReadText> {
  const { maxFileBytes } = workspace.limits
  const range = last === undefined ? { maxFileBytes } : { maxLines: last - first + 1, complete: true }
  return workspace.run(readText, { path, startLine: first, ...range, counting, binaryWindow: 0 }, context)
}

async function readAll(paths: readonly string[], workspace: Workspace, context: CallContext): Promise<string> {
  if (paths.length === 0) throw refuse('Failed to read any files: No files provided')
  const files: string[] = []
  const failures: string[] = []
  for (const path of paths) {
    try {
      const { lines } = await read(path, { first: 1 }, workspace, context)
      files.push(`=== ${printable(path)} (${lines.length} lines) ===\n${numbered(lines, 1)}\n\n`)
    } catch (error) {
      if (!isFsError(error)) throw error
      const message = reason(error, workspace, { tool: name, args: { path } })
      failures.push(isMissing(error) ? message : `Error reading ${printable(path)}: ${message}`)
    }
  }
  if (files.length === 0) throw refuse(`Failed to read any files: ${failures.join(', ')}`)
  const errors = failures.length === 0 ? '' : `Errors encountered:\n${failures.map((line) => `- ${line}`).join('\n')}`
  return `Successfully read ${files.length} file(s):\n\n${files.join('')}${errors}`.trim()
}

function parseRange(range: string): Part {
  const ends = range.split('-')
  if (ends.length !== 2) throw refuse(`Invalid line range format: ${range}. Expected format: 'start-end'`)
  const invalid = (fault: string) => refuse(`Invalid line range: ${range}. ${fault}`)
  if (!ends.every((end) => /^\d*$/.test(end))) throw invalid('Start and end must be valid numbers')
  // Larger numbers are beyond any file anyway.
  const [first, last] = ends.map((end) => Math.min(Number(end), Number.MAX_SAFE_INTEGER)) as [number, number]
  if (first < 1 || last < 1) throw invalid('Line numbers must be positive')
  if (first > last) throw invalid('Start line cannot be greater than end line')
  return { first, last }
}
