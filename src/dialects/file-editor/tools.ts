import * as z from 'zod'
import { FsError } from '../../errors.js'
import { editText } from '../../ops/edit-text.js'
import { findFiles } from '../../ops/find-files.js'
import { shownPath } from '../../ops/shared/display-path.js'
import { printable } from '../../text/printable.js'
import type { Dialect, Tool } from '../../tools/dialect.js'
import { compose, overrideTool, project, takingNulls } from '../../tools/make-tool.js'
import { applyDiffs } from './apply-diffs.js'
import { insertContents } from './insert-contents.js'
import { counting } from './lines.js'
import { onePath } from './one-or-many.js'
import { readFiles } from './read-files.js'
import { fail, refuse } from './wording.js'
import { writeFiles } from './write-files.js'

const setWorkspace = compose({
  name: 'set_workspace',
  title: 'Set workspace',
  description: 'Set the root directory of the workspace. Comes before every other tool, and may be called again.',
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  mutates: false,
  input: z.object({
    path: z.string({ error: 'Invalid workspace root: must be a non-empty string' }).describe('Directory to work in.'),
  }),

  async run({ path }, workspace, { session = {} }) {
    if (path === '') throw new FsError('INVALID_PATH', { path, reason: 'empty' })
    session.chosen = await workspace.openWorkspace(path)
    const [root] = session.chosen.fs.roots
    // The name that the agent gave, even if it is a link.
    return `Successfully set workspace root to: ${shownPath(root.aliases?.[0] ?? root.path, session.chosen)}`
  },
})

const listFiles = project(findFiles, {
  name: 'list_files',
  title: 'List files',
  description: 'List a directory by name, each entry as `directory: name` or `file: name`.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.object({
    path: onePath.describe('Directory to list.'),
    recursive: z.boolean().default(false).describe('List what is in its directories too.'),
  }),
  toOp: ({ path, recursive }) => ({ path, directories: true, ...(!recursive && { maxDepth: 1 }) }),
  print: ({ entries }) => {
    const rows = entries.map(({ path, kind }) => `${kind === 'directory' ? 'directory' : 'file'}: ${printable(path)}`)
    return rows.join('\n')
  },
})

const line = z.int().meta({ minimum: 1 }).exactOptional()

const replaceArguments = z
  .object({
    path: onePath.describe('File to change.'),
    search: z.string().describe('Text to find, within a line.'),
    replace: z
      .string()
      .describe('Text to put in its place; with use_regex $1, $& and the like stand for what matched.'),
    use_regex: z.boolean().default(false),
    ignore_case: z.boolean().default(false),
    start_line: line.describe('First line to look at.'),
    end_line: line.describe('Last line to look at.'),
  })
  .check(({ value, issues }) => {
    const fault = rangeFault(value)
    if (fault !== undefined) issues.push({ code: 'custom', message: fault, input: value })
  })

interface LineRange {
  start_line?: number
  end_line?: number
}

function rangeFault({ start_line = 1, end_line = Infinity }: LineRange): string | undefined {
  if (start_line < 1) return `Invalid start_line: ${start_line}. Line numbers start from 1.`
  if (end_line < 1) return `Invalid end_line: ${end_line}. Line numbers start from 1.`
  if (start_line > end_line) return `start_line (${start_line}) cannot be greater than end_line (${end_line})`
  return undefined
}

const searchAndReplace = project(editText, {
  name: 'search_and_replace',
  title: 'Search and replace',
  description: 'Replace every occurrence of a text or of a regular expression in a file, line by line.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  input: replaceArguments,
  toOp({ path, search, replace, use_regex, ignore_case, start_line = 1, end_line = Number.MAX_SAFE_INTEGER }) {
    const places = {
      replace,
      caseInsensitive: ignore_case,
      count: 'all' as const,
      within: { first: start_line, last: end_line },
      perLine: true,
      optional: true,
    }
    const isRegex = use_regex && search !== ''
    return {
      path,
      edits: [
        isRegex
          ? { kind: 'regex' as const, pattern: search, ...places }
          : { kind: 'literal' as const, find: search, ...places },
      ],
      options: { counting, rules: ['exact' as const], identical: 'allow' as const },
    }
  },
  print({ edits: [edit] }, { path, start_line, end_line, use_regex, ignore_case }) {
    const range = printRange({ ...(start_line && { start_line }), ...(end_line && { end_line }) })
    const notes = [range, use_regex && ' using regex pattern', ignore_case && ' (case-insensitive)']
    const count = edit?.places.length ?? 0
    return `Successfully replaced ${count} occurrence(s) in ${printable(path)}${notes.filter(Boolean).join('')}`
  },
})

function printRange({ start_line, end_line }: LineRange): string {
  if (start_line === undefined) return end_line === undefined ? '' : ` (up to line ${end_line})`
  return end_line === undefined ? ` (from line ${start_line})` : ` (lines ${start_line}-${end_line})`
}

/** The tools of `fileditor-mcp`: text on success, `Error: …` on failure. Every tool fails before `set_workspace` is called. */
export const fileEditor: Dialect = {
  name: 'file-editor',
  serverInfo: { name: 'fileditor-mcp', version: '1.0.0' },
  instructions: 'Call set_workspace with the directory to work in before any other tool.',
  choosesWorkspace: true,
  tools: [
    setWorkspace,
    ...[readFiles, writeFiles, listFiles, insertContents, applyDiffs, searchAndReplace].map(inChosenWorkspace),
  ].map(takingNulls),
  fail,
}

function inChosenWorkspace(tool: Tool): Tool {
  return overrideTool(tool, {
    async call(args, _workspace, context) {
      const chosen = context.session?.chosen
      if (chosen === undefined) throw refuse(notChosen)
      await chosen.ready
      return tool.call(args, chosen, context)
    },
  })
}

const notChosen = 'Workspace not set. Please call set_workspace first to establish a secure workspace root directory.'
