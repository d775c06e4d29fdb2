/** What can go wrong, as a closed set: every code names its facts, and every dialect words every code. */
export interface ErrorFacts {
  /** Nothing is there. */
  NOT_FOUND: PathFacts
  /** Something is there already; `from` is what was to be moved there. */
  EXISTS: PathFacts & { from?: string }
  NOT_A_DIRECTORY: PathFacts
  IS_A_DIRECTORY: PathFacts
  NOT_EMPTY: PathFacts
  /** A FIFO, socket or device: neither read nor written, so that no call can hang on one. */
  SPECIAL_FILE: PathFacts
  /** A component of the path is a symbolic link. Raw file systems never follow one; `confine` does. */
  IS_LINK: PathFacts
  /** `readLink` of something that is no link. */
  NOT_A_LINK: PathFacts
  /** Following links does not come to an end. */
  LINK_LOOP: PathFacts
  /** Lexically, or through a link, outside every root. */
  OUTSIDE: PathFacts
  /** The file system, or the root the path lies in, may not be changed. */
  READ_ONLY: PathFacts
  /** A name that file tools never write: the inside of `.git`, and configuration where asked for. */
  PROTECTED: PathFacts & { name: string }
  /** A root itself can't be moved or removed. */
  IS_ROOT: PathFacts
  /** The root itself was removed, or replaced by another, since it was opened. */
  ROOT_GONE: PathFacts
  /** The operating system or the browser refused. */
  DENIED: PathFacts
  INVALID_PATH: PathFacts & { reason: PathFault }
  /** A directory can't be moved into itself. */
  INTO_ITSELF: PathFacts & { to: string }
  /** A rename between two file systems. */
  CROSS_DEVICE: PathFacts & { to: string }
  /** Locked by someone else; or by nobody any more, and `lock` is what has to be removed by hand. */
  BUSY: PathFacts & { lock?: string }
  NO_SPACE: PathFacts
  TOO_MANY_OPEN: PathFacts
  TOO_LARGE: PathFacts & { size: number; limit: number }
  BINARY: PathFacts
  /** A text in an encoding that the caller does not edit. */
  WRONG_ENCODING: PathFacts & { encoding: string }
  LINE_OUT_OF_RANGE: PathFacts & { line: number; lineCount: number; edit?: number }
  /** The text to replace is not there; `search` says what was looked for and what came nearest. */
  NO_MATCH: PathFacts & { edit: number; explanation: EditExplanation }
  /** The text to replace is there more than once. `rule` is the matching rule that found it. */
  AMBIGUOUS_MATCH: PathFacts & { edit: number; lines: readonly number[]; count: number; rule: string }
  /** The edit would put back what is there already. */
  NO_CHANGE: PathFacts & { edit: number }
  /** The edit itself makes no sense: an empty search, a bad group reference, text that is not well-formed. */
  INVALID_EDIT: PathFacts & { edit: number; reason: string; group?: { reference: number; count: number } }
  /** The file is not the one the caller saw: `expected` and `actual` are content hashes. */
  STALE: PathFacts & { expected: string; actual: string }
  /** Someone else changed the path while a change of ours was under way; theirs is kept. */
  CONFLICT: PathFacts
  /** The history has no such change or checkpoint. */
  UNKNOWN_POINT: { point: string }
  /** What it replaced was too large to keep, or has been purged from the history. */
  NOT_UNDOABLE: { point: string; reason?: 'too-large' | 'purged' }
  /** The patch can't be read; `line` counts from 1 in the patch. `lacks` is what is not there at all. */
  MALFORMED_PATCH: { line: number; reason: string; lacks?: 'hunks' | 'path' }
  /** More than one block of a patch is about the same path. */
  REPEATED_PATH: PathFacts
  /** A hunk does not fit the file; hunks count from 1. `lines` is where it fits equally well. */
  PATCH_MISMATCH: PathFacts & { hunk?: number; line?: number; lines?: readonly number[]; reason: string }
  /** A glob or regular expression that can't be compiled. */
  INVALID_PATTERN: { pattern: string; reason: string }
  /** A glob or regular expression that would take too long, or took too long. */
  PATTERN_TOO_COMPLEX: { pattern: string; reason: string }
  /** No `.git` in the directory or above it. */
  NOT_A_REPOSITORY: PathFacts
  /** Git would have refused too, or the repository asks for what is not done here; `subject` is the name that is spoken of. */
  GIT_REFUSED: { reason: GitRefusal; subject?: string; paths?: readonly string[] }
  /** An archive that is not taken, as a whole or for one of its entries. `path` is the archive's, where it has one. */
  BAD_ARCHIVE: { path?: string; reason: ArchiveFault; entry?: string }
  /** More than an archive may hold; `ratio` is that of a file to its compressed bytes. */
  ARCHIVE_TOO_LARGE: { path?: string; what: 'entries' | 'total' | 'entry' | 'ratio'; limit: number; entry?: string }
  /** The file system lacks the ability. */
  UNSUPPORTED: PathFacts & { operation: string }
  /** Input that does not fit the operation; `issues` has one entry per fault. */
  INVALID_INPUT: { issues: readonly InputIssue[] }
  UNKNOWN_TOOL: { name: string }
  /** The rest of an answer is asked for that is not stored any more; the call that gave it is not made again. */
  ANSWER_GONE: Record<never, never>
  /** So much of it is under way that this had to wait too long, and was not begun. */
  OVERLOADED: { what: 'commands' | 'searches' }
  ABORTED: Record<never, never>
  /** A fault of ours: the cause is for logs only. */
  INTERNAL: Record<never, never>
  /** Anything a backend reports that has no code of its own; `detail` is its own code. */
  IO: PathFacts & { detail: string }
}

/** Why a git operation is not done. */
export type GitRefusal =
  | 'unknown-revision'
  | 'ambiguous-revision'
  /** A branch or revision that is no name git allows, or that looks like an option. */
  | 'invalid-name'
  | 'branch-exists'
  | 'unknown-branch'
  /** A branch can't have the name of a directory that another branch needs, nor the other way round; `paths` has the other. */
  | 'name-conflict'
  /** Two revisions have no commit in common. */
  | 'no-merge-base'
  /** The branch is checked out in another working tree, at `paths`. */
  | 'checked-out-elsewhere'
  | 'current-branch'
  /** Deleting the branch would lose commits. */
  | 'not-merged'
  /** There is no commit yet. */
  | 'no-commits'
  | 'nothing-to-commit'
  | 'missing-author'
  | 'missing-message'
  /** Paths have conflicts that are to be solved first. */
  | 'unmerged'
  /** Git is in the middle of a merge or of what `subject` says, which has to end first. */
  | 'under-way'
  /** Changes that are in no commit would be lost. */
  | 'would-overwrite'
  /** Files that are untracked or were not named stand where others would have to go, and nothing gives them up. */
  | 'in-the-way'
  /** Git would change what it keeps of a file by an attribute that is not supported here; `subject` says which. */
  | 'unsupported-attribute'
  /** Paths that ignore rules keep out. */
  | 'ignored'
  /** Paths that are neither there nor tracked. */
  | 'unmatched-path'
  /** The path lies in another repository. */
  | 'other-repository'
  /** A tree names what must not be written: `..`, `.git`, a name twice, something below a link. */
  | 'unsafe-tree'
  /** The repository needs what is not supported here; `subject` says what. */
  | 'unsupported-repository'
  /** An object or file of the repository is missing or broken. */
  | 'damaged-repository'
  /** More than is read of a repository; `subject` names what, and the bound. */
  | 'too-large'
  | 'repository-exists'
  /** The other side could not be reached, or refused. */
  | 'network'
  /** A page asked a server that could not be reached, or that does not let pages of its origin read it; browsers do not tell which. */
  | 'cross-origin'

/** Why an edit found nothing, as facts a dialect can word. */
export interface EditExplanation {
  cause: EditFailureCause
  /** The nearest text in the file, and how near: 1 is the same. */
  nearest?: { line: number; endLine: number; text: string; similarity: number }
  /** What would have matched, when that is known: the text to send instead. */
  suggestion?: string
  /** Lines where the text stands but for the cause. */
  lines?: readonly number[]
  /** The whole of the newest earlier version that has the text, when that is the cause. */
  earlier?: string
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
  /** Not on the lines it was looked for on, but on others. */
  | 'other-lines'
  | 'absent'

export interface PathFacts {
  path: string
}

/** Why a path is no path at all, whatever lies on the disk. */
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

/** Why an archive is not taken. */
export type ArchiveFault =
  | 'not-an-archive'
  /** Cut off, or with records that do not lead where they say. */
  | 'damaged'
  /** Programs would read different files from it. */
  | 'ambiguous'
  /** A name that leads out of the directory it is unpacked in. */
  | 'outside'
  | 'invalid-name'
  /** A device of Windows, or a stream of another file. */
  | 'reserved-name'
  /** Inside `.git`. */
  | 'protected-name'
  | 'name-too-long'
  | 'link'
  /** A device, a FIFO or a socket. */
  | 'special-file'
  | 'duplicate-name'
  | 'file-and-directory'
  /** An entry says one thing where it lies and another in the directory of the archive. */
  | 'contradictory-entry'
  | 'wrong-size'
  | 'wrong-checksum'
  | 'overlapping-entries'
  | 'encrypted'
  | 'unknown-compression'
  /** In several parts, of which this is one. */
  | 'split'

export interface InputIssue {
  /** Where in the input, outermost key first. */
  at: readonly (string | number)[]
  kind: 'missing' | 'unknown-key' | 'wrong-type' | 'too-small' | 'too-big' | 'not-allowed' | 'other'
  /** The type, bound, values or key the input should have had or should not have had. */
  expected?: string
  /** What a bound counts, when it is not the number itself. */
  unit?: 'characters' | 'items'
  message: string
}

export type ErrorCode = keyof ErrorFacts

/** A failure with a code and facts. `message` is for logs; dialects word what an agent reads. */
export class FsError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'FsError'

  constructor(
    readonly code: Code,
    readonly facts: ErrorFacts[Code],
    options?: { cause?: unknown },
  ) {
    super('path' in facts && facts.path !== undefined ? `${code}: ${facts.path}` : code, options)
  }
}

/** True for an `FsError`, and, when codes are named, only for those. */
export function isFsError<Code extends ErrorCode>(error: unknown, ...codes: Code[]): error is FsError<Code> {
  return error instanceof FsError && (codes.length === 0 || codes.includes(error.code as Code))
}

/** The same failure, told of the paths the caller knows. For wrappers that pass other paths on. */
export function relocate(error: unknown, known: (path: string) => string): unknown {
  if (!(error instanceof FsError)) return error
  const facts: { path?: string; to?: string } = { ...error.facts }
  if (facts.path !== undefined) facts.path = known(facts.path)
  if (facts.to !== undefined) facts.to = known(facts.to)
  return new FsError(error.code, facts as ErrorFacts[ErrorCode], { cause: error.cause ?? error })
}
