/** What an overlay shows of its two layers. */
import { FsError, relocate } from '../../errors.js'
import { find, statIfThere } from '../if-there.js'
import { dirname } from '../path.js'
import { createPathSet } from '../path-set.js'
import type { Entry, FileSystem, Stat } from '../types.js'
import { merged } from './overlay-reads.js'

export interface OverlayLayers {
  readonly lower: FileSystem
  readonly upper: FileSystem
  /** The layer that has the entry, and its stat. */
  locate(path: string): Promise<Located>
  /** The same before something is put there: undefined if nothing is. */
  lookAtTarget(path: string): Promise<Located | undefined>
  /** What `lower` shows at a path, whether or not `upper` has something there. */
  inLower(path: string): Promise<Stat | undefined>
  list(path: string): Promise<Entry[]>
  /** True for a path of `lower` that a whiteout hides. */
  hidden(path: string): boolean
  /** The entries of a directory of `lower` that no whiteout hides. */
  visible(directory: string, entries: Entry[]): Entry[]
  /** Hides what `lower` has at a path and below. */
  hide(path: string): void
  /** What is hidden. */
  readonly whiteouts: Iterable<string>
}

export interface Located {
  fs: FileSystem
  stat: Stat
}

export function overlayLayers(lower: FileSystem, upper: FileSystem): OverlayLayers {
  /** A whiteout hides what `lower` has at its path and below. */
  const whiteouts = createPathSet()
  const hidden = whiteouts.covers

  async function inLower(path: string): Promise<Stat | undefined> {
    return hidden(path) ? undefined : statIfThere(lower, path)
  }

  async function locate(path: string): Promise<Located> {
    const found = await look(path)
    if (found === undefined) throw new FsError('NOT_FOUND', { path })
    return found
  }

  /** Any error of `upper`, such as a file in place of a parent, hides the entry of `lower`. */
  async function look(path: string): Promise<Located | undefined> {
    const own = await find(upper, path)
    if (own !== undefined) return { fs: upper, stat: own }
    const other = hidden(path) ? undefined : await find(lower, path)
    return other && { fs: lower, stat: other }
  }

  async function lookAtTarget(path: string): Promise<Located | undefined> {
    const found = await look(path)
    if (found === undefined) await refuseMissingParent(path)
    return found
  }

  async function refuseMissingParent(path: string): Promise<void> {
    try {
      const { stat } = await locate(dirname(path))
      if (stat.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
    } catch (error) {
      throw relocate(error, () => path)
    }
  }

  async function list(path: string): Promise<Entry[]> {
    const { fs, stat } = await locate(path)
    if (stat.kind === 'symlink') throw new FsError('IS_LINK', { path })
    if (stat.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
    if (fs === lower) return visible(path, await lower.readDir(path))
    const own = await upper.readDir(path)
    if ((await inLower(path))?.kind !== 'directory') return own
    return merged(own, visible(path, await lower.readDir(path)))
  }

  function visible(directory: string, entries: Entry[]): Entry[] {
    if (whiteouts.size === 0) return entries
    const isHidden = whiteouts.namesIn(directory)
    return entries.filter(({ name }) => !isHidden(name))
  }

  return {
    lower,
    upper,
    locate,
    lookAtTarget,
    inLower,
    list,
    hidden,
    visible,
    hide(path) {
      whiteouts.deleteWithin(path)
      whiteouts.add(path)
    },
    whiteouts,
  }
}
