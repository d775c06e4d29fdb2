import * as z from 'zod'
import { FsError } from '../../errors.js'
import { isWithin } from '../../fs/path.js'
import { findFiles } from '../../ops/find-files.js'
import { inspectPattern, type MatcherSpec, searchText } from '../../ops/search-text.js'
import { escapeGlob, type GlobRules } from '../../ops/shared/selection.js'
import { project } from '../../tools/make-tool.js'
import type { Workspace } from '../../workspace/workspace.js'
import { printFound, printMatches } from './print-search.js'

/** An empty path means the root. */
export function directory(path: string): string {
  return path === '' ? '.' : path
}

const contextLines = z.int().min(0)

const grepArguments = z.strictObject({
  pattern: z.string().describe('Regular expression, in Rust syntax.'),
  path: z.string().default('.').describe('File or directory to search; the workspace root by default.'),
  glob: z.string().exactOptional().describe('Only files that match this glob.'),
  output_mode: z.enum(['files_with_matches', 'content', 'count']).default('files_with_matches'),
  ignore_case: z.boolean().default(false),
  multiline: z.boolean().default(false).describe('Matches may span lines, and . matches line ends.'),
  context: contextLines.default(0).describe('Lines around each match, in content mode.'),
  before_context: contextLines.exactOptional().describe('Lines before each match, instead of context.'),
  after_context: contextLines.exactOptional().describe('Lines after each match, instead of context.'),
  head_limit: z.int().min(1).exactOptional().describe('Most results to return.'),
  offset: z.int().min(0).default(0).describe('Results to skip.'),
})

/** Left out by both searching tools, with or without `.gitignore`. */
const alwaysIgnored = ['.git', '.clarvis', '.clarvis-tmp-*']

/** Patterns of `glob` are relative to the directory; a name without a slash given to `grep` matches at any depth. */
const grepGlobRules: GlobRules = { slashless: 'any-depth', starCrosses: false, ignoreCase: false, dot: true }
const globRules: GlobRules = { ...grepGlobRules, slashless: 'at-base', extended: true, expandsDirectories: true }

export const glob = project(findFiles, {
  name: 'glob',
  title: 'Find files',
  description: 'Find files by glob pattern, most recently modified first. Hidden files are included.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    pattern: z.string().describe('Glob pattern, such as **/*.ts.'),
    path: z.string().default('.').describe('Directory to search; the workspace root by default.'),
    respect_gitignore: z.boolean().default(true).describe('Leave out what git ignores, and .git.'),
  }),
  toOp: ({ pattern, path, respect_gitignore }, workspace) => ({
    ...(relativeToRoot(pattern, workspace) ?? { path: directory(path), include: [pattern] }),
    includeRules: globRules,
    onlyFiles: true,
    linkedDirectories: true,
    sortBy: 'modified' as const,
    ...(respect_gitignore && { ignore: { always: alwaysIgnored, startToo: true } }),
  }),
  print: printFound,
})

/** An absolute pattern counts from the root that it leads into, whatever the path is. */
function relativeToRoot(given: string, { fs }: Workspace): { path: string; include: string[] } | undefined {
  const pattern = fs.pattern(given)
  for (const { path, aliases = [] } of fs.roots) {
    for (const name of [path, ...aliases].flatMap((each) => [each, escapeGlob(each)])) {
      if (!pattern.startsWith('/') || !isWithin(fs.comparable(name), fs.comparable(pattern))) continue
      const rest = pattern.slice(name.length + 1)
      return { path, include: [rest === '' ? '**' : rest] }
    }
  }
  return undefined
}

/** As ripgrep reads its option: a leading `!` leaves files out. */
function globsOf(glob: string | undefined): { include?: string[]; exclude?: string[] } {
  if (glob === undefined || glob === '') return {}
  return glob.startsWith('!') ? { exclude: [glob.slice(1)] } : { include: [glob] }
}

/** Lines are searched one by one: a pattern with a line break would find nothing, without a reason. */
function matcherOf({ pattern, ignore_case, multiline }: z.output<typeof grepArguments>): MatcherSpec {
  const matcher: MatcherSpec = { pattern, syntax: 'rust', ignoreCase: ignore_case, multiline }
  if (multiline || !inspectPattern(matcher).lineBreaks) return matcher
  const reason = String.raw`the literal "\n" is not allowed in a pattern. Consider searching across lines (multiline: true).`
  throw new FsError('INVALID_PATTERN', { pattern, reason })
}

export const grep = project(searchText, {
  name: 'grep',
  title: 'Search file contents',
  description:
    'Search file contents by regular expression (Rust syntax), past .gitignore, binary and oversized files. Sorted by path, then line.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: grepArguments,
  toOp: (args, { limits }) => ({
    path: directory(args.path),
    ...globsOf(args.glob),
    includeRules: grepGlobRules,
    ignore: { always: alwaysIgnored },
    request: {
      matcher: matcherOf(args),
      mode: ({ files_with_matches: 'files', content: 'content', count: 'count' } as const)[args.output_mode],
      before: args.before_context ?? args.context,
      after: args.after_context ?? args.context,
      skip: args.offset,
      total: true,
      maxFileBytes: limits.maxFileBytes,
      maxTextBytes: limits.maxOutputBytes,
      text: { nul: { first: 8000, last: 8000 }, utf16: 'skip' as const },
      carriageReturnEndsLine: true,
      ...(args.head_limit !== undefined && { limit: args.head_limit }),
    },
  }),
  print: printMatches,
})
