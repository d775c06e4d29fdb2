/** One plain sentence for every failure, for tools whose documentation leaves the text open. */
import { FsError, type InputIssue, relocate } from '../../errors.js'
import { printable } from '../../text/printable.js'
import type { FailedCall } from '../../tools/dialect.js'
import { forbiddenWords, unapprovedWords, type Wording, word } from '../../tools/wording.js'
import type { Workspace } from '../../workspace/workspace.js'

/** What a dialect says in its own words; codes that are absent get the plain sentence. */
export type OwnWording = Partial<Wording<string>>

/** The error with the path as the caller wrote it, where it is about one of the paths in the arguments. */
export function asGiven(error: FsError, workspace: Workspace, paths: readonly unknown[]): FsError {
  const given = new Map(
    paths.flatMap((path) => (typeof path === 'string' ? [[resolved(path, workspace), path] as const] : [])),
  )
  return relocate(error, (path) => given.get(path) ?? workspace.fs.show(path)) as FsError
}

function resolved(path: string, { fs, root }: Workspace): string {
  try {
    return fs.resolve(path, root)
  } catch {
    // Not a path: the error quotes it as it is.
    return path
  }
}

export function say(own: OwnWording, error: FsError, workspace: Workspace): string {
  return word({ ...plain, ...own }, error, workspace)
}

/** A failure of a check that the schema can't express. */
export function refuse(message: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: [], kind: 'other', message }] })
}

/** The value of a parameter that some commands of a tool need, and others have no use for. */
export function needed<Value>(parameter: string, value: Value | undefined): Value {
  if (value === undefined)
    throw new FsError('INVALID_INPUT', { issues: [{ at: [parameter], kind: 'missing', message: 'is required' }] })
  return value
}

/** The arguments of a failed call, as sent. */
export function argumentsOf({ args }: FailedCall): Record<string, unknown> {
  return typeof args === 'object' && args !== null ? (args as Record<string, unknown>) : {}
}

export function about(sentence: (path: string) => string) {
  return ({ path }: { path: string }): string => sentence(printable(path))
}

const plain: Wording<string> = {
  NOT_FOUND: about((path) => `The path ${path} does not exist.`),
  EXISTS: about((path) => `${path} already exists.`),
  NOT_A_DIRECTORY: about((path) => `${path} is not a directory.`),
  IS_A_DIRECTORY: about((path) => `${path} is a directory.`),
  NOT_EMPTY: about((path) => `The directory ${path} is not empty.`),
  SPECIAL_FILE: about((path) => `${path} is not a regular file.`),
  IS_LINK: about((path) => `${path} is a symbolic link, which is not followed here.`),
  NOT_A_LINK: about((path) => `${path} is not a symbolic link.`),
  LINK_LOOP: about((path) => `Too many symbolic links: ${path}`),
  OUTSIDE: about((path) => `The path ${path} is outside of the workspace.`),
  READ_ONLY: about((path) => `${path} can only be read.`),
  PROTECTED: about((path) => `${path} is protected from writing.`),
  FORBIDDEN: (facts) => about((path) => `${path}: ${forbiddenWords(facts)}.`)(facts),
  NEEDS_APPROVAL: (facts) => about((path) => `${path}: ${unapprovedWords(facts)}.`)(facts),
  IS_ROOT: about((path) => `${path} is the root of the workspace and can't be moved or removed.`),
  ROOT_GONE: about((path) => `The directory of the workspace is gone: ${path}`),
  DENIED: about((path) => `Permission denied: ${path}`),
  INVALID_PATH: ({ path, reason }) => `Invalid path (${reason}): ${printable(path.slice(0, 200))}`,
  INTO_ITSELF: about((path) => `A directory can't be moved into itself: ${path}`),
  CROSS_DEVICE: about((path) => `${path} is on another file system.`),
  BUSY: about((path) => `${path} is in use by someone else. Try again.`),
  NO_SPACE: about((path) => `No space left: ${path}`),
  TOO_MANY_OPEN: about((path) => `Too many open files, try again: ${path}`),
  TOO_LARGE: ({ path, size, limit }) => `${printable(path)} has ${size} bytes; at most ${limit} can be read.`,
  UNENCODABLE: ({ path, encoding, character }) =>
    `${encoding} of ${printable(path)} has no character ${JSON.stringify(character)}.`,
  WRONG_ENCODING: ({ path, encoding }) => `${printable(path)} is ${encoding}, which is not edited here.`,
  BINARY: about((path) => `${path} is a binary file.`),
  LINE_OUT_OF_RANGE: ({ path, line, lineCount }) => `${printable(path)} has ${lineCount} lines, so no line ${line}.`,
  NO_MATCH: about((path) => `The text to replace is not in ${path}.`),
  AMBIGUOUS_MATCH: ({ path, count, lines }) =>
    `The text to replace is in ${printable(path)} ${count} times, at lines ${lines.slice(0, 20).join(', ')}.`,
  NO_CHANGE: about((path) => `Nothing would change in ${path}: both texts are the same.`),
  INVALID_EDIT: ({ path, reason }) => `Invalid edit (${reason}): ${printable(path)}`,
  STALE: about((path) => `${path} has changed since it was read.`),
  CONFLICT: about((path) => `${path} was changed by someone else meanwhile. Read it again.`),
  UNKNOWN_POINT: ({ point }) => `No such point in the history: ${point}`,
  NOT_UNDOABLE: ({ point }) => `Can't be taken back: ${point}`,
  MALFORMED_PATCH: ({ line, reason }) => `Malformed patch: line ${line}: ${reason}`,
  UNEXPECTED_COUNT: ({ expected, actual }) => `Found ${actual} places, not ${expected}; nothing was changed.`,
  CLASHING_PATHS: about((path) => `${path} is named more than once.`),
  REPEATED_PATH: about((path) => `${path} is named more than once.`),
  PATCH_MISMATCH: ({ path, hunk, reason }) =>
    `The patch does not fit ${printable(path)}${hunk === undefined ? '' : ` (hunk ${hunk})`}: ${misfit[reason] ?? reason}.`,
  INVALID_PATTERN: ({ pattern, reason }) => `Invalid pattern ${JSON.stringify(pattern)}: ${reason}`,
  PATTERN_TOO_COMPLEX: ({ pattern, reason }) => `Pattern ${JSON.stringify(pattern)} is too complex: ${reason}`,
  NOT_A_REPOSITORY: about((path) => `Not a git repository: ${path}`),
  GIT_REFUSED: ({ reason, subject }) => `git: ${reason}${subject === undefined ? '' : ` ${printable(subject)}`}`,
  BAD_ARCHIVE: ({ reason }) => `The archive was refused (${reason}).`,
  ARCHIVE_TOO_LARGE: ({ what, limit }) => `The archive exceeds the limit of ${limit} (${what}).`,
  UNSUPPORTED: ({ operation }) => `Not supported here: ${operation}`,
  INVALID_INPUT: ({ issues }) => issues.map(sayIssue).join('; '),
  ANSWER_GONE: () => 'The rest of the answer is gone.',
  UNKNOWN_TOOL: ({ name }) => `Unknown tool: ${name}`,
  OVERLOADED: ({ what }) => `Too many ${what} are running. Try again.`,
  ABORTED: () => 'The call was cancelled.',
  INTERNAL: () => 'Internal error.',
  IO: ({ path, detail }) => `${detail}: ${printable(path)}`,
}

/** Why a patch does not fit, in the order of how often that happens. */
const misfit: Readonly<Record<string, string>> = {
  'not-found': 'its lines are not in the file',
  ambiguous: 'its lines are in the file more than once; add lines around them',
  'too-repetitive': 'its lines are in the file too often; add lines around them',
  'out-of-order': 'its lines are further up in the file than those of the section before',
  'anchor-not-found': 'the line after @@ is not in the file',
}

function sayIssue({ at, kind, expected, message }: InputIssue): string {
  const name = at.join('.')
  if (kind === 'other') return [name, message].filter(Boolean).join(': ')
  if (kind === 'missing') return `Parameter \`${name}\` is required`
  if (kind === 'unknown-key') return `Unknown parameter \`${expected}\``
  return `Parameter \`${name}\` must be ${worded[kind]} ${expected}`
}

const worded = { 'wrong-type': 'of type', 'too-small': 'at least', 'too-big': 'at most', 'not-allowed': 'one of' }
