/** What the journal stores of a change: enough to finish it, to roll it back, and to list what it did. */
import { dirname } from '../../fs/path.js'
import type { Bytes, FileSystem } from '../../fs/types.js'
import type { Scope } from '../locks/locks.js'

/** An entry of the tree before or after a step. A file's bytes are stored separately, by hash; see `unreadHash` for large files. */
export type Image =
  | { kind: 'absent' }
  | { kind: 'file'; hash: string; size: number; mode?: number }
  | { kind: 'directory'; mode?: number }
  /** `verbatim` for a target outside the file system, in the backend's own spelling. */
  | { kind: 'symlink'; target: string; verbatim?: true }

export type LinkImage = Image & { kind: 'symlink' }

/**
 * One entry that changes. `set` replaces the image `before` by `after`. `staged` is the temporary path from which a file is renamed
 * into place: its new bytes, or the old ones when the step is rolled back.
 * `rename` moves a directory with everything below it to a free path or onto an empty directory, or moves a file too large to be read.
 * Other files are moved by two `set` steps.
 * `parked` is the temporary path of a replaced file that is too large to be read. It is deleted when the change is done.
 * `via` marks a rename that only spells a name otherwise, where both spellings are the same name: the entry is renamed to this temporary path
 * and from there. Of its images only the kind counts.
 */
export type Step =
  | { do: 'set'; path: string; before: Image; after: Image; staged?: string; parked?: string }
  | { do: 'rename'; path: string; to: string; before: Image; replaces: Image; parked?: string; via?: string }

/** The program that made a change, by what it says about itself. */
export interface ClientInfo {
  name: string
  version?: string
}

export interface ChangeRecord {
  id: string
  /** The caller's name for the change, such as the tool that made it. */
  label: string
  atMs: number
  /**
   * In the order they are done. A path has at most one step, except a directory whose mode changes in between: a new one that becomes
   * unwritable once it is filled, or one that is made writable so that its entries can be removed. A rename with `via` comes last.
   */
  steps: Step[]
  /** False when the replaced content was too large to store. */
  undoable: boolean
  /** The replaced content was purged from the history. */
  purged?: true
  /** The change that this one undid, or several. */
  undoes?: string | readonly string[]
  /** Changes of which this one undid only a part: others had changed the rest since. */
  undoesPartly?: readonly string[]
  /** `.git` directories in which the change may write; finishing it or rolling it back may write there too. */
  gitDirectories?: readonly string[]
  /** A named point in the history rather than a change. */
  checkpoint?: string
  /** Who made it, where that is known. */
  by?: ClientInfo
}

/** File contents by hash. */
export type Contents = ReadonlyMap<string, Bytes>

export function bytesIn(contents: Contents): number {
  let total = 0
  for (const bytes of contents.values()) total += bytes.length
  return total
}

/**
 * True for a change that is a single atomic rename: a file that is new or replaces another. It needs no commit point: the tree shows
 * whether it was made.
 */
export function isOneRename({ steps }: ChangeRecord, fs: Pick<FileSystem, 'capabilities'>): boolean {
  const [step, ...others] = steps
  if (step === undefined || others.length > 0 || !fs.capabilities.atomicRename) return false
  if (step.do === 'rename' || step.staged === undefined || step.parked !== undefined) return false
  return step.after.kind === 'file' && (step.before.kind === 'file' || step.before.kind === 'absent')
}

/** The changes that a change undid. */
export function undoneBy({ undoes = [] }: Pick<ChangeRecord, 'undoes'>): readonly string[] {
  return typeof undoes === 'string' ? [undoes] : undoes
}

/** The paths a step touches. */
export function pathsOf(step: Step): string[] {
  return step.do === 'rename' ? [step.path, step.to] : [step.path]
}

/** The scopes to lock to do a record's steps or to roll them back. A directory that is made or removed covers everything below it. */
export function scopesOf({ steps }: ChangeRecord): Scope[] {
  const whole = new Set<string>()
  for (const step of steps) if (isWholeDirectory(step)) whole.add(step.path)
  return steps.flatMap((step) => {
    const isTree = step.do === 'rename' || whole.has(step.path)
    const own = whole.size === 0 ? pathsOf(step) : pathsOf(step).filter((path) => !whole.has(dirname(path)))
    return own.map((path): Scope => ({ path, exact: true, ...(isTree && { tree: true }) }))
  })
}

function isWholeDirectory(step: Step): boolean {
  if (step.do === 'rename') return false
  const kinds = [step.before.kind, step.after.kind]
  return kinds.includes('directory') && kinds.includes('absent')
}

/** The steps that undo a record. */
export function inverse({ steps }: ChangeRecord): Step[] {
  return [...steps].reverse().map((step): Step => {
    if (step.do === 'rename') {
      const { path, to, before, via } = step
      return {
        do: 'rename',
        path: to,
        to: path,
        before,
        replaces: { kind: 'absent' },
        ...(via !== undefined && { via }),
      }
    }
    return { do: 'set', path: step.path, before: step.after, after: step.before }
  })
}

export function sameImage(a: Image, b: Image): boolean {
  if (a.kind !== b.kind) return false
  if (a.kind === 'file') return b.kind === 'file' && a.hash === b.hash && sameMode(a.mode, b.mode)
  if (a.kind === 'symlink') {
    return b.kind === 'symlink' && a.target === b.target && a.verbatim === b.verbatim
  }
  return a.kind !== 'directory' || b.kind !== 'directory' || sameMode(a.mode, b.mode)
}

/** An unknown mode equals any other. */
function sameMode(a: number | undefined, b: number | undefined): boolean {
  return a === undefined || b === undefined || a === b
}
