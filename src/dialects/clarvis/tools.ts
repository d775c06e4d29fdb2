import * as z from 'zod'
import { listDirectory } from '../../ops/list-directory.js'
import { readText } from '../../ops/read-text.js'
import { type Dialect, project } from '../dialect.js'
import { printLines, printListing } from './print.js'
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
  toOp: ({ path, offset, limit }) => ({ path, startLine: offset, maxLines: limit }),
  print: printLines,
})

const listDir = project(listDirectory, {
  name: 'list_dir',
  title: 'List directory',
  description: 'List the entries of one directory: directories first, marked with a slash, then files with their size.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    path: z.string().default('.').describe('Directory to list; the workspace root by default.'),
  }),
  toOp: ({ path }) => ({ path }),
  print: printListing,
})

/** The tools of `@clarvis/agent-tools`: plain text on success, a JSON envelope on failure. */
export const clarvis: Dialect = {
  name: 'clarvis',
  tools: [readFile, listDir],
  fail,
}
