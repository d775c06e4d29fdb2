/** All error codes with their facts. Every dialect has a text for every code. */
export interface ErrorFacts {
  NOT_FOUND: PathFacts
  /** `from` is the source of a move. */
  EXISTS: PathFacts & { from?: string }
  NOT_A_DIRECTORY: PathFacts
  IS_A_DIRECTORY: PathFacts
  NOT_EMPTY: PathFacts
  /** A FIFO, socket or device: neither read nor written, so that no call can hang on one. */
  SPECIAL_FILE: PathFacts
  /** A component of the path is a symbolic link. Raw file systems never follow one; `confine` does. */
  IS_LINK: PathFacts
  /** `readLink` of an entry that is not a link. */
  NOT_A_LINK: PathFacts
  LINK_LOOP: PathFacts
  /** Outside every root, lexically or through a link. */
  OUTSIDE: PathFacts
  /** The file system or the path's root is read-only. */
  READ_ONLY: PathFacts
  /** A name that file tools never write: inside `.git`, and configuration files where that is set. */
  PROTECTED: PathFacts & { name: string }
  /** A rule of the user forbids it, whether the path exists or not; `rule` is as it was written. */
  FORBIDDEN: PathFacts & { doing: RuledKind; rule: string }
  /** A rule demands that the user is asked, and nobody was, or the user said no: then `word` is what to do instead, if they said so. `at` is the real path. */
  NEEDS_APPROVAL: PathFacts & { doing: RuledKind; rule: string; at: string; refused?: { word?: string } }
  /** A root itself can't be moved or removed. */
  IS_ROOT: PathFacts
  /** The root directory was removed or replaced since it was opened. */
  ROOT_GONE: PathFacts
  /** The operating system or the browser refused. */
  DENIED: PathFacts
  INVALID_PATH: PathFacts & { reason: PathFault }
  /** A directory can't be moved into itself. */
  INTO_ITSELF: PathFacts & { to: string }
  /** A rename between two file systems. */
  CROSS_DEVICE: PathFacts & { to: string }
  /** Locked by another process. With `lock`, nobody holds the lock, and that file has to be removed by hand. */
  BUSY: PathFacts & { lock?: string }
  NO_SPACE: PathFacts
  TOO_MANY_OPEN: PathFacts
  /** With `files`, so many files are too large together, and `path` is the one that exceeds the limit. */
  TOO_LARGE: PathFacts & { size: number; limit: number; files?: number }
  BINARY: PathFacts
  /** A text in an encoding that can't be edited. */
  WRONG_ENCODING: PathFacts & { encoding: string }
  /** The encoding of the file does not have this character. */
  UNENCODABLE: PathFacts & { encoding: string; character: string }
  LINE_OUT_OF_RANGE: PathFacts & { line: number; lineCount: number; edit?: number }
  /**
   * The text to replace was not found; `explanation` says why, and what came nearest. `also` are other named files without it. With `files`,
   * none of so many files below `path` has it.
   */
  NO_MATCH: PathFacts & { edit: number; explanation: EditExplanation; also?: readonly string[]; files?: number }
  /** The text to replace was found more than once. `rule` is the matching rule that found it. */
  AMBIGUOUS_MATCH: PathFacts & { edit: number; lines: readonly number[]; count: number; rule: string }
  /** An edit found another number of places than expected. */
  UNEXPECTED_COUNT: { expected: number; actual: number; files: readonly { path: string; count: number }[] }
  /** The replacement equals the current text. */
  NO_CHANGE: PathFacts & { edit: number }
  /** The edit itself is invalid: an empty search text, a bad group reference, malformed Unicode. */
  INVALID_EDIT: PathFacts & { edit: number; reason: string; group?: { reference: number; count: number } }
  /** The file has changed since the caller read it; `expected` and `actual` are content hashes. */
  STALE: PathFacts & { expected: string; actual: string }
  /** Someone else changed the path during the change; their version stays. `overlaps` is all that keeps an undo from being made. */
  CONFLICT: PathFacts & { overlaps?: readonly UndoOverlap[] }
  /** The history has no such change or checkpoint. */
  UNKNOWN_POINT: { point: string }
  /** The replaced content was too large to store, or was purged from the history. */
  NOT_UNDOABLE: { point: string; reason?: 'too-large' | 'purged' }
  /** The patch can't be parsed; `line` counts from 1 in the patch. `lacks` is the part that is missing entirely. */
  MALFORMED_PATCH: { line: number; reason: string; lacks?: 'hunks' | 'path' }
  /** Several blocks of a patch have the same path. */
  REPEATED_PATH: PathFacts
  /** Two entries that one call moves or copies exclude each other. */
  CLASHING_PATHS: PathFacts & { other: string; reason: PathClash }
  /** A hunk does not fit the file; hunks count from 1. `lines` are the places where it fits equally well. */
  PATCH_MISMATCH: PathFacts & {
    hunk?: number
    line?: number
    lines?: readonly number[]
    reason: string
    explanation?: PatchExplanation
  }
  /** A glob or regular expression that can't be compiled. */
  INVALID_PATTERN: { pattern: string; reason: string }
  /** A glob or regular expression that takes too long. */
  PATTERN_TOO_COMPLEX: { pattern: string; reason: string }
  /** No `.git` in the directory or above it. */
  NOT_A_REPOSITORY: PathFacts
  /** Git would refuse too, or the repository needs a feature that is not supported; `subject` is the name concerned. */
  GIT_REFUSED: { reason: GitRefusal; subject?: string; paths?: readonly string[] }
  /** An archive that is rejected, as a whole or because of `entry`. `path` is the archive's, if it has one. */
  BAD_ARCHIVE: { path?: string; reason: ArchiveFault; entry?: string }
  /** An archive exceeds a limit; `ratio` is the size of a file divided by its compressed size. */
  ARCHIVE_TOO_LARGE: { path?: string; what: 'entries' | 'total' | 'entry' | 'ratio'; limit: number; entry?: string }
  /** The file system does not support the operation. */
  UNSUPPORTED: PathFacts & { operation: string }
  /** Input that does not match the schema of the operation. */
  INVALID_INPUT: { issues: readonly InputIssue[] }
  UNKNOWN_TOOL: { name: string }
  /** The rest of a result was requested that is not stored any more; its call is not repeated. */
  ANSWER_GONE: Record<never, never>
  /** Too much is running already: the call waited too long, or the queue was full. It was not started. */
  OVERLOADED: { what: 'commands' | 'searches' }
  ABORTED: Record<never, never>
  /** A bug in polyfs; the cause is for logs only. */
  INTERNAL: Record<never, never>
  /** Any other error of a backend; `detail` is the backend's error code. */
  IO: PathFacts & { detail: string }
}

/** What rules are about. */
export type RuledKind = 'read' | 'change'

/** Why a git operation is not done. */
export type GitRefusal =
  | 'unknown-revision'
  | 'ambiguous-revision'
  /** A branch or revision name that git does not allow, or that looks like an option. */
  | 'invalid-name'
  | 'branch-exists'
  | 'unknown-branch'
  /** A branch can't be named like a directory of another branch name, nor the other way round; `paths` has the other branch. */
  | 'name-conflict'
  /** Two revisions have no commit in common. */
  | 'no-merge-base'
  /** The branch is checked out in another working tree, at `paths`. */
  | 'checked-out-elsewhere'
  | 'current-branch'
  /** Deleting the branch would lose commits. */
  | 'not-merged'
  | 'no-commits'
  | 'nothing-to-commit'
  | 'missing-author'
  | 'missing-message'
  /** Paths have merge conflicts that must be resolved first. */
  | 'unmerged'
  /** A merge, or the operation in `subject`, is in progress and must end first. */
  | 'under-way'
  /** No merge or cherry-pick is in progress. */
  | 'nothing-to-abort'
  /** A merge of this kind, which `subject` describes, is not supported. */
  | 'unsupported-merge'
  /** Uncommitted changes would be lost. */
  | 'would-overwrite'
  /** Files that are untracked or were not named would be overwritten, which is never done. */
  | 'in-the-way'
  /** Git would convert a file by an attribute that is not supported; `subject` is the attribute. */
  | 'unsupported-attribute'
  /** Paths that ignore rules exclude. */
  | 'ignored'
  /** Paths that neither exist nor are tracked. */
  | 'unmatched-path'
  /** The path is in another repository. */
  | 'other-repository'
  /** A tree has an entry that must not be written: `..`, `.git`, a duplicate name, a path below a link. */
  | 'unsafe-tree'
  /** The repository needs an unsupported feature, named by `subject`. */
  | 'unsupported-repository'
  /** An object or file of the repository is missing or damaged. */
  | 'damaged-repository'
  /** The repository exceeds a limit, named by `subject`. */
  | 'too-large'
  | 'repository-exists'
  /** The server could not be reached, or refused. */
  | 'network'
  /** The server has no repository there, or does not show it to everyone. */
  | 'unknown-repository'
  | 'login-required'
  /** What answers at the address is not a git server. */
  | 'not-a-git-server'
  /** The server could not be reached, or does not allow the page's origin; browsers do not report which. */
  | 'cross-origin'

/** Why an edit found nothing. */
export interface EditExplanation {
  cause: EditFailureCause
  /** The most similar text in the file; a similarity of 1 is equality. */
  nearest?: { line: number; endLine: number; text: string; similarity: number }
  /** A text that would have matched, if known. */
  suggestion?: string
  /** Lines that would match if it were not for the cause. */
  lines?: readonly number[]
  /** The whole newest earlier version that contains the text, for `matches-earlier-version`. */
  earlier?: string
}

/** Why a hunk does not fit, and what would. */
export interface PatchExplanation {
  /** The line of the patch where the hunk starts, counted from 1. */
  patchLine?: number
  /** Why its lines, or the line named by `@@`, were not found. */
  cause?: EditFailureCause
  /** Lines of the file where it would fit if it were not for the cause. */
  lines?: readonly number[]
  /** The lines of the file that come nearest. */
  nearest?: { line: number; texts: readonly string[] }
  /** A hunk for the same change that fits, in the format of the patch. */
  suggestion?: string
}

export type EditFailureCause =
  | 'tabs-and-spaces'
  | 'whitespace'
  | 'line-endings'
  | 'byte-order-mark'
  | 'escaped-text'
  | 'line-number-prefixes'
  | 'look-alike-characters'
  | 'letter-case'
  | 'already-applied'
  | 'matches-earlier-version'
  | 'similar-text'
  /** The text is not on the given lines, but on others. */
  | 'other-lines'
  | 'absent'

export interface PathFacts {
  path: string
}

/**
 * What becomes of a file in which others changed the same lines since a change that is undone: with `refuse` nothing is changed at all, with
 * `skip` such files stay as they are, and with `discard` what others changed is given up where it overlaps.
 */
export type Overlaps = 'refuse' | 'skip' | 'discard'

/** What keeps a change from being undone at one path. */
export interface UndoOverlap {
  /** Where the entry is now. */
  path: string
  reason: OverlapReason
  /** The lines, counted from 1, in the file as it is now. `last` is one less than `first` where lines were only removed before it. */
  lines?: readonly { first: number; last: number }[]
  /** The later changes, by their ids, oldest first; none where the history does not know who made them. */
  changes: readonly string[]
}

export type OverlapReason =
  /** The same lines were changed since, or lines that touch them. */
  | 'lines'
  /** The file was changed since, and is not text that can be merged. */
  | 'content'
  | 'mode'
  /** The change made the file, and it was edited since. */
  | 'edited'
  /** It was removed since, or a directory above it. */
  | 'gone'
  | 'moved'
  /** Something else has taken the place. */
  | 'taken'
  /** The history does not have the content that it takes: it was too large, or another program changed the file. */
  | 'not-stored'

/** `same-source`: the entry is named twice. `same-target`: both have the same target. `into-moved`: a target below an entry that is moved away. */
export type PathClash = 'same-source' | 'same-target' | 'into-moved'

/** Why a path is invalid, whatever is on the disk. */
export type PathFault =
  | 'empty'
  | 'nul'
  | 'malformed-unicode'
  | 'too-long'
  | 'name-too-long'
  | 'reserved-name'
  | 'reserved-character'
  | 'alternate-stream'
  | 'short-name'
  | 'trailing-dot-or-space'
  | 'drive-relative'
  | 'device-path'
  | 'network-path'

/** Why an archive is rejected. */
export type ArchiveFault =
  | 'not-an-archive'
  /** Truncated, or with invalid offsets. */
  | 'damaged'
  /** Different programs would extract different files. */
  | 'ambiguous'
  /** A name that leads out of the target directory. */
  | 'outside'
  | 'invalid-name'
  /** A device name of Windows, or an alternate data stream. */
  | 'reserved-name'
  /** Inside `.git`. */
  | 'protected-name'
  | 'name-too-long'
  | 'link'
  /** A device, a FIFO or a socket. */
  | 'special-file'
  | 'duplicate-name'
  | 'file-and-directory'
  /** The local header of an entry contradicts the central directory. */
  | 'contradictory-entry'
  | 'wrong-size'
  | 'wrong-checksum'
  | 'overlapping-entries'
  | 'encrypted'
  | 'unknown-compression'
  /** One part of a multi-part archive. */
  | 'split'

export interface InputIssue {
  /** Where in the input, outermost key first. */
  at: readonly (string | number)[]
  kind: 'missing' | 'unknown-key' | 'wrong-type' | 'too-small' | 'too-big' | 'not-allowed' | 'other'
  /** The expected type, bound or values, or the unknown key. */
  expected?: string
  /** What a bound counts, unless it limits the number itself. */
  unit?: 'characters' | 'items'
  message: string
}

export type ErrorCode = keyof ErrorFacts

/**
 * V8 records where an error was made. That something is missing is an everyday answer, and recording it takes longer than to find it out
 * in a tree in memory.
 */
const stacks = Error as { stackTraceLimit?: number }

/** A failure with a code and facts. `message` is for logs; dialects word the text for agents. */
export class FsError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'FsError'

  constructor(
    readonly code: Code,
    readonly facts: ErrorFacts[Code],
    options?: { cause?: unknown },
  ) {
    const frames = code === 'NOT_FOUND' ? stacks.stackTraceLimit : undefined
    if (frames !== undefined) stacks.stackTraceLimit = 0
    super('path' in facts && facts.path !== undefined ? `${code}: ${facts.path}` : code, options)
    if (frames !== undefined) stacks.stackTraceLimit = frames
  }
}

/** True for an `FsError`, with one of the codes if any are given. */
export function isFsError<Code extends ErrorCode>(error: unknown, ...codes: Code[]): error is FsError<Code> {
  return error instanceof FsError && (codes.length === 0 || codes.includes(error.code as Code))
}

/** The same failure with the caller's paths, for wrappers that pass on other paths. */
export function relocate(error: unknown, known: (path: string) => string): unknown {
  if (!(error instanceof FsError)) return error
  const facts: { path?: string; to?: string; overlaps?: readonly UndoOverlap[] } = { ...error.facts }
  if (facts.path !== undefined) facts.path = known(facts.path)
  if (facts.to !== undefined) facts.to = known(facts.to)
  if (facts.overlaps !== undefined) facts.overlaps = facts.overlaps.map((each) => ({ ...each, path: known(each.path) }))
  return new FsError(error.code, facts as ErrorFacts[ErrorCode], { cause: error.cause ?? error })
}
