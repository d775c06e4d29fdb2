import * as z from 'zod'
import { isFsError } from '../../errors.js'
import { deleteEntry } from '../../ops/delete-entry.js'
import { describeEntry } from '../../ops/describe-entry.js'
import { directoryTree } from '../../ops/directory-tree.js'
import { listDirectory } from '../../ops/list-directory.js'
import { makeDirectory } from '../../ops/make-directory.js'
import { moveEntry } from '../../ops/move-entry.js'
import { writeFiles } from '../../ops/write-files.js'
import type { Dialect, ToolResult } from '../../tools/dialect.js'
import { compose, text } from '../../tools/make-tool.js'
import { integer, required, texts } from './arguments.js'
import { editFile, editFiles } from './edit.js'
import { executeCommand } from './execute.js'
import { allowed, allowedEntry, displayPath } from './paths.js'
import { printFile, printInfo, printListing, printOneOfMany, printTree } from './print.js'
import { maxReadBytes, readFile } from './read-file.js'
import { globSearch, grepFiles, searchFiles } from './search.js'
import { fail, failure } from './wording.js'

const observes = { readOnlyHint: true, openWorldHint: false }

const maxReadFiles = 50

const readOne = compose({
  name: 'read_file',
  title: 'Read file',
  description: 'Read a whole file: UTF-8 text, or base64 for binary files. 10 MB at the most.',
  annotations: observes,
  mutates: false,
  input: z.object({ path: required('path', 'Absolute path to the file.') }),
  run: async ({ path }, workspace, context) => printFile(await readFile(path, workspace, context)),
})

const readMany = compose({
  name: 'read_multiple_files',
  title: 'Read several files',
  description: 'Read up to 50 files, given by literal path. A failure is reported in place of the content.',
  annotations: observes,
  mutates: false,
  input: z.object({
    paths: texts('Missing required param: paths (array)', 'Absolute file paths; globs are not expanded.'),
  }),
  async run({ paths }, workspace, context): Promise<ToolResult> {
    const items: string[] = []
    // The limit of one file is also the limit of all together.
    let room = maxReadBytes
    for (const given of paths.slice(0, maxReadFiles)) {
      try {
        const file = await readFile(given, workspace, context)
        const content = printOneOfMany(file)
        room -= file.bytes.length
        items.push(`${displayPath(file.path, workspace)}:\n${room < 0 ? '[error: more than 10 MB in all]' : content}`)
      } catch (error) {
        if (!isFsError(error)) throw error
        const { message } = failure(error, workspace, { tool: 'read_multiple_files', args: {} })
        items.push(`${displayPath(given, workspace)}:\n[error: ${message}]`)
      }
    }
    if (paths.length > maxReadFiles) items.push(`[error: too many files (max ${maxReadFiles})]`)
    return { content: items.flatMap((item) => text(item).content) }
  },
})

const writeFile = compose({
  name: 'write_file',
  title: 'Write file',
  description: 'Create a file or replace its content. Missing directories are created.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  mutates: true,
  input: z.object({
    path: required('path', 'Absolute path to the file.'),
    content: required('content', 'The whole content.'),
  }),
  async run({ path: given, content }, workspace, context) {
    const path = await allowed(given, 'write', workspace)
    await workspace.run(writeFiles, { files: [{ path, content }], makeParents: true }, context)
    return `Successfully wrote ${displayPath(path, workspace)}`
  },
})

const createDirectory = compose({
  name: 'create_directory',
  title: 'Create directory',
  description: 'Create a directory and those above it; one that exists is fine.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  mutates: true,
  input: z.object({ path: required('path', 'Absolute path.') }),
  async run({ path: given }, workspace, context) {
    const path = await allowed(given, 'write', workspace)
    await workspace.run(makeDirectory, { path }, context)
    return `Created directory ${displayPath(path, workspace)}`
  },
})

const list = compose({
  name: 'list_directory',
  title: 'List directory',
  description: 'List a directory, one entry a line, marked [FILE] or [DIR].',
  annotations: observes,
  mutates: false,
  input: z.object({ path: required('path', 'Absolute path to the directory.') }),
  async run({ path: given }, workspace, context) {
    const path = await allowed(given, 'read', workspace)
    return printListing(await workspace.run(listDirectory, { path }, context))
  },
})

/** Of a larger tree, only the upper levels are returned. */
const maxTreeEntries = 100_000

const tree = compose({
  name: 'directory_tree',
  title: 'Directory tree',
  description: 'A directory and all below it, as JSON: {name, type, children}.',
  annotations: observes,
  mutates: false,
  input: z.object({
    path: required('path', 'Absolute path to the directory.'),
    depth: integer('depth').exactOptional().describe('Most levels below the directory; all unless given.'),
  }),
  async run({ path: given, depth = -1 }, workspace, context) {
    const path = await allowed(given, 'read', workspace)
    const levels = depth < 0 ? {} : { maxDepth: depth }
    const { tree: top } = await workspace.run(directoryTree, { path, maxEntries: maxTreeEntries, ...levels }, context)
    return printTree(top)
  },
})

const moveFile = compose({
  name: 'move_file',
  title: 'Move or rename',
  description:
    'Move or rename a file or directory. Missing directories are created; a file at the destination is replaced.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  mutates: true,
  input: z.object({
    source: required('source', 'Absolute path.'),
    destination: required('destination', 'Absolute path.'),
  }),
  async run({ source, destination }, workspace, context) {
    const from = await allowedEntry(source, workspace)
    const to = await allowed(destination, 'write', workspace)
    await workspace.run(moveEntry, { from, to, replace: true, makeParents: true }, context)
    return `Moved ${displayPath(from, workspace)} -> ${displayPath(to, workspace)}`
  },
})

const deleteFile = compose({
  name: 'delete_file',
  title: 'Delete',
  description: 'Delete a file, or a directory with all in it.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  mutates: true,
  input: z.object({ path: required('path', 'Absolute path.') }),
  async run({ path: given }, workspace, context) {
    const path = await allowedEntry(given, workspace)
    await workspace.run(deleteEntry, { path, recursive: true }, context)
    return `Deleted ${displayPath(path, workspace)}`
  },
})

const getFileInfo = compose({
  name: 'get_file_info',
  title: 'File information',
  description: 'Type, size, time of modification (UTC) and octal permissions of a file or directory.',
  annotations: observes,
  mutates: false,
  input: z.object({ path: required('path', 'Absolute path.') }),
  async run({ path: given }, workspace, context) {
    const path = await allowed(given, 'read', workspace)
    return printInfo(await workspace.run(describeEntry, { path }, context))
  },
})

const listAllowed = compose({
  name: 'list_allowed_directories',
  title: 'Allowed directories',
  description: 'The directories that may be accessed, and whether they may be written to.',
  annotations: observes,
  mutates: false,
  input: z.object({}),
  async run(_, workspace) {
    return workspace.fs.roots.map(({ path, access }) => `${displayPath(path, workspace)} (${access})\n`).join('')
  },
})

/** The tools of `replay --mcp-server`: failures are protocol errors, paths are absolute and canonical. */
export const replay: Dialect = {
  name: 'replay',
  serverInfo: { name: 'replay-mcp', version: '1.0.0' },
  instructions:
    'Paths are absolute and must lie in an allowed directory (list_allowed_directories). The first of them is the project directory.',
  tools: [
    readOne,
    readMany,
    writeFile,
    createDirectory,
    list,
    tree,
    moveFile,
    deleteFile,
    getFileInfo,
    listAllowed,
    editFile,
    editFiles,
    searchFiles,
    grepFiles,
    globSearch,
    executeCommand,
  ],
  fail,
}
