/** Every failure as a sentence for the user of the page; it follows "Could not do this: ". A missing code does not compile. */
import { type ErrorCode, type ErrorFacts, FsError, type GitRefusal } from '../../src/errors.js'
import { describeOverlap } from './describe-overlap.js'

export function describe(error: unknown): string {
  if (error instanceof FsError) return sentence(error.code, error.facts)
  return error instanceof Error ? error.message : String(error)
}

function sentence<Code extends ErrorCode>(code: Code, facts: ErrorFacts[Code]): string {
  return sentences[code](facts)
}

const sentences: { readonly [Code in ErrorCode]: (facts: ErrorFacts[Code]) => string } = {
  NOT_FOUND: ({ path }) => `${path} does not exist`,
  EXISTS: ({ path }) => `${path} already exists`,
  NOT_A_DIRECTORY: ({ path }) => `${path} is not a folder`,
  IS_A_DIRECTORY: ({ path }) => `${path} is a folder`,
  NOT_EMPTY: ({ path }) => `the folder ${path} is not empty`,
  SPECIAL_FILE: ({ path }) => `${path} is a device, socket or pipe, which can't be opened here`,
  IS_LINK: ({ path }) => `${path} is a link`,
  NOT_A_LINK: ({ path }) => `${path} is not a link`,
  LINK_LOOP: ({ path }) => `the links at ${path} lead in a circle`,
  OUTSIDE: ({ path }) => `${path} is outside the workspace, or leads out of it`,
  READ_ONLY: ({ path }) => `${path} is read-only`,
  PROTECTED: ({ path }) => `${path} is protected; use the Git panel to change .git`,
  FORBIDDEN: ({ path, doing, rule }) => `${path}: a rule forbids to ${doing} it (${rule})`,
  NEEDS_APPROVAL: ({ path, doing, rule }) => `${path}: to ${doing} it needs a yes (${rule})`,
  IS_ROOT: ({ path }) => `${path} is the workspace itself, which can't be moved or deleted`,
  ROOT_GONE: ({ path }) => `the folder ${path} was removed or replaced; open it again`,
  DENIED: () => 'the browser has withdrawn access to the folder; open it again to allow it',
  INVALID_PATH: ({ path }) => `${path} is not a valid name here; remove / and special characters`,
  INTO_ITSELF: ({ path }) => `${path} can't be moved into itself`,
  CROSS_DEVICE: ({ path }) => `${path} can't be moved there directly; copy it, then delete it`,
  BUSY: ({ path }) => `${path} is in use by another program or tab; try again in a moment`,
  NO_SPACE: () => 'the browser has no space left for this site',
  TOO_MANY_OPEN: () => 'too many files are open; try again in a moment',
  TOO_LARGE: ({ path, limit }) => `${path} has more than the ${limit} bytes that are handled at once`,
  BINARY: ({ path }) => `${path} is not text`,
  WRONG_ENCODING: ({ path, encoding }) => `${path} is in ${encoding}, which can't be edited here`,
  UNENCODABLE: ({ path, encoding, character }) => `${encoding}, the encoding of ${path}, has no “${character}”`,
  LINE_OUT_OF_RANGE: ({ path, line, lineCount }) => `${path} has ${lineCount} lines, there is no line ${line}`,
  NO_MATCH: ({ path }) => `the text is not in ${path}`,
  AMBIGUOUS_MATCH: ({ path, count }) => `the text is in ${path} ${count} times`,
  UNEXPECTED_COUNT: ({ expected, actual }) => `there are ${actual} places, not ${expected}`,
  NO_CHANGE: ({ path }) => `${path} has this text already`,
  INVALID_EDIT: ({ path }) => `the edit of ${path} is not valid`,
  STALE: ({ path }) => `${path} was changed by someone else in the meantime`,
  CONFLICT: ({ path, overlaps = [] }) =>
    overlaps.length === 0
      ? `${path} was changed again later; undo that change first`
      : `${overlaps.slice(0, 3).map(describeOverlap).join('; ')}. Undo the later changes first`,
  UNKNOWN_POINT: ({ point }) =>
    point === 'the newest change' ? 'there is no change to undo' : 'the history does not have this point any more',
  NOT_UNDOABLE: ({ reason }) => {
    if (reason === undefined) return 'it is a checkpoint and changed nothing'
    return `what it replaced was ${reason === 'purged' ? 'removed from' : 'too large for'} the history`
  },
  MALFORMED_PATCH: ({ line, reason }) => `the patch can't be read at line ${line} (${reason})`,
  REPEATED_PATH: ({ path }) => `the patch names ${path} more than once`,
  CLASHING_PATHS: ({ path, other }) => `${path} and ${other} exclude each other`,
  PATCH_MISMATCH: ({ path }) => `the patch does not fit ${path}`,
  INVALID_PATTERN: ({ reason }) => `the pattern is invalid (${reason})`,
  PATTERN_TOO_COMPLEX: ({ reason }) => `the pattern would take too long (${reason}); make it simpler`,
  NOT_A_REPOSITORY: ({ path }) => `there is no git repository at ${path}`,
  GIT_REFUSED: ({ reason, subject, paths = [] }) => gitSentence(reason, subject, paths),
  BAD_ARCHIVE: () => 'it is damaged or not a zip archive; nothing was changed',
  ARCHIVE_TOO_LARGE: () => 'it is too large to unpack here; unpack it on your computer and drop the folder',
  UNSUPPORTED: ({ operation }) => unsupported[operation] ?? `this workspace can't do that (${operation})`,
  INVALID_INPUT: ({ issues }) => issues.map(({ at, message }) => `${at.join('.')}: ${message}`).join('; '),
  UNKNOWN_TOOL: ({ name }) => `there is no tool ${name}`,
  ANSWER_GONE: () => 'the rest of that answer is not stored any more',
  OVERLOADED: ({ what }) => `too many ${what} are running; try again in a moment`,
  ABORTED: () => 'it was cancelled',
  INTERNAL: () => 'of an unexpected error in polyfs',
  IO: ({ path, detail }) => `the file system failed at ${path} (${detail})`,
}

/** What browsers differ in. */
const unsupported: Partial<Record<string, string>> = {
  showDirectoryPicker: 'this browser has no folder picker; use Chrome or Edge, or drop a zip',
  opfs: 'this browser stores no files for this page; open it in memory, and export a zip to keep it',
  createWritable: 'this browser can only read the files that it stores; open it in memory, and export a zip to keep it',
}

function gitSentence(reason: GitRefusal, subject: string | undefined, paths: readonly string[]): string {
  const shown = paths.length > 3 ? [...paths.slice(0, 3), `${paths.length - 3} more`] : paths
  const named = [...(subject === undefined ? [] : [subject]), ...shown]
  return gitRefusals[reason] + (named.length === 0 ? '' : `: ${named.join(', ')}`)
}

const gitRefusals: Readonly<Record<GitRefusal, string>> = {
  'unknown-revision': 'there is no such commit, branch or tag',
  'ambiguous-revision': 'several commits have an id that begins so',
  'invalid-name': 'git does not allow this name; use letters, digits, - and /',
  'branch-exists': 'there is a branch of this name already',
  'unknown-branch': 'there is no such branch',
  'name-conflict': 'the name clashes with another branch',
  'no-merge-base': 'the two have no commit in common',
  'checked-out-elsewhere': 'the branch is checked out in another working tree',
  'current-branch': 'the branch is checked out; switch to another one first',
  'not-merged': 'the branch has commits that are in no other branch',
  'no-commits': 'there are no commits yet',
  'nothing-to-commit': 'nothing is staged',
  'missing-author': 'git does not know who commits',
  'missing-message': 'write a commit message first',
  unmerged: 'some files have merge conflicts; resolve and stage them first',
  'nothing-to-abort': 'no merge or cherry-pick is in progress',
  'unsupported-merge': 'a merge of this kind is not supported',
  'under-way': 'another git operation is not finished yet',
  'would-overwrite': 'you have uncommitted changes that would be lost; commit or discard them first',
  'in-the-way': 'files that git does not track are in the way; move or delete them first',
  'unsupported-attribute': 'a file has a git attribute that is not supported here',
  ignored: 'ignore rules exclude it',
  'unmatched-path': 'git does not know this path',
  'other-repository': 'it is in another repository',
  'unsafe-tree': 'the commit has names that are not safe to write',
  'unsupported-repository': 'the repository uses a feature that is not supported here',
  'damaged-repository': 'a part of the repository is missing or damaged',
  'too-large': 'the repository is too large',
  'repository-exists': 'there is a repository already',
  network: 'the server could not be reached, or refused',
  'unknown-repository': 'the server has no such repository; check the address',
  'login-required': 'the server wants a login, and this page sends none; the repository has to be public',
  'not-a-git-server': 'there is no git server at this address; enter the one that git clone takes',
  'cross-origin': 'the server could not be reached, or does not allow this page',
}
