/** The directories that a gate knows of, and what each allows. */

import { basename, dirname, isWithin, split } from '../path.js'
import { type DirectoryLister, wouldBlock } from '../sync.js'
import type { Entry } from '../types.js'
import { isVisible } from './no-follow-gate.js'

/** A directory that tools may reach. Where roots are nested the innermost decides. */
export interface Root {
  /** Normalised, and itself free of links. */
  path: string
  access: 'read-write' | 'read-only'
  /** Other absolute spellings that lead to it, such as the link it was named by. */
  aliases?: readonly string[]
}

export interface PlacesOptions {
  roots: readonly Root[]
  /** Directories out of reach although a root holds them: not read, not listed, and neither moved nor removed with what holds them. */
  hidden?: readonly string[]
  /** Directories that can be read by their paths, also in a hidden one, and are no roots: nothing lists them. */
  unlisted?: readonly string[]
}

export interface Places {
  /** What decides about a path; undefined where it is out of reach. */
  find(path: string): Root | undefined
  /** Whether one of the directories is the path, or lies below it. */
  isAbove(path: string): boolean
  /** The entries of a directory that a listing may contain; the same array where that is all. */
  visible(directory: string, entries: Entry[]): Entry[]
  /** A lister below a directory that returns visible entries only. */
  visibleBy(directory: string, list: DirectoryLister): DirectoryLister
}

/** `comparable` gives one spelling for all that the file system takes for the same path. */
export function createPlaces(options: PlacesOptions, comparable: (path: string) => string): Places {
  const { roots, hidden = [], unlisted = [] } = options
  const places: Array<{ path: string; root: Root | undefined }> = [
    ...roots.map((root) => ({ path: root.path, root })),
    ...hidden.map((path) => ({ path, root: undefined })),
    ...unlisted.map((path) => ({ path, root: { path, access: 'read-only' as const } })),
  ].sort((a, b) => split(b.path).length - split(a.path).length)
  /** Names that are left out of the listing of each directory that holds some. */
  const leftOut = new Map<string, Set<string>>()
  for (const path of hidden) {
    const directory = comparable(dirname(path))
    leftOut.set(directory, (leftOut.get(directory) ?? new Set()).add(basename(comparable(path))))
  }

  function within(directory: string, path: string): boolean {
    return isWithin(comparable(directory), comparable(path))
  }

  function visible(directory: string, entries: Entry[]): Entry[] {
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
      const holdsHidden = hidden.some((path) => within(directory, path))
      return (names) => {
        const entries = list(names)
        if (entries === wouldBlock) return wouldBlock
        return visible(holdsHidden ? [prefix, ...names].join('/') || '/' : '', entries)
      }
    },
  }
}
