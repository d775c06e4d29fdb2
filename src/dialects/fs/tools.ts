import * as z from 'zod'
import { FsError } from '../../errors.js'
import { findFiles } from '../../ops/find-files.js'
import { searchText } from '../../ops/search-text.js'
import type { Dialect } from '../../tools/dialect.js'
import { compose, project, takingNulls } from '../../tools/make-tool.js'
import { printEntries, printHits, printRange } from './print.js'
import { rangeOf, readArguments } from './range.js'
import { readRange } from './read-range.js'
import { fail } from './wording.js'

const count = z.int().min(0)
const globs = z.array(z.string())
const readOnly = { readOnlyHint: true, openWorldHint: false }

/** How listing and searching select files. */
const selection = {
  hidden: false,
  ignore: { dotIgnore: true },
  includeRules: { slashless: 'at-base', starCrosses: true, ignoreCase: false, dot: true, loneBraces: true } as const,
  patternsFrom: 'root' as const,
  excludePrunes: false,
}

const root = z
  .string()
  .transform((given) => given || '.')
  .default('.')
  .describe('Where to start.')
const include_globs = globs.default([]).describe('Globs, from the server root.')
const exclude_globs = globs.default([]).describe('Win over include_globs.')

/** Refuses a class with a range that runs backwards, as in `[z-a]`: it would match nothing, without a reason. */
function checkRanges(patterns: string[]): string[] {
  for (const pattern of patterns) {
    for (const [, members = ''] of pattern.replace(/\\./gs, '').matchAll(/\[[!^]?(\]?[^\]]*)\]/g)) {
      const range = [...members.matchAll(/(.)-(.)/gsu)].find(([, from = '', to = '']) => from > to)
      if (range) throw new FsError('INVALID_PATTERN', { pattern, reason: `invalid range ${range[0]}` })
    }
  }
  return patterns
}

const listFiles = project(findFiles, {
  name: 'fs.list_files',
  title: 'List files',
  description: 'List files, and directories if asked for. Heeds .gitignore and .ignore; hidden files are left out.',
  annotations: readOnly,
  input: z.object({
    root,
    recursive: z.boolean().default(true),
    include_globs,
    exclude_globs,
    max_results: count.default(500),
    include_dirs: z.boolean().default(false),
    include_metadata: z.boolean().default(false).describe('Size and modified (seconds since 1970).'),
    skip: count.default(0),
  }),
  toOp: (args) => ({
    ...selection,
    path: args.root,
    include: checkRanges(args.include_globs),
    exclude: checkRanges(args.exclude_globs),
    directories: args.include_dirs,
    metadata: args.include_metadata,
    sortBy: 'path' as const,
    skip: args.skip,
    limit: args.max_results,
    ...(!args.recursive && { maxDepth: 1 }),
  }),
  print: printEntries,
})

const readFile = compose({
  name: 'fs.read_file',
  title: 'Read file',
  description: 'Read a UTF-8 file or a range of it, by bytes or by lines.',
  annotations: readOnly,
  mutates: false,
  input: readArguments,
  async run(args, workspace) {
    const range = rangeOf(args)
    return printRange(await readRange(args.path, range, workspace), range, workspace)
  },
})

/** Larger files are not searched, because each is held in memory. */
const maxSearchedBytes = 128 * 1024 * 1024
/** Upper bound of `context_lines`. */
const maxContextLines = 1000

const search = project(searchText, {
  name: 'fs.search_text',
  title: 'Search text',
  description:
    'Find lines by literal text or regular expression, one hit a line. Heeds .gitignore and .ignore; hidden files are left out.',
  annotations: readOnly,
  input: z.object({
    query: z.string(),
    mode: z.enum(['literal', 'regex']).default('literal').describe('Regular expressions are in Rust syntax.'),
    case_sensitive: z.boolean().default(false),
    root,
    include_globs,
    exclude_globs,
    max_results: count.default(200),
    context_lines: count.default(2).describe('Lines before and after each hit.'),
    skip: count.default(0).describe('Hits to skip.'),
  }),
  toOp: (args, { limits }) => ({
    ...selection,
    path: args.root,
    include: checkRanges(args.include_globs),
    exclude: checkRanges(args.exclude_globs),
    selectsFile: true,
    request: {
      matcher: {
        pattern: args.query,
        syntax: args.mode === 'regex' ? ('rust' as const) : ('literal' as const),
        ignoreCase: !args.case_sensitive,
      },
      mode: 'content' as const,
      before: Math.min(args.context_lines, maxContextLines),
      after: Math.min(args.context_lines, maxContextLines),
      skip: args.skip,
      limit: args.max_results,
      maxFileBytes: maxSearchedBytes,
      maxTextBytes: limits.maxFileBytes,
      maxReportedUnits: 1_000_000,
      text: { onlyUtf8: true, utf16: 'skip' as const },
    },
  }),
  print: printHits,
})

/** The tools of the Rust `fs` server: JSON text on success, JSON-RPC errors on failure. */
export const fs: Dialect = {
  name: 'fs',
  instructions: 'Fast git-aware file server with tools: search_text, read_file, list_files',
  tools: [listFiles, readFile, search].map((tool) => takingNulls({ ...tool, aliases: [tool.name.replace('fs.', '')] })),
  fail,
}
