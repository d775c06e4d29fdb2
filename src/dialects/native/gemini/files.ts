import * as z from 'zod'
import { isFsError } from '../../../errors.js'
import { findFiles } from '../../../ops/find-files.js'
import { listDirectory } from '../../../ops/list-directory.js'
import { readText } from '../../../ops/read-text.js'
import { printable } from '../../../text/printable.js'
import { compose } from '../../../tools/make-tool.js'
import type { CallContext, Workspace } from '../../../workspace/workspace.js'
import { everyLine } from '../numbered-lines.js'

interface Call {
  workspace: Workspace
  context: CallContext
}

const readOnly = { readOnlyHint: true, openWorldHint: false }

/** Most lines of one answer, and most characters of a line. */
const maxLines = 2000
const maxLineUnits = 2000

const lineNumber = z.int().min(1).exactOptional()

export const readFile = compose({
  name: 'read_file',
  title: 'ReadFile',
  description: `Reads a text file, or lines of it. At most ${maxLines} lines are returned at once.`,
  annotations: readOnly,
  mutates: false,
  input: z.object({
    file_path: z.string().describe('The path to the file to read.'),
    start_line: lineNumber.describe('The first line, from 1.'),
    end_line: lineNumber.describe('The last line.'),
  }),

  async run({ file_path: path, start_line = 1, end_line }, workspace, context) {
    const { maxFileBytes } = workspace.limits
    const { lines } = await workspace.run(readText, { path, maxFileBytes, counting: everyLine }, context)
    const first = Math.min(start_line, lines.length + 1)
    const last = Math.min(end_line ?? first - 1 + maxLines, lines.length)
    const selected = lines.slice(first - 1, last)
    const shown = selected.map((line) =>
      line.length > maxLineUnits ? `${line.slice(0, maxLineUnits)}... [truncated]` : line,
    )
    const isWhole = selected.length === lines.length && shown.every((line, at) => line === selected[at])
    const content = shown.join('\n')
    return isWhole ? content : `${truncatedHeader(first, last, lines.length)}\n${content}`
  },
})

function truncatedHeader(first: number, last: number, total: number): string {
  return `
IMPORTANT: The file content has been truncated.
Status: Showing lines ${first}-${last} of ${total} total lines.
Action: To read more of the file, you can use the 'start_line' and 'end_line' parameters in a subsequent 'read_file' call. For example, to read the next section of the file, use start_line: ${last + 1}.

--- FILE CONTENT (truncated) ---`
}

const filtering = z.object({
  respect_git_ignore: z.boolean().exactOptional(),
  respect_gemini_ignore: z.boolean().exactOptional(),
})

export const listDir = compose({
  name: 'list_directory',
  title: 'ReadFolder',
  description: 'Lists the files and directories directly in a directory.',
  annotations: readOnly,
  mutates: false,
  input: z.object({
    dir_path: z.string().describe('The path to the directory to list.'),
    ignore: z.array(z.string()).default([]).describe('Names to leave out, with * and ?.'),
    file_filtering_options: filtering.default({}).describe('Whether .gitignore and .geminiignore hide entries.'),
  }),

  async run({ dir_path: given, ignore, file_filtering_options: options }, workspace, context) {
    const { fs, root } = workspace
    const path = fs.resolve(given, root)
    const everything = await workspace.run(listDirectory, { path: given }, context)
    const selection = {
      maxDepth: 1,
      directories: true,
      exclude: ignore,
      ignore: await ignoreOptions(options, { workspace, context }),
    }
    const { entries } = await workspace.run(
      findFiles,
      { path: given, ...selection, metadata: true, sortBy: 'type' },
      context,
    )
    const shown = printable(fs.show(path))
    if (everything.entries.length === 0) return `Directory ${shown} is empty.`
    const rows = entries.map(({ name, kind, size = 0 }) =>
      kind === 'directory' ? `[DIR] ${printable(name)}` : `${printable(name)} (${size} bytes)`,
    )
    const ignored = everything.entries.length - entries.length
    return `Directory listing for ${shown}:\n${rows.join('\n')}${ignored > 0 ? `\n\n(${ignored} ignored)` : ''}`
  },
})

/** `.geminiignore` of the root counts beside `.gitignore`. */
async function ignoreOptions(
  { respect_git_ignore = true, respect_gemini_ignore = true }: z.output<typeof filtering>,
  call: Call,
) {
  const always = respect_gemini_ignore ? await geminiRules(call) : []
  return { git: respect_git_ignore ? ('in-repository' as const) : ('never' as const), always }
}

async function geminiRules({ workspace, context }: Call): Promise<string[]> {
  try {
    return (await workspace.run(readText, { path: '.geminiignore' }, context)).lines
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND', 'IS_A_DIRECTORY', 'BINARY', 'DENIED', 'OUTSIDE')) return []
    throw error
  }
}

export const glob = compose({
  name: 'glob',
  title: 'FindFiles',
  description: 'Finds files by a glob pattern (`src/**/*.ts`), the last changed ones first.',
  annotations: readOnly,
  mutates: false,
  input: z.object({
    pattern: z.string().describe('The glob pattern.'),
    dir_path: z.string().exactOptional().describe('The directory to search in; the root unless given.'),
    case_sensitive: z.boolean().default(false),
    respect_git_ignore: z.boolean().default(true),
    respect_gemini_ignore: z.boolean().default(true),
  }),

  async run({ pattern, dir_path = '.', case_sensitive, ...options }, workspace, context) {
    const { fs, root } = workspace
    const includeRules = { slashless: 'at-base', starCrosses: false, ignoreCase: !case_sensitive, dot: true } as const
    const selection = {
      include: [pattern],
      includeRules,
      ignore: await ignoreOptions(options, { workspace, context }),
      onlyFiles: true,
    }
    const { path, entries } = await workspace.run(
      findFiles,
      { path: dir_path, ...selection, sortBy: 'modified' },
      context,
    )
    const within = `"${pattern}" within ${printable(fs.show(fs.resolve(dir_path, root)))}`
    if (entries.length === 0) return `No files found matching pattern ${within}`
    const names = entries.map((entry) => printable(fs.show(`${path === '/' ? '' : path}/${entry.path}`)))
    return `Found ${entries.length} file(s) matching ${within}, sorted by modification time (newest first):\n${names.join('\n')}`
  },
})
