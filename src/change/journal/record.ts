/** What the journal keeps of a change: enough to finish it, to take it back, and to tell what it did. */
import { dirname } from '../../fs/path.js'
import type { Bytes, FileSystem } from '../../fs/types.js'
import type { Scope } from '../locks/locks.js'

/** An entry of the tree as it was or will be. A file's bytes are kept apart, by their hash; see `unreadHash` for large ones. */
export type Image =
  | { kind: 'absent' }
  | { kind: 'file'; hash: string; size: number; mode?: number }
  | { kind: 'directory'; mode?: number }
  /** `verbatim` where the text leads out of its file system, and is the backend's own. */
  | { kind: 'symlink'; target: string; verbatim?: true }

export type LinkImage = Image & { kind: 'symlink' }

/**
 * One entry that changes. For `set`, `before` and `after` say it all; `staged` is where the bytes of a file wait to be renamed
 * into place: the new ones, and, should the change be taken back half done, the old ones.
 * `rename` moves a directory with all below it, over nothing or over an empty directory, or a file too large to be read; other
 * files are moved by two sets.
 * `parked` is where a file that is too large to be read waits until the change is done, and goes then.
 */
export type Step =
  | { do: 'set'; path: string; before: Image; after: Image; staged?: string; parked?: string }
  | { do: 'rename'; path: string; to: string; before: Image; replaces: Image; parked?: string }

export interface ChangeRecord {
  id: string
  /** What the caller calls it, such as the tool that made it. */
  label: string
  atMs: number
  /**
   * In the order they are done. A path is in one of them at most, but for a new directory that is closed when all is in it, and one that is
   * opened so that all in it can go.
   */
  steps: Step[]
  /** False when what was there before was too much to keep. */
  undoable: boolean
  /** What it replaced was removed from the history on purpose. */
  purged?: true
  /** The change this one took back. */
  undoes?: string
  /** Directories called `.git` whose inside it changes; whoever finishes it or takes it back may do so too. */
  gitDirectories?: readonly string[]
  /** A named point in the history rather than a change. */
  checkpoint?: string
}

/** File contents by hash. */
export type Contents = ReadonlyMap<string, Bytes>

export function bytesIn(contents: Contents): number {
  let total = 0
  for (const bytes of contents.values()) total += bytes.length
  return total
}

/**
 * True for a change that one rename makes, where renames are atomic: a file that is new, or that replaces another. It needs no commit point:
 * whether it was made can be seen in the tree.
 */
export function isOneRename({ steps }: ChangeRecord, fs: Pick<FileSystem, 'capabilities'>): boolean {
  const [step, ...others] = steps
  if (step === undefined || others.length > 0 || !fs.capabilities.atomicRename) return false
  if (step.do === 'rename' || step.staged === undefined || step.parked !== undefined) return false
  return step.after.kind === 'file' && (step.before.kind === 'file' || step.before.kind === 'absent')
}

/** The paths a step touches. */
export function pathsOf(step: Step): string[] {
  return step.do === 'rename' ? [step.path, step.to] : [step.path]
}

/** What has to be held to do a record's steps, or to take them back. A directory that comes or goes stands for all below it. */
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

/** The record that takes this one back. */
export function inverse({ steps }: ChangeRecord): Step[] {
  return [...steps].reverse().map((step): Step => {
    if (step.do === 'rename') {
      return { do: 'rename', path: step.to, to: step.path, before: step.before, replaces: { kind: 'absent' } }
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

/** A mode that is not known is no difference. */
function sameMode(a: number | undefined, b: number | undefined): boolean {
  return a === undefined || b === undefined || a === b
}
