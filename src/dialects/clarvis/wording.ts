import type { EditExplanation, FsError, InputIssue } from '../../errors.js'
import { displayPath } from '../../ops/shared/display-path.js'
import { printable } from '../../text/printable.js'
import type { FailedCall, Failure } from '../../tools/dialect.js'
import { text } from '../../tools/make-tool.js'
import { forbiddenWords, unapprovedWords, type Wording, word } from '../../tools/wording.js'
import type { Workspace } from '../../workspace/workspace.js'

/** The JSON envelope of a failure. */
interface Envelope {
  error: string
  message: string
  [field: string]: unknown
}

export function fail(error: FsError, workspace: Workspace, { tool, args }: FailedCall): Failure {
  const envelope = word(wording, error, workspace)
  if (isAboutGlob(envelope, tool, args))
    envelope.message = envelope.message.replace(/^Invalid regex/, 'Invalid glob pattern')
  const index = tool === 'multi_edit' && 'edit' in error.facts ? error.facts.edit : undefined
  const numbered =
    index === undefined ? envelope : { ...envelope, message: `edit[${index}]: ${envelope.message}`, index }
  return { result: text(JSON.stringify(numbered)) }
}

/** Whether the error is about a glob: the pattern of `glob`, or the argument of `grep` that is not its `pattern`. */
function isAboutGlob({ pattern }: Envelope, tool: string, args: unknown): boolean {
  if (tool !== 'grep' || typeof pattern !== 'string') return tool === 'glob'
  // The error has only the beginning of a long pattern.
  return pattern === '' || !(args as { pattern: string }).pattern.startsWith(pattern)
}

function about(error: string, sentence: (path: string) => string) {
  return ({ path }: { path: string }, workspace: Workspace): Envelope => {
    const name = displayPath(path, workspace)
    return { error, message: sentence(name), path: name }
  }
}

const wording: Wording<Envelope> = {
  NOT_FOUND: about('not_found', (path) => `No such file: ${path}`),
  EXISTS: ({ path, from }, workspace) => ({
    error: 'invalid_input',
    message:
      from === undefined
        ? `Cannot create ${displayPath(path, workspace)}: a file already exists there. Modify it, or delete it first.`
        : `Rename destination already exists: ${displayPath(path, workspace)}`,
    path: displayPath(path, workspace),
  }),
  NOT_A_DIRECTORY: about('not_a_file', (path) => `Not a directory: ${path}`),
  IS_A_DIRECTORY: about('not_a_file', (path) => `Path is a directory: ${path}`),
  NOT_EMPTY: about('io_error', (path) => `ENOTEMPTY: directory not empty: ${path}`),
  SPECIAL_FILE: about('not_a_file', (path) => `Not a regular file: ${path}`),
  IS_LINK: about('invalid_input', (path) => `Refusing to write through a symlink: ${path}`),
  NOT_A_LINK: about('invalid_input', (path) => `Not a symlink: ${path}`),
  LINK_LOOP: about('io_error', (path) => `ELOOP: too many symbolic links: ${path}`),
  OUTSIDE: about(
    'path_escape',
    (path) => `Path escapes the workspace root: ${path} (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)`,
  ),
  READ_ONLY: about('io_error', (path) => `EROFS: read-only: ${path}`),
  PROTECTED: about('io_error', (path) => `EACCES: protected from writing: ${path}`),
  FORBIDDEN: (facts, workspace) =>
    about('io_error', (path) => `EACCES: ${forbiddenWords(facts)}: ${path}`)(facts, workspace),
  NEEDS_APPROVAL: (facts, workspace) =>
    about('io_error', (path) => `EACCES: ${unapprovedWords(facts)}: ${path}`)(facts, workspace),
  IS_ROOT: about('invalid_input', (path) => `The workspace root can't be moved or removed: ${path}`),
  // Clarvis has no error for a missing root, so it is worded as a missing file.
  ROOT_GONE: about('not_found', (path) => `No such file: ${path}`),
  DENIED: about('io_error', (path) => `EACCES: permission denied: ${path}`),
  INVALID_PATH: ({ path, reason }, workspace) => ({
    error: 'invalid_input',
    message: `Invalid path (${reason}): ${displayPath(path.slice(0, 200), workspace)}`,
  }),
  INTO_ITSELF: about('invalid_input', (path) => `A directory can't be moved into itself: ${path}`),
  CROSS_DEVICE: about('io_error', (path) => `EXDEV: cross-device move: ${path}`),
  BUSY: about('io_error', (path) => `EBUSY: in use by someone else, try again: ${path}`),
  NO_SPACE: about('io_error', (path) => `ENOSPC: no space left: ${path}`),
  TOO_MANY_OPEN: about('io_error', (path) => `EMFILE: too many open files, try again: ${path}`),
  TOO_LARGE: ({ path, size, limit }, workspace) => ({
    error: 'too_large',
    message: `File is ${size} bytes, exceeding the ${limit}-byte limit (raise MAX_FILE_BYTES): ${displayPath(path, workspace)}`,
    path: displayPath(path, workspace),
    size,
    limit,
  }),
  UNENCODABLE: ({ path, encoding, character }, workspace) => ({
    error: 'invalid_input',
    message: `${encoding} has no character ${JSON.stringify(character)}: ${displayPath(path, workspace)}`,
    path: displayPath(path, workspace),
  }),
  WRONG_ENCODING: ({ path, encoding }, workspace) => ({
    error: 'is_binary',
    message: `Editing ${encoding.replace('-', '')} files is not supported (the file would be rewritten as UTF-8): ${displayPath(path, workspace)}`,
    path: displayPath(path, workspace),
    encoding: encoding.replace('-', ''),
  }),
  BINARY: about('is_binary', (path) => `File appears to be binary: ${path}`),
  LINE_OUT_OF_RANGE: ({ path, line, lineCount }, workspace) =>
    line === 0
      ? {
          error: 'invalid_input',
          message: 'offset must be non-zero: use a positive 1-indexed line, or a negative tail offset.',
          path: displayPath(path, workspace),
        }
      : {
          error: 'invalid_input',
          message: `offset ${line} exceeds file line count ${lineCount}; read from offset 1..${lineCount}`,
          path: displayPath(path, workspace),
          line_count: lineCount,
        },
  NO_MATCH: ({ path, explanation }, workspace) => ({
    error: 'no_match',
    message: `old_string was not found in ${displayPath(path, workspace)}. Copy it verbatim from the file.${hint(explanation)}`,
    path: displayPath(path, workspace),
  }),
  AMBIGUOUS_MATCH: ({ path, lines, count, rule }, workspace) => ({
    error: 'ambiguous_match',
    message: isTolerant(rule)
      ? `old_string matched ${count} places after a whitespace-tolerant search (at lines ${some(lines, 20)}); it must be unique. Copy more of the surrounding text verbatim.`
      : `old_string matched ${count} times (at lines ${some(lines, 20)}); it must be unique. Add surrounding text, or set replace_all: true to replace every occurrence.`,
    path: displayPath(path, workspace),
    lines: lines.slice(0, 20),
  }),
  NO_CHANGE: () => ({
    error: 'invalid_input',
    message: 'old_string and new_string are identical — nothing to change.',
  }),
  INVALID_EDIT: ({ path, reason }, workspace) => ({
    error: 'invalid_input',
    message: `Invalid edit (${reason}): ${displayPath(path, workspace)}`,
    path: displayPath(path, workspace),
  }),
  STALE: about('io_error', (path) => `The file has changed since it was read: ${path}`),
  CONFLICT: about('io_error', (path) => `Changed by someone else meanwhile: ${path}`),
  UNKNOWN_POINT: ({ point }) => ({ error: 'not_found', message: `No such point in the history: ${point}` }),
  NOT_UNDOABLE: ({ point }) => ({ error: 'invalid_input', message: `Can't be taken back: ${point}` }),
  MALFORMED_PATCH: ({ line, reason, lacks }) => ({
    error: 'invalid_input',
    message: lacks === undefined ? `Malformed patch: line ${line}: ${reason}` : lacking[lacks],
  }),
  UNEXPECTED_COUNT: ({ expected, actual }) => ({
    error: 'invalid_input',
    message: `Found ${actual} places, not ${expected}; nothing was changed.`,
  }),
  CLASHING_PATHS: about('invalid_input', (path) => `${path} is named more than once.`),
  REPEATED_PATH: about(
    'invalid_input',
    (path) => `Patch contains multiple blocks for ${path}; combine them into a single block.`,
  ),
  PATCH_MISMATCH: ({ path, hunk, reason }, workspace) => {
    const file = displayPath(path, workspace)
    return reason === 'not-whole-file'
      ? { error: 'invalid_input', message: `Delete patch for ${file} does not remove the entire file`, path: file }
      : {
          error: 'patch_failed',
          message: `Hunk did not apply cleanly in ${file}`,
          file,
          ...(hunk !== undefined && { hunk }),
        }
  },
  INVALID_PATTERN: ({ pattern, reason }) => ({
    error: 'invalid_input',
    message: `Invalid regex: ${reason}`,
    pattern,
  }),
  PATTERN_TOO_COMPLEX: ({ pattern, reason }) => ({
    error: 'invalid_input',
    message: `Pattern too complex: ${reason}`,
    pattern,
  }),
  NOT_A_REPOSITORY: about('not_found', (path) => `Not a git repository: ${path}`),
  GIT_REFUSED: ({ reason, subject }) => ({
    error: 'invalid_input',
    message: `git: ${[reason, ...(subject === undefined ? [] : [printable(subject)])].join(' ')}`,
  }),
  BAD_ARCHIVE: ({ path, reason, entry }, workspace) => ({
    error: 'invalid_input',
    message: `Archive refused (${reason})${entry === undefined ? '' : `, entry ${printable(entry)}`}`,
    ...(path !== undefined && { path: displayPath(path, workspace) }),
  }),
  ARCHIVE_TOO_LARGE: ({ path, what, limit, entry }, workspace) => ({
    error: 'too_large',
    message: `Archive exceeds the limit of ${limit} (${what})${entry === undefined ? '' : `, entry ${printable(entry)}`}`,
    ...(path !== undefined && { path: displayPath(path, workspace) }),
    limit,
  }),
  UNSUPPORTED: ({ operation }) => ({ error: 'io_error', message: `ENOSYS: ${operation} is not supported here` }),
  INVALID_INPUT: ({ issues }) => ({ error: 'invalid_input', message: issues.map(wordIssue).join('; ') }),
  ANSWER_GONE: () => ({ error: 'not_found', message: 'The rest of the answer is gone' }),
  UNKNOWN_TOOL: ({ name }) => ({ error: 'not_found', message: `Unknown tool: ${name}` }),
  OVERLOADED: ({ what }) => ({ error: 'io_error', message: `EAGAIN: too many ${what} are running, try again` }),
  ABORTED: () => ({ error: 'aborted', message: 'The call was cancelled.' }),
  INTERNAL: () => ({ error: 'internal', message: 'internal error' }),
  IO: ({ path, detail }, workspace) => ({
    error: 'io_error',
    message: `${detail}: ${displayPath(path, workspace)}`,
    path: displayPath(path, workspace),
  }),
}

/** A hint for the likeliest mistake. */
function hint({ cause, lines }: EditExplanation): string {
  if (cause === 'line-number-prefixes') return ' It carries the line numbers of read_file: leave them out.'
  const isThere = cause === 'whitespace' || cause === 'tabs-and-spaces' || cause === 'line-endings'
  return isThere && lines !== undefined
    ? ` The text is present at line(s) ${some(lines, 5)} with different whitespace.`
    : ''
}

function some(lines: readonly number[], most: number): string {
  return lines.slice(0, most).join(', ') + (lines.length > most ? ', …' : '')
}

/** True for rules that ignore differences in white space. */
export function isTolerant(rule: string | undefined): boolean {
  return rule !== undefined && rule !== 'exact' && rule !== 'line-endings'
}

/** Worded like the JSON-schema validator of the original. */
function wordIssue({ at, kind, expected, unit, message }: InputIssue): string {
  const place = ['data', ...at].join('/')
  switch (kind) {
    case 'missing':
      return `${['data', ...at.slice(0, -1)].join('/')} must have required property '${at.at(-1)}'`
    case 'unknown-key':
      return `${place} must NOT have additional properties ('${expected}')`
    case 'wrong-type':
      // All numbers are integers here.
      return `${place} must be ${expected === 'number' ? 'integer' : expected}`
    case 'too-small':
      return unit ? `${place} must NOT have fewer than ${expected} ${unit}` : `${place} must be >= ${expected}`
    case 'too-big':
      return unit ? `${place} must NOT have more than ${expected} ${unit}` : `${place} must be <= ${expected}`
    case 'not-allowed':
      return `${place} must be equal to one of the allowed values: ${expected}`
    case 'other':
      return `${place}: ${message}`
  }
}

const lacking = {
  hunks: 'Patch contains no applicable hunks',
  path: 'Patch is missing a valid file path',
} as const
