/** The vocabulary of the contract's cases: plain data, so that a case can be posted to a worker and run there. */
import type { ErrorCode } from '../../src/errors.js'
import type { ByteRange, Capabilities, FileSystem, Kind, WriteOptions } from '../../src/fs/types.js'

/** Where cases are run. */
export interface ContractTarget {
  fs: FileSystem
  /** The directory a case works in: made when missing, and removed afterwards with all that is in it. */
  base: string
  /** Builds and clears the tree where `fs` can't or should not; sees the same paths. Default: `fs`. */
  seed?: FileSystem
  /** What `/` stands for in a case: the directory that can't be moved or removed. Default: `/`. */
  root?: string
  /** `followed` for a file system behind `confine`. Default: `refused`, the rule for raw file systems. */
  links?: LinkRule
}

export type LinkRule = 'refused' | 'followed'

/**
 * One behaviour. Paths are relative to the base; one that begins with `/`, and the text of such a link, is taken from the
 * target's root.
 *
 * What a case needs is mostly derived from its content: a case that changes something runs only where `writable`, one with a
 * link only where `symlinks`, and so on (see `needs.ts`). `needs` adds to that, or overrides it.
 */
export interface ContractCase {
  /** Reads like a line of the specification; unique. */
  name: string
  needs?: Partial<Capabilities>
  /** Given when the case states how links on the way are treated; it runs only on targets with that rule. */
  links?: LinkRule
  /** What exists before. */
  tree?: Tree
  steps: Step[]
  /** The whole tree afterwards, compared exactly. Default: as before. */
  after?: Tree
}

/** Nodes by path, where a path that ends in `/` is a directory. Parents need not be listed. */
export type Tree = Record<string, TreeNode>

export type TreeNode =
  | Content
  /** Afterwards only: any of these. */
  | OneOf
  | { file: Content; mode: number }
  | { link: string }
  /** A directory. A mode that is not given is not compared. */
  | { mode?: number }

/** Bytes in the form that is easiest to read. A string stands for its UTF-8. */
export type Content =
  | string
  | { bytes: number[] }
  /** `size` bytes of the text over and over, beginning at byte `from` of that endless sequence. */
  | { repeat: string; size: number; from?: number }

export interface OneOf {
  oneOf: Content[]
}

export type Step = Call | Together | Watch | Abilities

/**
 * One call of a method, and its expected outcome. The runner overwrites every buffer it passed in or got back as soon as
 * it has compared it, so a backend that keeps one fails.
 */
export type Call = { fails?: Failure } & (
  | { do: ['stat', path: string]; gives?: ExpectedStat }
  | { do: ['readFile', path: string, range?: ByteRange]; gives?: Content | OneOf }
  | { do: ['writeFile', path: string, data: Content, options?: WriteOptions] }
  | { do: ['readDir', path: string]; gives?: Record<string, Kind> }
  | { do: ['makeDir', path: string] }
  | { do: ['remove', path: string] }
  | { do: ['rename', from: string, to: string] }
  | { do: ['symlink', target: string, path: string] }
  | { do: ['readLink', path: string]; gives?: string }
  | { do: ['setMode', path: string, mode: number] }
  | { do: ['setModified', path: string, modifiedMs: number] }
  /** Opens, reads each range, closes. */
  | { do: ['open', path: string, ranges?: ByteRange[]]; gives?: ExpectedSource }
  | { do: ['watch', path: string] }
)

export type MethodName = Call['do'][0]

/** `kind` and `size` are compared as they stand, absent for absent; the others only when given. */
export interface ExpectedStat {
  kind: Kind
  size?: number
  mode?: number | 'absent' | 'known'
  /** `now`: between the start of the case and the comparison, with a tolerance for clocks. */
  modifiedMs?: number | 'absent' | 'known' | 'now'
}

/** The size of an open file, and the bytes of each range. */
export interface ExpectedSource {
  size: number
  reads: Content[]
}

/** A code, one of several, or a code with some of its facts. The path is always checked; of a rename either may be named unless given. */
export type Failure = ErrorCode | ErrorCode[] | { code: ErrorCode; facts: Record<string, string> }

/** Calls that are started in this order without waiting for each other. */
export interface Together {
  together: Call[]
  /** Exactly so many succeed, whichever they are; the others fail as they say. Default: each as it says. */
  succeed?: number
}

/** Changes that must be reported to a watcher of `watch`, each path in `reports` at least once. */
export interface Watch {
  watch: string
  during: Call[]
  reports: string[]
  /** How often the calls are repeated; every time all of `reports` must be reported again. Default: 1. */
  times?: number
  /** A second watcher is stopped before the calls, and must not be called. */
  besideAnEndedOne?: true
}

export interface Abilities {
  has?: MethodName[]
  lacks?: MethodName[]
}
