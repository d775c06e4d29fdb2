import * as z from 'zod'
import { applyPatch } from '../../ops/apply-patch.js'
import { editText } from '../../ops/edit-text.js'
import { listDirectory } from '../../ops/list-directory.js'
import { readText } from '../../ops/read-text.js'
import { writeFiles } from '../../ops/write-files.js'
import type { Encoding } from '../../text/decode/decode.js'
import type { EditOptions } from '../../text/edit/edit-types.js'
import type { Dialect } from '../../tools/dialect.js'
import { project } from '../../tools/make-tool.js'
import { bash } from './bash.js'
import { printEdit, printEdits, printLines, printListing, printPatch, printWritten } from './print.js'
import { directory, glob, grep } from './search.js'
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

/** The tools of `@clarvis/agent-tools`: plain text on success, a JSON envelope on failure. */
export const clarvis: Dialect = {
  name: 'clarvis',
  tools: [readFile, writeFile, editFile, multiEdit, patch, listDir, glob, grep, bash],
  fail,
}
