import type { FsError, InputIssue } from '../../errors.js'
import { printable } from '../../text/printable.js'
import type { FailedCall, Failure } from '../../tools/dialect.js'
import { forbiddenWords, unapprovedWords, type Wording, wordShown } from '../../tools/wording.js'
import type { Workspace } from '../../workspace/workspace.js'

/** JSON-RPC error codes. */
const invalidParams = -32602
const internalError = -32603

/** Arguments that do not fit the schema get the code for invalid parameters; other failures name the tool. */
export function fail(error: FsError, workspace: Workspace, { tool, args }: FailedCall): Failure {
  const name = tool.replace(/^fs\./, '')
  const message = specialCase(error, name, args) ?? wordShown(wording, error, workspace)
  const isUnfit = error.code === 'UNKNOWN_TOOL' || (error.code === 'INVALID_INPUT' && !isOurs(error))
  return {
    protocolError: isUnfit
      ? { code: invalidParams, message }
      : { code: internalError, message: `${name}_failed: ${message}` },
  }
}

/** Messages that depend on the tool: a bad pattern is a glob or the query, and only `read_file` is about a file. */
function specialCase({ code, facts }: FsError, tool: string, args: unknown): string | undefined {
  const { root, query } = (args ?? {}) as { root?: unknown; query?: unknown }
  if (code === 'INVALID_PATTERN' && 'pattern' in facts && tool === 'search_text') {
    return String(query).startsWith(facts.pattern) ? `invalid regex: ${query}` : undefined
  }
  if (tool === 'read_file') return undefined
  const start = printable(String(root ?? '.'))
  if (code === 'NOT_FOUND') return `${tool} root path does not exist: ${start}`
  if (code === 'NOT_A_DIRECTORY') return `${tool} root path is not a directory: ${start}`
  if (code === 'OUTSIDE') return `${tool} root escapes repository root: ${start}`
  return undefined
}

/** Issues of our own checks, which the schema can't express. */
function isOurs({ facts }: FsError): boolean {
  return 'issues' in facts && facts.issues.every(({ kind }) => kind === 'other')
}

function about(sentence: string) {
  return ({ path }: { path: string }): string => `${sentence}: ${printable(path)}`
}

const wording: Wording<string> = {
  NOT_FOUND: about('failed to canonicalize path'),
  EXISTS: about('path already exists'),
  NOT_A_DIRECTORY: about('failed to canonicalize path'),
  IS_A_DIRECTORY: about('read_file target is not a regular file'),
  NOT_EMPTY: about('directory is not empty'),
  SPECIAL_FILE: about('read_file target is not a regular file'),
  IS_LINK: about('path is a symbolic link'),
  NOT_A_LINK: about('path is not a symbolic link'),
  LINK_LOOP: about('failed to canonicalize path'),
  OUTSIDE: ({ path }, { fs, root }) => `path escapes repository root: ${printable(fs.showFull(path, root))}`,
  READ_ONLY: about('path is read-only'),
  PROTECTED: about('path is protected'),
  FORBIDDEN: (facts) => about(forbiddenWords(facts))(facts),
  NEEDS_APPROVAL: (facts) => about(unapprovedWords(facts))(facts),
  IS_ROOT: about('path is the repository root'),
  ROOT_GONE: about(
    'repository root was removed or replaced since the server was started; the server has to be restarted',
  ),
  DENIED: about('failed to open file'),
  INVALID_PATH: ({ path, reason }) => `invalid path (${reason}): ${printable(path.slice(0, 200))}`,
  INTO_ITSELF: about('directory cannot be moved into itself'),
  CROSS_DEVICE: about('path is on another file system'),
  BUSY: about('path is in use'),
  NO_SPACE: about('no space left'),
  TOO_MANY_OPEN: about('too many open files'),
  TOO_LARGE: ({ path, size, limit }) => `file of ${size} bytes exceeds ${limit}: ${printable(path)}`,
  BINARY: about('file is not valid UTF-8, binary files are not supported'),
  UNENCODABLE: about('the encoding of the file does not have a character'),
  WRONG_ENCODING: about('file is not valid UTF-8, binary files are not supported'),
  LINE_OUT_OF_RANGE: ({ line, lineCount }) => `line ${line} is out of range (${lineCount} lines)`,
  NO_MATCH: about('text not found'),
  AMBIGUOUS_MATCH: about('text found more than once'),
  NO_CHANGE: about('nothing to change'),
  INVALID_EDIT: about('invalid edit'),
  STALE: about('file has changed'),
  CONFLICT: about('file was changed by someone else'),
  UNKNOWN_POINT: ({ point }) => `no such point: ${point}`,
  NOT_UNDOABLE: ({ point }) => `cannot be undone: ${point}`,
  MALFORMED_PATCH: ({ line, reason }) => `malformed patch, line ${line}: ${reason}`,
  UNEXPECTED_COUNT: ({ expected, actual }) => `found ${actual} places, not ${expected}`,
  CLASHING_PATHS: about('path is there more than once'),
  REPEATED_PATH: about('path is there more than once'),
  PATCH_MISMATCH: about('patch does not apply'),
  INVALID_PATTERN: ({ pattern }) => `invalid glob pattern: ${pattern}`,
  PATTERN_TOO_COMPLEX: ({ pattern, reason }) => `pattern too complex (${reason}): ${pattern}`,
  NOT_A_REPOSITORY: about('not a git repository'),
  GIT_REFUSED: ({ reason, subject }) =>
    `git: ${[reason, ...(subject === undefined ? [] : [printable(subject)])].join(' ')}`,
  BAD_ARCHIVE: ({ reason, entry }) =>
    `archive refused (${reason})${entry === undefined ? '' : `: ${printable(entry)}`}`,
  ARCHIVE_TOO_LARGE: ({ what, limit, entry }) =>
    `archive exceeds ${limit} (${what})${entry === undefined ? '' : `: ${printable(entry)}`}`,
  UNSUPPORTED: ({ operation }) => `${operation} is not supported here`,
  INVALID_INPUT: ({ issues }) => issues.map(wordIssue).join('; '),
  ANSWER_GONE: () => 'the rest of the answer is gone',
  UNKNOWN_TOOL: () => 'tool not found',
  OVERLOADED: ({ what }) => `too many ${what} are running, try again`,
  ABORTED: () => 'cancelled',
  INTERNAL: () => 'internal error',
  IO: ({ path, detail }) => `${detail}: ${printable(path)}`,
}

/** Worded like the argument parser of the original. */
function wordIssue({ at, kind, expected, message }: InputIssue): string {
  const place = at.join('.')
  switch (kind) {
    case 'missing':
      return `failed to deserialize parameters: missing field \`${place}\``
    case 'unknown-key':
      return `failed to deserialize parameters: unknown field \`${expected}\``
    case 'wrong-type':
      return `failed to deserialize parameters: invalid type for \`${place}\`, expected ${expected}`
    case 'too-small':
    case 'too-big':
      return `failed to deserialize parameters: invalid value for \`${place}\`, bound is ${expected}`
    case 'not-allowed':
      return `failed to deserialize parameters: unknown variant for \`${place}\`, expected one of ${expected}`
    case 'other':
      return message
  }
}
