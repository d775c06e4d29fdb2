import * as z from 'zod'
import { applyPatch } from '../../ops/apply-patch.js'
import { editText } from '../../ops/edit-text.js'
import { findFiles } from '../../ops/find-files.js'
import { listDirectory } from '../../ops/list-directory.js'
import { readText } from '../../ops/read-text.js'
import { searchText } from '../../ops/search-text.js'
import type { GlobRules } from '../../ops/shared/selection.js'
import { writeFiles } from '../../ops/write-files.js'
import type { Encoding } from '../../text/decode/decode.js'
import type { EditOptions } from '../../text/edit/edit-types.js'
import { type Dialect, project } from '../../tools/dialect.js'
import { bash } from './bash.js'
import { printEdit, printEdits, printLines, printListing, printPatch, printWritten } from './print.js'
import { printFound, printMatches } from './print-search.js'
import { fail } from './wording.js'

const readFile = project(readText, {
  name: 'read_file',
  title: 'Read file',
  description:
    'Read a text file (UTF-8, or UTF-16 with a byte-order mark) as numbered lines. A negative offset reads the last lines.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    path: z.string().describe('File to read.'),
    offset: z.int().default(1).describe('First line, from 1; -N reads the last N lines.'),
    limit: z.int().min(1).default(2000).describe('Most lines to return.'),
  }),
  toOp: ({ path, offset, limit }, { limits: { maxFileBytes } }) => ({
    path,
    startLine: offset,
    maxLines: limit,
    maxFileBytes,
  }),
  print: printLines,
})

const writeFile = project(writeFiles, {
  name: 'write_file',
  title: 'Write file',
  description: 'Create a file or replace its whole content. The directory must exist.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    path: z.string().describe('File to write.'),
    content: z.string().describe('The whole content, exactly.'),
  }),
  toOp: ({ path, content }) => ({ files: [{ path, content }], finalLink: 'refuse' as const }),
  print: printWritten,
})

const replacement = {
  old_string: z.string().min(1).describe('Text to find, literally and without line numbers; must be unique.'),
  new_string: z.string().describe('Text to put in its place.'),
  replace_all: z.boolean().default(false).describe('Replace every exact occurrence.'),
}

const replacements = z.strictObject(replacement)

const utf8Only: Encoding[] = ['utf-8']

/** Only UTF-8 text is edited, and not through a link. */
const editable = { finalLink: 'refuse' as const, encodings: utf8Only, binaryWindow: 8000 }

/** A whole-line match is replaced as sent, without re-indenting. */
const matching: EditOptions = {
  rules: ['exact', 'line-endings', 'indentation', 'trimmed-lines', 'collapsed-whitespace', 'trimmed-substring'],
  reindent: 'none',
  endings: 'dominant',
  endingsByLine: true,
}

function literal({ old_string, new_string, replace_all }: z.output<typeof replacements>) {
  const count: 'all' | 'only' = replace_all ? 'all' : 'only'
  return { kind: 'literal' as const, find: old_string, replace: new_string, count }
}

const editArguments = z.strictObject({ path: z.string().describe('File to edit.'), ...replacement })

const editFile = project(editText, {
  name: 'edit_file',
  title: 'Edit file',
  description:
    'Replace one exact, unique occurrence of a string in a file, or all of them. Differences in white space alone are tolerated when only one place fits.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  input: editArguments,
  toOp: (args) => ({ path: args.path, edits: [literal(args)], options: matching, ...editable }),
  print: printEdit,
})

const multiEdit = project(editText, {
  name: 'multi_edit',
  title: 'Edit file in several places',
  description: 'Apply several edits to one file in order, each to the result of the one before; all of them or none.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  input: z.strictObject({
    path: z.string().describe('File to edit.'),
    edits: z.array(replacements).min(1).describe('Edits, applied in order.'),
  }),
  toOp: ({ path, edits }) => ({ path, edits: edits.map(literal), options: matching, ...editable }),
  print: printEdits,
})

const patch = project(applyPatch, {
  name: 'apply_patch',
  title: 'Apply patch',
  description: 'Apply a unified diff that modifies, creates, deletes or renames files; all of it or nothing.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  input: z.strictObject({ patch: z.string().describe('A unified diff of one or more files.') }),
  toOp: ({ patch: text }) => ({
    patch: text,
    format: 'unified' as const,
    endings: 'dominant' as const,
    repeats: 'refuse' as const,
    ...editable,
  }),
  print: printPatch,
})

/** An empty path means the root. */
function directory(path: string): string {
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

const listDir = project(listDirectory, {
  name: 'list_dir',
  title: 'List directory',
  description: 'List the entries of one directory: directories first, marked with a slash, then files with their size.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    path: z.string().default('.').describe('Directory to list; the workspace root by default.'),
  }),
  toOp: ({ path }) => ({ path: directory(path) }),
  print: printListing,
})

/** Left out by both searching tools, with or without `.gitignore`. */
const alwaysIgnored = ['.git', '.clarvis', '.clarvis-tmp-*']

/** Patterns of `glob` are relative to the directory; a name without a slash given to `grep` matches at any depth. */
const globRules: GlobRules = { slashless: 'at-base', starCrosses: false, ignoreCase: false, dot: true }
const grepGlobRules: GlobRules = { ...globRules, slashless: 'any-depth' }

const glob = project(findFiles, {
  name: 'glob',
  title: 'Find files',
  description: 'Find files by glob pattern, most recently modified first. Hidden files are included.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    pattern: z.string().describe('Glob pattern, such as **/*.ts.'),
    path: z.string().default('.').describe('Directory to search; the workspace root by default.'),
    respect_gitignore: z.boolean().default(true).describe('Leave out what git ignores, and .git.'),
  }),
  toOp: ({ pattern, path, respect_gitignore }) => ({
    path: directory(path),
    include: [pattern],
    includeRules: globRules,
    onlyFiles: true,
    sortBy: 'modified' as const,
    ...(respect_gitignore && { ignore: { always: alwaysIgnored } }),
  }),
  print: printFound,
})

const grep = project(searchText, {
  name: 'grep',
  title: 'Search file contents',
  description:
    'Search file contents by regular expression (Rust syntax), past .gitignore, binary and oversized files. Sorted by path, then line.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: grepArguments,
  toOp: (args, { limits }) => ({
    path: directory(args.path),
    ...(args.glob !== undefined && { include: [args.glob] }),
    includeRules: grepGlobRules,
    ignore: { always: alwaysIgnored },
    request: {
      matcher: {
        pattern: args.pattern,
        syntax: 'rust' as const,
        ignoreCase: args.ignore_case,
        multiline: args.multiline,
      },
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

/** The tools of `@clarvis/agent-tools`: plain text on success, a JSON envelope on failure. */
export const clarvis: Dialect = {
  name: 'clarvis',
  tools: [readFile, writeFile, editFile, multiEdit, patch, listDir, glob, grep, bash],
  fail,
}
