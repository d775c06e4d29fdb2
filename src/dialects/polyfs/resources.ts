/** Files as resources: `polyfs:///path`. */
import { FsError, isFsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import { findFiles } from '../../ops/find-files.js'
import { encodeBytes } from '../../text/decode/byte-encodings.js'
import type { Prompt, Resources } from '../../tools/dialect.js'
import { fileUri, mimeTypeOf } from './binary-content.js'
import { openFile } from './open-file.js'
import { fingerprint, readCursor, writeCursor } from './paging/cursor.js'
import { neverSearched } from './tools/list-and-glob.js'
import { displayPath } from './wording.js'

const pageSize = 200
/** Entries visited for a listing; files beyond can be read, but are not listed. */
const maxListedEntries = 20_000
/** Still within what clients accept, after base64. */
const maxResourceBytes = 5_000_000

const listing = { tool: 'resources', args: {} }

export const resources: Resources = {
  template: {
    uriTemplate: 'polyfs:///{+path}',
    name: 'A file',
    description: 'Any file of the workspace by its absolute path.',
  },

  async list(workspace, cursor, context) {
    const wanted = { ignore: {}, exclude: neverSearched(workspace), others: false, sortBy: 'path' as const }
    const found = await workspace.run(findFiles, { ...wanted, maxEntries: maxListedEntries }, context)
    const paths = found.entries.map(({ path }) => join(found.path, path))
    const start = cursor === undefined ? 0 : startOf(cursor, paths, found.path)
    const end = Math.min(paths.length, start + pageSize)
    return {
      resources: paths.slice(start, end).map((path) => ({ uri: fileUri(path), name: displayPath(path, workspace) })),
      ...(end < paths.length && { cursor: writeCursor(listing, [end, markOf(paths, end)]) }),
    }
  },

  async read(uri, workspace, context) {
    const path = pathOf(uri)
    const maxFileBytes = Math.min(workspace.limits.maxFileBytes, maxResourceBytes)
    const { text, bytes } = await openFile({ path, maxFileBytes }, workspace, context)
    if (text !== undefined) return { uri, mimeType: 'text/plain', text: text.toWellFormed() }
    return { uri, mimeType: mimeTypeOf(bytes), blob: encodeBytes(bytes, 'base64') }
  },

  uriOf: fileUri,
  pathOf,

  async complete(value, { fs }) {
    const start = value.lastIndexOf('/') + 1
    const directory = value.slice(0, start)
    try {
      const entries = await fs.readDir(fs.resolve(`/${directory}`))
      return entries
        .map(({ name, kind }) => `${directory}${name}${kind === 'directory' ? '/' : ''}`)
        .filter((path) => path.startsWith(value))
        .sort()
    } catch (error) {
      if (!isFsError(error)) throw error
      // Directories above the roots can't be listed, so the roots are suggested.
      return fs.roots.map(({ path }) => `${path.slice(1)}/`).filter((path) => path.startsWith(value))
    }
  },
}

function startOf(cursor: string, paths: readonly string[], path: string): number {
  const [end, mark] = readCursor(cursor, listing)
  if (typeof end === 'number' && markOf(paths, end) === mark) return end
  throw new FsError('STALE', { path, expected: String(mark), actual: fingerprint(String(paths.length)) })
}

function markOf(paths: readonly string[], end: number): string {
  return fingerprint(paths.slice(0, end).join('\n'))
}

function pathOf(uri: string): string {
  const [, path] = /^polyfs:\/\/(\/.*)$/.exec(uri) ?? []
  try {
    if (path !== undefined) return decodeURIComponent(path)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
  }
  throw new FsError('INVALID_PATH', { path: uri, reason: 'reserved-character' })
}

/** Prompts to begin a conversation with. */
export const prompts: readonly Prompt[] = [
  {
    name: 'explore',
    title: 'Get to know this project',
    description: 'Explore without changing anything, and report what is there.',
    arguments: [{ name: 'question', description: 'What you want to know' }],
    write: ({ question = 'What is this project, how is it built, and where would a newcomer start reading?' }) =>
      [
        question,
        '',
        'Start with the workspace tool, then list_dir with depth 2. Use grep with output "files" or "count" to find where something',
        'is, with exclude for what does not matter, and read the parts of files that you need, several in one call. When a result gives a',
        'cursor, repeat the call with it only if you need the rest. Notes in brackets say what was left out, such as ignored and binary',
        'files; read them before you conclude that something does not exist.',
        'Change nothing.',
      ].join('\n'),
  },
  {
    name: 'careful_change',
    title: 'Change something, step by step',
    description: 'Make a change so that each step can be checked and all of it taken back.',
    arguments: [{ name: 'change', description: 'What should be different', required: true }],
    write: ({ change = '' }) =>
      [
        change,
        '',
        'First set a checkpoint with history. Read what you will change, and pass the hash that read_file gives as expected_hash, so',
        'that nothing is overwritten that you have not seen. Prefer edit_file to write_file: it keeps the encoding and the line endings.',
        'The same change in many files is one call with glob or paths; try it with dry_run, and require the number of places with',
        'expected_count. An edit that fails says why and what to send instead. At the end show history with action "diff" and the',
        'checkpoint as point, and offer to restore it.',
      ].join('\n'),
  },
]
