import { type FsError, type InputIssue, isFsError, type PathFault } from '../../errors.js'
import { isWithin } from '../../fs/path.js'
import { shownPath } from '../../ops/shared/display-path.js'
import type { GlobFault } from '../../ops/shared/selection.js'
import { printable } from '../../text/printable.js'
import type { FailedCall, Failure, ToolResult } from '../../tools/dialect.js'
import { forbiddenWords, unapprovedWords, type Wording, wordShown } from '../../tools/wording.js'
import type { Workspace } from '../../workspace/workspace.js'

type Code = keyof typeof suggestions

interface Message {
  code: Code
  message: string
  path?: string
}

/** Failures are results; only an unknown tool is a protocol error. */
export function fail(error: FsError, workspace: Workspace, { tool, args }: FailedCall): Failure {
  if (error.code === 'UNKNOWN_TOOL')
    return { protocolError: { code: -32602, message: `Tool ${printable(tool)} not found` } }
  const { path, pattern } = (args ?? {}) as { path?: unknown; pattern?: unknown }
  const worded = isAboutRegex(error, tool, pattern) ? wordRegex(error) : wordShown(wording, error, workspace)
  if (isFsError(error, 'INVALID_INPUT') && !isOurs(error.facts)) {
    worded.message = `Input validation error: Invalid arguments for tool ${tool}: ${worded.message}`
  }
  // The path as the caller wrote it.
  return { result: failure(typeof path === 'string' ? { ...worded, path } : worded) }
}

type PatternError = FsError<'INVALID_PATTERN' | 'PATTERN_TOO_COMPLEX'>

/** Whether the error is about the regular expression: the same tool takes globs too. */
function isAboutRegex(error: FsError, tool: string, pattern: unknown): error is PatternError {
  if (tool !== 'search_content' || !isFsError(error, 'INVALID_PATTERN', 'PATTERN_TOO_COMPLEX')) return false
  const { pattern: reported } = error.facts
  return reported !== '' && typeof pattern === 'string' && pattern.startsWith(reported)
}

function wordRegex({ code, facts: { pattern, reason: fault } }: PatternError): Message {
  const message =
    code === 'INVALID_PATTERN'
      ? `Invalid regular expression: ${pattern} (${fault})`
      : `Potentially unsafe regular expression (ReDoS risk): ${pattern}. ${fault}`
  return { code: 'E_INVALID_PATTERN', message }
}

/** Only the message, for one of many files. */
export function reason(error: FsError, workspace: Workspace): string {
  return wordShown(wording, error, workspace).message
}

/** The text and data of a failure. */
export function failure({ code, message, path }: Message): ToolResult {
  const suggestion = suggestions[code]
  const rows = [
    `Error [${code}]: ${message}`,
    ...(path === undefined ? [] : [`Path: ${printable(path)}`]),
    `Suggestion: ${suggestion}`,
  ]
  return {
    content: [{ type: 'text', text: rows.join('\n') }],
    structuredContent: { ok: false, error: { code, message, ...(path !== undefined && { path }), suggestion } },
  }
}

const suggestions = {
  E_ACCESS_DENIED:
    'Check that the path is within an allowed directory. Use list_allowed_directories to see available paths.',
  E_NOT_FOUND: 'Verify the path exists. Use list_directory to explore available files and directories.',
  E_NOT_FILE: 'The path points to a directory or other non-file. Use list_directory to explore its contents.',
  E_NOT_DIRECTORY: 'The path points to a file, not a directory. Use read_file to read file contents.',
  E_TOO_LARGE:
    'The file exceeds the size limit. Use head or tail parameters to read partial content, or increase maxSize.',
  E_TIMEOUT: 'The operation timed out. Try with a smaller scope, fewer files, or increase timeoutMs.',
  E_INVALID_PATTERN: 'The glob or regex pattern is invalid. Check syntax and escape special characters.',
  E_INVALID_INPUT: 'One or more input parameters are invalid. Check the tool documentation for correct usage.',
  E_PERMISSION_DENIED: 'Permission denied by the operating system. Check file permissions.',
  E_SYMLINK_NOT_ALLOWED: 'Symbolic links that escape allowed directories are not permitted for security reasons.',
  E_UNKNOWN: 'An unexpected error occurred. Check the error message for details.',
}

function about(code: Code, sentence: (path: string) => string) {
  return ({ path }: { path: string }): Message => ({ code, message: sentence(printable(path)), path })
}

/** Both as the host writes them. */
function isShownWithin(root: string, path: string): boolean {
  return isWithin(root, path) || path.startsWith(`${root}\\`)
}

const wording: Wording<Message> = {
  NOT_FOUND: about('E_NOT_FOUND', (path) => `Path does not exist: ${path}`),
  EXISTS: about('E_INVALID_INPUT', (path) => `Path already exists: ${path}`),
  NOT_A_DIRECTORY: about('E_NOT_DIRECTORY', (path) => `Not a directory: ${path}`),
  IS_A_DIRECTORY: about('E_NOT_FILE', (path) => `Not a file: ${path}`),
  NOT_EMPTY: about('E_UNKNOWN', (path) => `Directory is not empty: ${path}`),
  SPECIAL_FILE: about('E_NOT_FILE', (path) => `Not a file: ${path}`),
  IS_LINK: about('E_SYMLINK_NOT_ALLOWED', (path) => `Symbolic links are not allowed: ${path}`),
  NOT_A_LINK: about('E_INVALID_INPUT', (path) => `Not a symbolic link: ${path}`),
  LINK_LOOP: about('E_SYMLINK_NOT_ALLOWED', (path) => `Too many symbolic links: ${path}`),
  OUTSIDE: ({ path }, { fs }) => {
    const denied = `Access denied: Path '${printable(path)}' is outside allowed directories`
    const throughLink = fs.roots.some((root) => isShownWithin(fs.show(root.path), path))
    const allowed = fs.roots.map((root) => shownPath(root.path, { fs })).join(', ')
    return { code: 'E_ACCESS_DENIED', message: throughLink ? `${denied}.\nAllowed: ${allowed}` : denied, path }
  },
  READ_ONLY: about('E_PERMISSION_DENIED', (path) => `Read-only: ${path}`),
  PROTECTED: about('E_PERMISSION_DENIED', (path) => `Protected from writing: ${path}`),
  FORBIDDEN: (facts) => about('E_PERMISSION_DENIED', (path) => `${path}: ${forbiddenWords(facts)}`)(facts),
  NEEDS_APPROVAL: (facts) => about('E_PERMISSION_DENIED', (path) => `${path}: ${unapprovedWords(facts)}`)(facts),
  IS_ROOT: about('E_INVALID_INPUT', (path) => `An allowed directory can't be moved or removed: ${path}`),
  ROOT_GONE: about(
    'E_NOT_FOUND',
    (path) =>
      `An allowed directory was removed or replaced since the server was started; the server has to be restarted: ${path}`,
  ),
  DENIED: about('E_PERMISSION_DENIED', (path) => `Permission denied accessing path: ${path}`),
  INVALID_PATH: ({ path, reason: fault }) => ({
    code: 'E_INVALID_INPUT',
    message: pathFaults[fault] ?? `Invalid path (${fault}): ${printable(path.slice(0, 200))}`,
    path: path.slice(0, 200),
  }),
  INTO_ITSELF: about('E_INVALID_INPUT', (path) => `A directory can't be moved into itself: ${path}`),
  CROSS_DEVICE: about('E_UNKNOWN', (path) => `Can't be moved to another device: ${path}`),
  BUSY: about('E_PERMISSION_DENIED', (path) => `Resource busy, try again: ${path}`),
  NO_SPACE: about('E_UNKNOWN', (path) => `No space left on device: ${path}`),
  TOO_MANY_OPEN: about('E_TIMEOUT', (path) => `Too many open files, try again: ${path}`),
  TOO_LARGE: ({ path, size, limit }) => ({
    code: 'E_TOO_LARGE',
    message: `File too large: ${size} bytes (max: ${limit} bytes). Use head, tail, or lineRange for partial reads.`,
    path,
  }),
  BINARY: about('E_INVALID_INPUT', (path) => `Binary file detected: ${path}. Set skipBinary=false to read as text.`),
  UNENCODABLE: ({ path, encoding, character }) => ({
    code: 'E_INVALID_INPUT',
    message: `Encoding ${encoding} has no character ${JSON.stringify(character)}: ${printable(path)}`,
    path,
  }),
  WRONG_ENCODING: ({ path, encoding }) => ({
    code: 'E_INVALID_INPUT',
    message: `Unsupported encoding ${encoding}: ${printable(path)}`,
    path,
  }),
  LINE_OUT_OF_RANGE: ({ path, line, lineCount }) => ({
    code: 'E_INVALID_INPUT',
    message: `Line ${line} is out of range (${lineCount} lines): ${printable(path)}`,
    path,
  }),
  NO_MATCH: about('E_INVALID_INPUT', (path) => `Text to replace not found: ${path}`),
  AMBIGUOUS_MATCH: about('E_INVALID_INPUT', (path) => `Text to replace is not unique: ${path}`),
  NO_CHANGE: about('E_INVALID_INPUT', (path) => `Nothing to change: ${path}`),
  INVALID_EDIT: about('E_INVALID_INPUT', (path) => `Invalid edit: ${path}`),
  STALE: about('E_UNKNOWN', (path) => `The file has changed since it was read: ${path}`),
  CONFLICT: about('E_UNKNOWN', (path) => `Changed by someone else meanwhile: ${path}`),
  UNKNOWN_POINT: ({ point }) => ({ code: 'E_NOT_FOUND', message: `No such point in the history: ${point}` }),
  NOT_UNDOABLE: ({ point }) => ({ code: 'E_INVALID_INPUT', message: `Can't be taken back: ${point}` }),
  MALFORMED_PATCH: ({ line, reason: fault }) => ({
    code: 'E_INVALID_INPUT',
    message: `Malformed patch: line ${line}: ${fault}`,
  }),
  UNEXPECTED_COUNT: ({ expected, actual }) => ({
    code: 'E_INVALID_INPUT',
    message: `Found ${actual} places, not ${expected}`,
  }),
  CLASHING_PATHS: about('E_INVALID_INPUT', (path) => `Named more than once: ${path}`),
  REPEATED_PATH: about('E_INVALID_INPUT', (path) => `More than one block for ${path}`),
  PATCH_MISMATCH: about('E_INVALID_INPUT', (path) => `Patch does not apply: ${path}`),
  INVALID_PATTERN: ({ pattern, reason: fault }) => ({
    code: 'E_INVALID_PATTERN',
    message: globFaults[fault as GlobFault] ?? `Invalid glob pattern: ${pattern} (${fault})`,
  }),
  PATTERN_TOO_COMPLEX: ({ pattern, reason: fault }) => ({
    code: 'E_INVALID_PATTERN',
    message: `Glob pattern is too complex: ${pattern} (${fault})`,
  }),
  NOT_A_REPOSITORY: about('E_NOT_FOUND', (path) => `Not a git repository: ${path}`),
  GIT_REFUSED: ({ reason, subject }) => ({
    code: 'E_INVALID_INPUT',
    message: `git: ${[reason, ...(subject === undefined ? [] : [printable(subject)])].join(' ')}`,
  }),
  BAD_ARCHIVE: ({ path, reason: fault, entry }) => ({
    code: 'E_INVALID_INPUT',
    message: `Archive refused (${fault})${entry === undefined ? '' : `: ${printable(entry)}`}`,
    ...(path !== undefined && { path }),
  }),
  ARCHIVE_TOO_LARGE: ({ path, what, limit, entry }) => ({
    code: 'E_TOO_LARGE',
    message: `Archive too large (${what}, max: ${limit})${entry === undefined ? '' : `: ${printable(entry)}`}`,
    ...(path !== undefined && { path }),
  }),
  UNSUPPORTED: about('E_UNKNOWN', (path) => `Not supported here: ${path}`),
  INVALID_INPUT: ({ issues }) => ({ code: 'E_INVALID_INPUT', message: issues.map(wordIssue).join('; ') }),
  ANSWER_GONE: () => ({ code: 'E_NOT_FOUND', message: 'The rest of the answer is gone' }),
  UNKNOWN_TOOL: ({ name }) => ({ code: 'E_INVALID_INPUT', message: `Tool ${printable(name)} not found` }),
  OVERLOADED: ({ what }) => ({ code: 'E_TIMEOUT', message: `Too many ${what} are running, try again` }),
  ABORTED: () => ({ code: 'E_TIMEOUT', message: 'Operation aborted' }),
  INTERNAL: () => ({ code: 'E_UNKNOWN', message: 'Internal error' }),
  IO: ({ path, detail }) => ({ code: 'E_UNKNOWN', message: `${detail}: ${printable(path)}`, path }),
}

const pathFaults: Partial<Record<PathFault, string>> = {
  empty: 'Path cannot be empty or whitespace',
  nul: 'Path contains null bytes',
}

/** Messages for globs that are refused before they are compiled. */
const globFaults: Record<GlobFault, string> = {
  empty: 'Pattern cannot be empty',
  'too-long': 'Pattern is too long',
  backslash: 'Glob patterns must use forward slashes, not backslashes',
  absolute: 'Pattern must be relative (no absolute paths, no .. segments, no leading slash)',
  parent: 'Pattern must be relative (no absolute paths, no .. segments, no leading slash)',
  globstars: 'Pattern is too complex (too many ** segments)',
  'brace-items': 'Pattern is too complex (more than 100 items in one brace group)',
}

/** Rules between arguments have their own messages; all other issues are worded by the validator. */
function isOurs({ issues }: { issues: readonly InputIssue[] }): boolean {
  return issues.every(({ kind }) => kind === 'other')
}

function wordIssue({ at, kind, message }: InputIssue): string {
  return kind === 'other' || at.length === 0 ? message : `${at.join('.')}: ${message}`
}
