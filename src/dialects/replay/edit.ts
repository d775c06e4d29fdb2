import * as z from 'zod'
import { FsError, isFsError } from '../../errors.js'
import { editText } from '../../ops/edit-text.js'
import { gatherFiles } from '../../ops/gather-files.js'
import type { CallContext } from '../../ops/operation.js'
import { singleHunkDiff } from '../../text/diff/unified-diff.js'
import type { EditOptions } from '../../text/edit/edit-types.js'
import type { ToolResult } from '../../tools/dialect.js'
import { compose, text } from '../../tools/make-tool.js'
import type { Workspace } from '../../workspace/workspace.js'
import { flag, integer, required, texts } from './arguments.js'
import { includeRules } from './glob-rules.js'
import { allowed, displayPath } from './paths.js'
import { failure } from './wording.js'

const edit = z.object({
  oldText: z
    .string('Missing required param: edits[].oldText')
    .describe('Text to find. It must be unique, unless limit says otherwise; indentation of whole lines may differ.'),
  newText: z
    .string('Invalid param: edits[].newText must be a string')
    .default('')
    .describe('Replacement. With isRegex: \\1-\\9 or $1-$9 groups, \\0, $0 or $& the match, $$ a dollar, \\n \\t \\r.'),
  limit: integer('edits[].limit').default(1).describe('Most replacements; 0 for all.'),
  isRegex: flag('edits[].isRegex', 'oldText is an ECMAScript regex; ^ and $ match at every line.'),
  caseInsensitive: flag('edits[].caseInsensitive', 'Ignore case.'),
})

const noEdits = 'Missing required param: edits (array)'

const editing = {
  edits: z.array(edit, noEdits).min(1, noEdits).describe('Edits, applied in order: all of them or none.'),
  dryRun: flag('dryRun', 'Preview as a unified diff and write nothing. Use it first for regex edits.'),
}

type Editing = z.output<z.ZodObject<typeof editing>>

const changes = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }

export const editFile = compose({
  name: 'edit_file',
  title: 'Edit file',
  description:
    'Replace text in a file, by literal text or ECMAScript regex. Prefer literal text: it must match exactly once, or nothing is written.',
  annotations: changes,
  mutates: true,
  input: z.object({ path: required('path', 'Absolute path to the file.'), ...editing }),
  async run(args, workspace, context) {
    const path = await allowed(args.path, args.dryRun ? 'read' : 'write', workspace)
    return editOne(path, args, workspace, context)
  },
})

export const editFiles = compose({
  name: 'edit_files',
  title: 'Edit several files',
  description:
    'Apply the same edits to many files, given by path or glob. Each file is edited on its own; a failure is reported in place of its result.',
  annotations: changes,
  mutates: true,
  input: z.object({
    paths: texts('Missing required param: paths (array)', 'Absolute paths and globs (*, ?, [], {}).'),
    ...editing,
  }),
  async run(args, workspace, context): Promise<ToolResult> {
    const paths = await resolvePaths(args.paths, args.dryRun ? 'read' : 'write', workspace, context)
    if (paths.length === 0) throw unresolved
    const results: string[] = []
    for (const path of paths) {
      try {
        results.push(await editOne(path, args, workspace, context))
      } catch (error) {
        if (!isFsError(error)) throw error
        const { code, message } = failure(error, workspace, { tool: 'edit_files', args })
        results.push(`${displayPath(path, workspace)}: [error ${code}] ${message}`)
      }
    }
    return { content: results.flatMap((result) => text(result).content) }
  },
})

const unresolved = new FsError('INVALID_INPUT', {
  issues: [{ at: ['paths'], kind: 'other', message: 'paths resolved to no files' }],
})

/** Every file once, in the order named, those of one glob by name. A file that may not be edited ends the call. */
async function resolvePaths(
  entries: readonly string[],
  right: 'read' | 'write',
  workspace: Workspace,
  context: CallContext,
): Promise<string[]> {
  const paths = new Set<string>()
  for (const entry of entries) {
    if (!/[*?[{}]/.test(entry)) {
      paths.add(await allowed(entry, right, workspace))
      continue
    }
    const { files, outside } = await workspace.run(gatherFiles, { include: [entry], includeRules }, context)
    const [leadsOut] = outside
    if (leadsOut !== undefined) throw new FsError('OUTSIDE', { path: leadsOut })
    if (files.length === 0) throw new FsError('NOT_FOUND', { path: entry })
    for (const real of files.map((file) => file.real).sort()) paths.add(await allowed(real, right, workspace))
  }
  return [...paths]
}

/** Literal text is replaced as sent; whole lines also match with another common indent, and the replacement is indented to fit. */
const matching: EditOptions = {
  rules: ['exact', 'indentation'],
  reindent: 'block',
  endings: 'verbatim',
  identical: 'allow',
}

async function editOne(path: string, args: Editing, workspace: Workspace, context: CallContext): Promise<string> {
  const { dryRun } = args
  const given = { path, edits: args.edits.map(toEdit), options: matching, dryRun }
  try {
    const { before, after } = await workspace.run(editText, given, context)
    if (!dryRun) return `Successfully edited ${displayPath(path, workspace)}`
    return singleHunkDiff(displayPath(path, workspace), before, after).toWellFormed() || '(no changes)\n'
  } catch (error) {
    if (dryRun && isFsError(error, 'NOT_FOUND')) return printPlan(path, args, workspace)
    throw error
  }
}

function toEdit({ oldText, newText, limit, isRegex, caseInsensitive }: z.output<typeof edit>) {
  const count = limit < 1 ? ('all' as const) : { first: limit }
  // An empty pattern is refused like an empty text.
  if (isRegex && oldText !== '') {
    // A pattern matches any line endings, so its replacement takes those of the neighbouring lines.
    const how = { tokens: 'sed' as const, endings: 'neighbour' as const, caseInsensitive, count }
    return { kind: 'regex' as const, pattern: oldText, replace: newText, ...how }
  }
  const only = limit === 1 ? ('only' as const) : count
  return { kind: 'literal' as const, find: oldText, replace: newText, caseInsensitive, count: only }
}

function printPlan(path: string, { edits }: Editing, workspace: Workspace): string {
  const rows = edits.map(
    ({ oldText, newText, limit, isRegex }) =>
      `  oldText: ${oldText}\n  newText: ${newText}\n  limit: ${limit}\n${isRegex ? '  regex: true\n' : ''}\n`,
  )
  return `Dry-run edit plan for ${displayPath(path, workspace)}:\n${rows.join('')}`
}
