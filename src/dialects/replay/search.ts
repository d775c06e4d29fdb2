import * as z from 'zod'
import { join } from '../../fs/path.js'
import { findFiles } from '../../ops/find-files.js'
import { gatherFiles } from '../../ops/gather-files.js'
import { type FileMatches, inspectPattern, type SearchText, searchText } from '../../ops/search-text.js'
import { compose } from '../../tools/make-tool.js'
import type { Workspace } from '../../workspace/workspace.js'
import { flag, integer, optionalText, optionalTexts, required, texts } from './arguments.js'
import { excludeRules, includeRules } from './glob-rules.js'
import { allowed, displayPath } from './paths.js'

const nothing = '(no matches found)'

const observes = { readOnlyHint: true, openWorldHint: false }

const excludeGlobs = optionalTexts('excludeGlobs', 'Leave out what matches; a plain path leaves out all below it.')

const rules = { includeRules, excludeRules }

const searchArguments = z.object({
  directory: required('directory', 'Directory to search.'),
  nameContains: required('nameContains', 'Part of a name: no glob, no regex.'),
  excludeGlobs,
})

/** Also accepts the parameter names of the MCP reference server, without listing them; replay's own take precedence. */
const aliases = { path: 'directory', pattern: 'nameContains', excludePatterns: 'excludeGlobs' }

const withAliases = z.preprocess((given) => {
  if (typeof given !== 'object' || given === null) return given
  const named = Object.entries(aliases).flatMap(([alias, name]) =>
    alias in given ? [[name, given[alias as never]]] : [],
  )
  return { ...Object.fromEntries(named), ...given }
}, searchArguments)

export const searchFiles = compose({
  name: 'search_files',
  title: 'Search files by name',
  description: 'Find files and directories below a directory whose name contains a text, ignoring case.',
  annotations: observes,
  mutates: false,
  input: withAliases,
  async run({ directory, nameContains, excludeGlobs: exclude = [] }, workspace, context) {
    const path = await allowed(directory, 'read', workspace)
    // A name has no slash and at most 255 characters; with a slash, the pattern would match paths.
    if (nameContains.includes('/') || nameContains.length > 255) return nothing
    const pattern = `*${nameContains.replace(/[\\*?[\]{},]/g, '\\$&')}*`
    // On a host where names lack such a character, it would separate directories.
    if (workspace.fs.pattern(pattern) !== pattern) return nothing
    const given = { path, include: [pattern], exclude, ...rules, directories: true }
    const { entries } = await workspace.run(findFiles, given, context)
    const found = entries.map((entry) => join(path, entry.path))
    return printPaths(found, workspace) || nothing
  },
})

export const globSearch = compose({
  name: 'glob_search',
  title: 'Find files by glob',
  description: 'Find files by name glob: **, *, ?, [a-z], {a,b}; without a slash at any depth; case does not matter.',
  annotations: observes,
  mutates: false,
  input: z.object({
    directory: required('directory', 'Directory to search.'),
    globs: texts(noGlobs(), 'Globs relative to directory.').refine(({ length }) => length > 0, noGlobs()),
    excludeGlobs,
    max: integer('max').default(1000).describe('Most results; 0 for all.'),
  }),
  async run({ directory, globs, excludeGlobs: exclude = [], max }, workspace, context) {
    const path = await allowed(directory, 'read', workspace)
    const { files } = await workspace.run(gatherFiles, { path, include: globs, exclude, ...rules }, context)
    const limit = max === 0 ? Infinity : max < 0 ? 1000 : max
    const listed = files.slice(0, limit).map((file) => file.path)
    if (listed.length === 0) return '(no matches)'
    return (
      printPaths(listed, workspace) +
      (listed.length < files.length ? `[truncated at ${limit} of ${files.length}]\n` : '')
    )
  },
})

function noGlobs(): string {
  return 'Missing required param: globs (array of glob patterns)'
}

function printPaths(paths: readonly string[], workspace: Workspace): string {
  return paths.map((path) => `${displayPath(path, workspace)}\n`).join('')
}

const grepArguments = z
  .object({
    regex: z
      .string({
        error: ({ input }) =>
          typeof input === 'boolean'
            ? 'regex is now the search pattern string, not a boolean flag — pass the ECMAScript (JavaScript) regex pattern as a string'
            : 'Missing required param: regex (the ECMAScript regex search pattern)',
      })
      .describe('ECMAScript regex, matched line by line.'),
    directory: optionalText('directory', 'Directory to search.'),
    globs: optionalTexts(
      'globs',
      'Only these files; relative to directory or, without one, to the project; or absolute.',
    ),
    excludeGlobs,
    caseInsensitive: flag('caseInsensitive', 'Ignore case.'),
    contextLines: integer('contextLines').default(0).describe('Lines around each match, 50 at the most.'),
    maxResults: integer('maxResults').default(500).describe('Most matching lines, 10000 at the most.'),
  })
  .refine(({ directory, globs = [] }) => directory !== undefined || globs.length > 0, {
    error: 'Provide directory and/or globs to select files to search',
  })

export const grepFiles = compose({
  name: 'grep_files',
  title: 'Search file contents',
  description:
    'Search the contents of files for a regex. Set directory to search in one directory; globs alone search the project.',
  annotations: observes,
  mutates: false,
  input: grepArguments,
  async run(args, workspace, context) {
    const { excludeGlobs: exclude = [], globs = [] } = args
    const contextLines = Math.min(50, Math.max(0, args.contextLines))
    const limit = args.maxResults > 0 ? Math.min(10_000, args.maxResults) : 500
    const matcher = { pattern: args.regex, syntax: 'ecmascript' as const, ignoreCase: args.caseInsensitive }
    // Fails before anything is walked.
    inspectPattern(matcher)
    const directory = await allowed(args.directory ?? workspace.root, 'read', workspace)
    const selected = { path: directory, include: globs, exclude, ...rules }
    const { files, outside } = await workspace.run(gatherFiles, selected, context)
    const note = outside.length === 0 ? '' : `[${outside.length} path(s) skipped: outside allowed directories]`
    if (files.length === 0) return `(no files to search)${note && ` ${note}`}`
    const found = await workspace.run(
      searchText,
      {
        files: [...new Set(files.map(({ real }) => real))].sort(),
        request: {
          matcher,
          mode: 'content',
          before: contextLines,
          after: contextLines,
          limit,
          maxFileBytes: workspace.limits.maxFileBytes,
          maxTextBytes,
          text: { nul: { first: 4096 }, utf16: 'skip' },
        },
      },
      context,
    )
    return printMatches(found, note, workspace)
  },
})

/** Clients accept results of this size. */
const maxTextBytes = 8_000_000

function printMatches({ files, summary }: SearchText, outside: string, workspace: Workspace): string {
  const { skipped, tooExpensive, truncated } = summary
  const count = files.flatMap(({ records }) => records).filter(({ kind }) => kind === 'match').length
  const notes = [
    skipped.tooLarge > 0 && `[${skipped.tooLarge} file(s) skipped: larger than ${workspace.limits.maxFileBytes} bytes]`,
    tooExpensive > 0 && `[${tooExpensive} line(s) skipped: the regex takes too long on them]`,
    outside !== '' && outside,
  ].filter((note) => note !== false)
  if (count === 0) return [nothing, ...notes].join('\n')
  const cut = truncated === undefined ? '' : `[truncated at ${count} matches]\n`
  const rows = files.map((file) => printRecords(file, workspace)).join('')
  return `${cut}${rows}[${count} ${count === 1 ? 'match' : 'matches'}]\n${notes.join('\n')}`
}

/** Separates groups of lines, with context or without. */
function printRecords({ path, records }: FileMatches, workspace: Workspace): string {
  const name = displayPath(path, workspace)
  let last: number | undefined
  let rows = ''
  for (const { kind, line, text, cut } of records) {
    if (last !== undefined && line !== last + 1) rows += '--\n'
    const mark = kind === 'match' ? ':' : '-'
    rows += `${name}${mark}${line}${mark}${text}${cut ? ' [line truncated]' : ''}\n`
    last = line
  }
  return rows
}
