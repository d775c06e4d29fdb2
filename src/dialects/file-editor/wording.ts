import { type EditExplanation, FsError, type InputIssue, relocate } from '../../errors.js'
import { printable } from '../../text/printable.js'
import type { FailedCall, Failure } from '../../tools/dialect.js'
import { text } from '../../tools/make-tool.js'
import { forbiddenWords, unapprovedWords, type Wording, wordShown } from '../../tools/wording.js'
import type { Workspace } from '../../workspace/workspace.js'

export function fail(error: FsError, workspace: Workspace, call: FailedCall): Failure {
  return { result: text(`Error: ${reason(error, workspace, call)}`) }
}

/** The message, with the path as the caller wrote it. */
export function reason(error: FsError, workspace: Workspace, { tool, args }: FailedCall): string {
  const { path } = (args ?? {}) as { path?: unknown }
  const relocated = relocate(error, typeof path === 'string' ? () => path : workspace.fs.show) as FsError
  return specialCase(relocated, { tool, args }) ?? wordShown(wording, relocated, workspace)
}

/** The file does not exist, or its parent is not a directory. */
export function isMissing({ code }: FsError): boolean {
  return code === 'NOT_FOUND' || code === 'NOT_A_DIRECTORY'
}

/** An `INVALID_INPUT` error with a message of its own. */
export function refuse(message: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: [], kind: 'other', message }] })
}

/** Messages that differ by tool. */
function specialCase(error: FsError, { tool, args }: FailedCall): string | undefined {
  const { code, facts } = error
  if (tool === 'list_files' && code === 'NOT_FOUND') return `Directory not found: ${pathOf(facts)}`
  if (tool === 'set_workspace') {
    if (code === 'NOT_FOUND') return `Workspace directory does not exist: ${pathOf(facts)}`
    if (code === 'NOT_A_DIRECTORY') return `Workspace path is not a directory: ${pathOf(facts)}`
    if (code === 'INVALID_PATH' && 'reason' in facts) return `Invalid workspace root: ${fault(facts.reason)}`
  }
  if (needsFile.includes(tool) && isMissing(error)) return `File not found: ${pathOf(facts)}`
  if (code === 'LINE_OUT_OF_RANGE' && 'lineCount' in facts) {
    const { line, lineCount } = facts
    if (tool === 'search_and_replace') return `start_line (${line}) exceeds file length (${lineCount} lines)`
    const { line_range } = args as { line_range?: unknown }
    if (tool === 'read_files') return `Line range ${line_range} exceeds file length (${lineCount} lines)`
  }
  return undefined
}

/** Tools for existing files. */
const needsFile = ['read_files', 'insert_contents', 'apply_diffs', 'search_and_replace']

function pathOf(facts: FsError['facts']): string {
  return 'path' in facts ? printable(facts.path) : ''
}

function fault(reason: string): string {
  if (reason === 'empty') return 'must be a non-empty string'
  return reason === 'nul' ? 'contains null bytes' : reason
}

function about(sentence: string) {
  return ({ path }: { path: string }): string => `${sentence}: ${printable(path)}`
}

const wording: Wording<string> = {
  NOT_FOUND: about('File not found'),
  EXISTS: about('File already exists'),
  NOT_A_DIRECTORY: about('Path is not a directory'),
  IS_A_DIRECTORY: about('Path is a directory'),
  NOT_EMPTY: about('Directory is not empty'),
  SPECIAL_FILE: about('Not a regular file'),
  IS_LINK: about('Path is a symbolic link'),
  NOT_A_LINK: about('Path is not a symbolic link'),
  LINK_LOOP: about('Too many symbolic links'),
  OUTSIDE: () => 'Access denied: Path is outside the workspace boundary',
  READ_ONLY: about('Access denied: Path is read-only'),
  PROTECTED: about('Access denied: Path is protected from writing'),
  FORBIDDEN: (facts) => about(`Access denied: ${forbiddenWords(facts)}`)(facts),
  NEEDS_APPROVAL: (facts) => about(`Access denied: ${unapprovedWords(facts)}`)(facts),
  IS_ROOT: about('Access denied: Path is the workspace root'),
  ROOT_GONE: about(
    'The workspace directory was removed or replaced since the server was started; the server has to be restarted',
  ),
  DENIED: about('Permission denied'),
  INVALID_PATH: ({ reason }) => `Invalid file path: ${fault(reason)}`,
  INTO_ITSELF: about('A directory cannot be moved into itself'),
  CROSS_DEVICE: about('Path is on another file system'),
  BUSY: about('File is in use'),
  NO_SPACE: about('No space left'),
  TOO_MANY_OPEN: about('Too many open files'),
  TOO_LARGE: ({ path, size, limit }) => `File is too large (${size} bytes, at most ${limit}): ${printable(path)}`,
  BINARY: about('File is binary'),
  UNENCODABLE: ({ path, encoding, character }) =>
    `Encoding ${encoding} has no character ${JSON.stringify(character)}: ${printable(path)}`,
  WRONG_ENCODING: ({ path, encoding }) => `Encoding ${encoding} is not supported: ${printable(path)}`,
  LINE_OUT_OF_RANGE: ({ line, lineCount }) =>
    line < 0
      ? `Negative line number ${line} is out of range for file with ${lineCount} lines`
      : `Line number ${line} exceeds file length (${lineCount} lines)`,
  NO_MATCH: ({ path, explanation }) => `Content not found in ${printable(path)}${where(explanation)}`,
  AMBIGUOUS_MATCH: ({ path, count }) => `Content found ${count} times in ${printable(path)}`,
  NO_CHANGE: about('Nothing to change'),
  INVALID_EDIT: ({ path, reason }) => `Invalid content (${reason}): ${printable(path)}`,
  STALE: about('File has changed since it was read'),
  CONFLICT: about('File was changed by someone else'),
  UNKNOWN_POINT: ({ point }) => `No such point: ${point}`,
  NOT_UNDOABLE: ({ point }) => `Cannot be undone: ${point}`,
  MALFORMED_PATCH: ({ line, reason }) => `Malformed patch, line ${line}: ${reason}`,
  UNEXPECTED_COUNT: ({ expected, actual }) => `Found ${actual} places, not ${expected}`,
  CLASHING_PATHS: about('Path is there more than once'),
  REPEATED_PATH: about('Path is there more than once'),
  PATCH_MISMATCH: about('Patch does not apply'),
  INVALID_PATTERN: ({ pattern, reason }) => `Invalid regular expression: ${pattern}. ${reason}`,
  PATTERN_TOO_COMPLEX: ({ pattern, reason }) => `Regular expression is too complex: ${pattern}. ${reason}`,
  NOT_A_REPOSITORY: about('Not a git repository'),
  GIT_REFUSED: ({ reason, subject }) =>
    `git: ${[reason, ...(subject === undefined ? [] : [printable(subject)])].join(' ')}`,
  BAD_ARCHIVE: ({ reason, entry }) =>
    `Archive refused (${reason})${entry === undefined ? '' : `: ${printable(entry)}`}`,
  ARCHIVE_TOO_LARGE: ({ what, limit, entry }) =>
    `Archive is too large (${what}, at most ${limit})${entry === undefined ? '' : `: ${printable(entry)}`}`,
  UNSUPPORTED: ({ operation }) => `Not supported here: ${operation}`,
  INVALID_INPUT: ({ issues }) => issues.map(wordIssue).join('; '),
  ANSWER_GONE: () => 'The rest of the answer is gone',
  UNKNOWN_TOOL: ({ name }) => `Unknown tool: ${printable(name)}`,
  OVERLOADED: ({ what }) => `Too many ${what} are running, try again later`,
  ABORTED: () => 'The call was cancelled',
  INTERNAL: () => 'Internal error',
  IO: ({ path, detail }) => `${detail}: ${printable(path)}`,
}

function where({ lines = [] }: EditExplanation): string {
  return lines.length === 0 ? '' : `; it is at line(s) ${lines.join(', ')}`
}

function wordIssue({ at, kind, expected, message }: InputIssue): string {
  const name = at.join('.')
  // The schema of the path has the messages of the original.
  if (name === 'path' || kind === 'other') return message
  if (kind === 'missing') return `Missing required parameter: ${name}`
  if (kind === 'too-small') return `Invalid ${name}: must be at least ${expected}`
  if (kind === 'too-big') return `Invalid ${name}: must be at most ${expected}`
  return `Invalid ${name}: must be ${expected}`
}
