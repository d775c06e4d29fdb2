import type { FsError } from '../../errors.js'
import { printable } from '../../text/printable.js'
import type { FailedCall, Failure } from '../../tools/dialect.js'
import { forbiddenWords, unapprovedWords, type Wording, word } from '../../tools/wording.js'
import type { Workspace } from '../../workspace/workspace.js'
import { displayPath } from './paths.js'

/** A JSON-RPC error. */
export interface ProtocolError {
  code: number
  message: string
}

/** Error codes of the original, besides those of JSON-RPC. */
const notAllowed = -32001
const notFound = -32002
const unknownMethod = -32601
const invalidParams = -32602
const failed = -32603

export function fail(error: FsError, workspace: Workspace, call: FailedCall): Failure {
  return { protocolError: failure(error, workspace, call) }
}

/** A failure in the words of the called tool. */
export function failure(error: FsError, workspace: Workspace, call: FailedCall): ProtocolError {
  const worded = word(wording, error, workspace)
  if (typeof worded === 'function') return worded(call)
  if ('message' in worded) return worded
  if (isGlobOf(call, worded.path))
    return { code: notFound, message: `Glob matched no files: ${printable(worded.path)}` }
  const isMissing = error.code === 'NOT_A_DIRECTORY' && takesFile.includes(call.tool)
  const attempt =
    attempts[call.tool]?.(displayPath(worded.path, workspace)) ??
    `failed to access "${displayPath(worded.path, workspace)}"`
  return { code: isMissing ? notFound : worded.code, message: `${attempt}: ${worded.reason}` }
}

/** True for a path that was sent as a glob. In a list of paths, a file found by a glob is reported under its own name. */
function isGlobOf({ tool, args }: FailedCall, path: string): boolean {
  if (tool !== 'edit_files' || !/[*?[{}]/.test(path)) return false
  return (args as { paths: unknown[] }).paths.includes(path)
}

/** What the original says it attempted when the system refused. */
const attempts: Readonly<Record<string, (path: string) => string>> = {
  read_file: (path) => `failed to open "${path}" for reading`,
  read_multiple_files: () => 'Cannot open file',
  write_file: (path) => `failed to create file "${path}"`,
  create_directory: (path) => `failed to create directory "${path}"`,
  list_directory: (path) => `failed to list directory "${path}"`,
  directory_tree: (path) => `failed to list directory "${path}"`,
  move_file: (path) => `failed to move "${path}"`,
  delete_file: (path) => `failed to delete "${path}"`,
  edit_file: (path) => `failed to open "${path}"`,
  edit_files: (path) => `failed to open "${path}"`,
}

/** Tools that report a file in place of a parent directory as a missing file. */
const takesFile = ['read_file', 'read_multiple_files', 'get_file_info', 'edit_file', 'edit_files', 'delete_file']

/** A complete error, the system's reason at a path, or a message that depends on the call. */
type Word = ProtocolError | { code: number; path: string; reason: string } | ((call: FailedCall) => ProtocolError)

function because(reason: string, code = failed) {
  return ({ path }: { path: string }): Word => ({ code, path, reason })
}

function outside({ path }: { path: string }, workspace: Workspace): Word {
  const message = `Path not allowed: ${displayPath(path, workspace)} is outside the allowed directories (use list_allowed_directories to see them)`
  return { code: notAllowed, message }
}

function unresolvable({ path }: { path: string }): Word {
  return { code: notAllowed, message: `Cannot resolve path: ${printable(path.slice(0, 200))}` }
}

const wording: Wording<Word> = {
  NOT_FOUND: because('No such file or directory', notFound),
  EXISTS: because('File exists'),
  NOT_A_DIRECTORY: because('Not a directory'),
  IS_A_DIRECTORY: because('Is a directory'),
  NOT_EMPTY: because('Directory not empty'),
  SPECIAL_FILE: because('Not a regular file'),
  IS_LINK: because('Is a symbolic link'),
  NOT_A_LINK: because('Not a symbolic link'),
  LINK_LOOP: unresolvable,
  OUTSIDE: outside,
  READ_ONLY: outside,
  PROTECTED: ({ path }, workspace) => ({
    code: notAllowed,
    message: `Path not allowed: ${displayPath(path, workspace)} is protected from writing`,
  }),
  FORBIDDEN: (facts, workspace) => ({
    code: notAllowed,
    message: `Path not allowed: ${displayPath(facts.path, workspace)}: ${forbiddenWords(facts)}`,
  }),
  NEEDS_APPROVAL: (facts, workspace) => ({
    code: notAllowed,
    message: `Path not allowed: ${displayPath(facts.path, workspace)}: ${unapprovedWords(facts)}`,
  }),
  IS_ROOT: ({ path }, workspace) => ({
    code: notAllowed,
    message: `Path not allowed: ${displayPath(path, workspace)} is an allowed directory itself and can't be moved or deleted`,
  }),
  ROOT_GONE: because(
    'The allowed directory was removed or replaced since the server was started; the server has to be restarted',
    notFound,
  ),
  DENIED: because('Permission denied'),
  INVALID_PATH: unresolvable,
  INTO_ITSELF: because('Invalid argument'),
  CROSS_DEVICE: because('Cross-device link'),
  BUSY: because('Resource busy'),
  NO_SPACE: because('No space left on device'),
  TOO_MANY_OPEN: because('Too many open files'),
  TOO_LARGE: ({ limit }) => ({
    code: failed,
    message: `File exceeds ${limit < 1_000_000 ? `${limit} byte` : `${Math.floor(limit / 1_000_000)} MB`} limit`,
  }),
  BINARY: because('Not a text file'),
  UNENCODABLE: ({ path, encoding, character }) => ({
    code: failed,
    path,
    reason: `Encoding ${encoding} has no character ${JSON.stringify(character)}`,
  }),
  WRONG_ENCODING: ({ path, encoding }) => ({ code: failed, path, reason: `Unsupported encoding ${encoding}` }),
  LINE_OUT_OF_RANGE: ({ line, lineCount }) => ({ code: failed, message: `No line ${line} of ${lineCount}` }),
  NO_MATCH:
    ({ edit }) =>
    ({ args }) => {
      const { oldText, isRegex } = editAt(args, edit)
      return { code: failed, message: `${isRegex ? 'pattern' : 'oldText'} not found: ${oldText}` }
    },
  AMBIGUOUS_MATCH:
    ({ edit, count, rule }) =>
    ({ args }) => ({
      code: failed,
      message:
        rule === 'exact'
          ? `oldText is not unique: found ${count} occurrences of "${editAt(args, edit).oldText}". Add surrounding context so it matches exactly one, or set limit:0 to replace all (limit:N for the first N).`
          : `oldText is not unique: found ${count} whitespace-normalized matches for the given block. Add surrounding lines so it matches exactly one place.`,
    }),
  NO_CHANGE: () => ({ code: failed, message: 'oldText and newText are identical' }),
  INVALID_EDIT: ({ reason, group }) => {
    if (reason === 'empty-search') return { code: failed, message: 'oldText must not be empty' }
    if (group === undefined) return { code: failed, message: `invalid edit: ${reason}` }
    const { reference, count } = group
    const has = count === 0 ? 'no capture groups' : `only ${count} capture group${count === 1 ? '' : 's'}`
    return {
      code: failed,
      message: `replacement references capture group ${reference} (\\${reference} or $${reference}) but the pattern has ${has}; wrap what it should insert in parentheses, or use $& for the whole match and $$ for a literal $`,
    }
  },
  STALE: because('Changed since it was read'),
  CONFLICT: because('Changed by someone else meanwhile'),
  UNKNOWN_POINT: ({ point }) => ({ code: failed, message: `No such point in the history: ${point}` }),
  NOT_UNDOABLE: ({ point }) => ({ code: failed, message: `Can't be taken back: ${point}` }),
  MALFORMED_PATCH: ({ line, reason }) => ({ code: failed, message: `Malformed patch: line ${line}: ${reason}` }),
  UNEXPECTED_COUNT: ({ expected, actual }) => ({
    code: failed,
    message: `Found ${actual} places, not ${expected}`,
  }),
  CLASHING_PATHS: because('Named more than once'),
  REPEATED_PATH: because('Named more than once'),
  PATCH_MISMATCH: because('The patch does not apply'),
  INVALID_PATTERN: ({ pattern, reason }) => patternFault(pattern, reason),
  PATTERN_TOO_COMPLEX: ({ pattern, reason }) => patternFault(pattern, `too complex: ${reason}`),
  NOT_A_REPOSITORY: because('Not a git repository'),
  GIT_REFUSED: ({ reason, subject }) => ({
    code: failed,
    message: `git: ${[reason, ...(subject === undefined ? [] : [printable(subject)])].join(' ')}`,
  }),
  BAD_ARCHIVE: ({ reason, entry }) => ({
    code: failed,
    message: `Archive refused (${reason})${entry === undefined ? '' : `: ${printable(entry)}`}`,
  }),
  ARCHIVE_TOO_LARGE: ({ what, limit, entry }) => ({
    code: failed,
    message: `Archive exceeds ${limit} (${what})${entry === undefined ? '' : `: ${printable(entry)}`}`,
  }),
  UNSUPPORTED: because('Operation not supported'),
  INVALID_INPUT: ({ issues }) => ({ code: invalidParams, message: issues[0]?.message ?? 'Invalid params' }),
  ANSWER_GONE: () => ({ code: failed, message: 'The rest of the answer is gone' }),
  UNKNOWN_TOOL: ({ name }) => ({ code: unknownMethod, message: `Unknown tool: ${name}` }),
  OVERLOADED: ({ what }) => ({ code: failed, message: `Too many ${what} are running, try again` }),
  ABORTED: () => ({ code: failed, message: 'The call was cancelled' }),
  INTERNAL: () => ({ code: failed, message: 'Internal error' }),
  IO: ({ path, detail }) => ({ code: failed, path, reason: detail }),
}

/** Whether a pattern is a regular expression or a glob decides the message. */
function patternFault(pattern: string, reason: string): Word {
  return ({ tool, args }) => {
    const { regex, edits } = (args ?? {}) as { regex?: unknown; edits?: unknown }
    // The error has only the beginning of a long pattern.
    if (typeof regex === 'string' && regex.startsWith(pattern))
      return { code: failed, message: `Invalid regex: ${reason}` }
    const isEdit = tool.startsWith('edit') && Array.isArray(edits)
    if (isEdit && edits.some((_, index) => editAt(args, index).oldText.startsWith(pattern))) {
      return { code: failed, message: `regex compile error: ${reason}` }
    }
    return { code: invalidParams, message: `Invalid glob ${printable(pattern)}: ${reason}` }
  }
}

/** One of the edits of a call whose arguments have been checked. */
function editAt(args: unknown, index: number): { oldText: string; isRegex?: boolean } {
  const { edits } = args as { edits: Array<{ oldText: string; isRegex?: boolean }> }
  return edits[index] ?? { oldText: '' }
}
