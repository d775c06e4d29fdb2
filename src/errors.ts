/** What can go wrong, as a closed set: every code names its facts, and every dialect words every code. */
export interface ErrorFacts {
  /** Nothing is there. */
  NOT_FOUND: PathFacts
  /** Something is there already. */
  EXISTS: PathFacts
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
  /** The operating system or the browser refused. */
  DENIED: PathFacts
  INVALID_PATH: PathFacts & { reason: PathFault }
  /** A directory can't be moved into itself. */
  INTO_ITSELF: PathFacts & { to: string }
  /** A rename between two file systems. */
  CROSS_DEVICE: PathFacts & { to: string }
  /** Locked by someone else. */
  BUSY: PathFacts
  NO_SPACE: PathFacts
  TOO_MANY_OPEN: PathFacts
  TOO_LARGE: PathFacts & { size: number; limit: number }
  BINARY: PathFacts
  LINE_OUT_OF_RANGE: PathFacts & { line: number; lineCount: number }
  /** The file system lacks the ability. */
  UNSUPPORTED: PathFacts & { operation: string }
  /** Input that does not fit the operation; `issues` has one entry per fault. */
  INVALID_INPUT: { issues: readonly InputIssue[] }
  UNKNOWN_TOOL: { name: string }
  ABORTED: Record<never, never>
  /** A fault of ours: the cause is for logs only. */
  INTERNAL: Record<never, never>
  /** Anything a backend reports that has no code of its own; `detail` is its own code. */
  IO: PathFacts & { detail: string }
}

interface PathFacts {
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

export interface InputIssue {
  /** Where in the input, outermost key first. */
  at: readonly (string | number)[]
  kind: 'missing' | 'unknown-key' | 'wrong-type' | 'too-small' | 'too-big' | 'not-allowed' | 'other'
  /** The type, bound, values or key the input should have had or should not have had. */
  expected?: string
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
    super('path' in facts ? `${code}: ${facts.path}` : code, options)
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
