/** The directories of a gate, and the access that each allows. */

import { basename, dirname, isWithin, split } from '../path.js'
import { type DirectoryLister, wouldBlock } from '../sync.js'
import type { Entry } from '../types.js'
import type { RuleChecks } from './access-rules.js'
import { isVisible } from './no-follow-gate.js'

/** A directory that tools may access. If roots are nested, the innermost applies. */
export interface Root {
  /** Normalised, and itself free of links. */
  path: string
  access: 'read-write' | 'read-only'
  /** Other absolute paths that lead to it, such as a link. */
  aliases?: readonly string[]
}

export interface PlacesOptions {
  roots: readonly Root[]
  /** Directories inside a root that are out of reach: not read, not listed, and not moved or removed together with a parent. */
  hidden?: readonly string[]
  /** Directories that can be read by path although they are not roots, also inside a hidden one. No listing contains them. */
  unlisted?: readonly string[]
}

export interface Places {
  /** The root that applies to a path; undefined if it is out of reach. */
  find(path: string): Root | undefined
  /** Whether the path is one of the directories, or contains one. */
  isAbove(path: string): boolean
  /** The entries of a directory that a listing may contain; the same array if that is all of them. */
  visible(directory: string, entries: Entry[]): Entry[]
  /** A lister below a directory that returns visible entries only. */
  visibleBy(directory: string, list: DirectoryLister): DirectoryLister
}

/** `comparable` returns one spelling for all paths that the file system considers equal. */
export function createPlaces(
  options: PlacesOptions,
  comparable: (path: string) => string,
  checks: Pick<RuleChecks, 'areAny' | 'visible'>,
): Places {
  const { roots, hidden = [], unlisted = [] } = options
  const places: Array<{ path: string; root: Root | undefined }> = [
    ...roots.map((root) => ({ path: root.path, root })),
    ...hidden.map((path) => ({ path, root: undefined })),
    ...unlisted.map((path) => ({ path, root: { path, access: 'read-only' as const } })),
  ].sort((a, b) => split(b.path).length - split(a.path).length)
  /** Names left out of listings, by directory. */
  const leftOut = new Map<string, Set<string>>()
  for (const path of hidden) {
    const directory = comparable(dirname(path))
    leftOut.set(directory, (leftOut.get(directory) ?? new Set()).add(basename(comparable(path))))
  }

  function within(directory: string, path: string): boolean {
    return isWithin(comparable(directory), comparable(path))
  }

  function visible(directory: string, entries: Entry[]): Entry[] {
    return checks.visible(directory, visibleInPlaces(directory, entries))
  }

  function visibleInPlaces(directory: string, entries: Entry[]): Entry[] {
    const names = leftOut.size === 0 ? undefined : leftOut.get(comparable(directory))
    if (names === undefined) return entries.every(isVisible) ? entries : entries.filter(isVisible)
    return entries.filter((entry) => isVisible(entry) && !names.has(comparable(entry.name)))
  }

  return {
    find: (path) => places.find((place) => within(place.path, path))?.root,
    isAbove: (path) => places.some((place) => within(path, place.path)),
    visible,
    visibleBy(directory, list) {
      const prefix = directory === '/' ? '' : directory
      const holdsHidden = checks.areAny || hidden.some((path) => within(directory, path))
      return (names) => {
        const entries = list(names)
        if (entries === wouldBlock) return wouldBlock
        return visible(holdsHidden ? [prefix, ...names].join('/') || '/' : '', entries)
      }
    },
  }
}
