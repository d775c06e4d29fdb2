import type { FsError, InputIssue } from '../../errors.js'
import { isWithin, relative } from '../../fs/path.js'
import { printable } from '../../text/printable.js'
import type { Workspace } from '../../workspace.js'
import { type Failure, text, type Wording, word } from '../dialect.js'

/** The envelope every failure comes in. */
interface Envelope {
  error: string
  message: string
  [field: string]: unknown
}

export function fail(error: FsError, workspace: Workspace): Failure {
  return { result: text(JSON.stringify(word(wording, error, workspace))) }
}

/** Paths are told from the workspace root; what lies outside, as it was given. */
function shown(path: string, { root }: Workspace): string {
  if (!path.startsWith('/') || !isWithin(root, path)) return printable(path)
  return printable(relative(root, path)) || '.'
}

function about(error: string, sentence: (path: string) => string) {
  return ({ path }: { path: string }, workspace: Workspace): Envelope => {
    const name = shown(path, workspace)
    return { error, message: sentence(name), path: name }
  }
}

const wording: Wording<Envelope> = {
  NOT_FOUND: about('not_found', (path) => `No such file: ${path}`),
  EXISTS: about('invalid_input', (path) => `Already exists: ${path}`),
  NOT_A_DIRECTORY: about('not_a_file', (path) => `Not a directory: ${path}`),
  IS_A_DIRECTORY: about('not_a_file', (path) => `Path is a directory: ${path}`),
  NOT_EMPTY: about('io_error', (path) => `ENOTEMPTY: directory not empty: ${path}`),
  SPECIAL_FILE: about('not_a_file', (path) => `Not a regular file: ${path}`),
  IS_LINK: about('invalid_input', (path) => `Refusing to write through a symlink: ${path}`),
  NOT_A_LINK: about('invalid_input', (path) => `Not a symlink: ${path}`),
  LINK_LOOP: about('io_error', (path) => `ELOOP: too many symbolic links: ${path}`),
  OUTSIDE: about('path_escape', (path) => `Path escapes the workspace root: ${path}`),
  READ_ONLY: about('io_error', (path) => `EROFS: read-only: ${path}`),
  PROTECTED: about('io_error', (path) => `EACCES: protected from writing: ${path}`),
  IS_ROOT: about('invalid_input', (path) => `The workspace root can't be moved or removed: ${path}`),
  DENIED: about('io_error', (path) => `EACCES: permission denied: ${path}`),
  INVALID_PATH: ({ path, reason }, workspace) => ({
    error: 'invalid_input',
    message: `Invalid path (${reason}): ${shown(path.slice(0, 200), workspace)}`,
  }),
  INTO_ITSELF: about('invalid_input', (path) => `A directory can't be moved into itself: ${path}`),
  CROSS_DEVICE: about('io_error', (path) => `EXDEV: cross-device move: ${path}`),
  BUSY: about('io_error', (path) => `EBUSY: in use by someone else, try again: ${path}`),
  NO_SPACE: about('io_error', (path) => `ENOSPC: no space left: ${path}`),
  TOO_MANY_OPEN: about('io_error', (path) => `EMFILE: too many open files, try again: ${path}`),
  TOO_LARGE: ({ path, size, limit }, workspace) => ({
    error: 'too_large',
    message: `File is ${size} bytes, exceeding the ${limit}-byte limit (raise MAX_FILE_BYTES): ${shown(path, workspace)}`,
    path: shown(path, workspace),
    size,
    limit,
  }),
  BINARY: about('is_binary', (path) => `File appears to be binary: ${path}`),
  LINE_OUT_OF_RANGE: ({ path, line, lineCount }, workspace) =>
    line === 0
      ? {
          error: 'invalid_input',
          message: 'offset must be non-zero: use a positive 1-indexed line, or a negative tail offset.',
        }
      : {
          error: 'invalid_input',
          message: `offset ${line} exceeds file line count ${lineCount}; read from offset 1..${lineCount}`,
          path: shown(path, workspace),
          line_count: lineCount,
        },
  UNSUPPORTED: ({ operation }) => ({ error: 'io_error', message: `ENOSYS: ${operation} is not supported here` }),
  INVALID_INPUT: ({ issues }) => ({ error: 'invalid_input', message: issues.map(wordIssue).join('; ') }),
  UNKNOWN_TOOL: ({ name }) => ({ error: 'not_found', message: `Unknown tool: ${name}` }),
  ABORTED: () => ({ error: 'aborted', message: 'The call was cancelled.' }),
  INTERNAL: () => ({ error: 'internal', message: 'internal error' }),
  IO: ({ path, detail }, workspace) => ({
    error: 'io_error',
    message: `${detail}: ${shown(path, workspace)}`,
    path: shown(path, workspace),
  }),
}

/** As the JSON-schema validator of the original words it. */
function wordIssue({ at, kind, expected, message }: InputIssue): string {
  const place = ['data', ...at].join('/')
  switch (kind) {
    case 'missing':
      return `${['data', ...at.slice(0, -1)].join('/')} must have required property '${at.at(-1)}'`
    case 'unknown-key':
      return `${place} must NOT have additional properties ('${expected}')`
    case 'wrong-type':
      return `${place} must be ${expected}`
    case 'too-small':
      return `${place} must be >= ${expected}`
    case 'too-big':
      return `${place} must be <= ${expected}`
    case 'not-allowed':
      return `${place} must be equal to one of the allowed values: ${expected}`
    case 'other':
      return `${place}: ${message}`
  }
}
