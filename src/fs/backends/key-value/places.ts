/** Where a tree has the same directory again. In a store that somebody else has made, that can be in more places than any walk can visit. */
import type { Ref } from './blobs.js'
import { StoreFailure } from './store.js'

export interface Places {
  /** To be called with each directory that is listed. Throws for one that was listed elsewhere, when too much is repeated by then. */
  list(directory: Ref, at: { path: string; root: Ref; entries: number }): void
}

/**
 * Directories are named by what is in them, so equal ones are one value, and forty values can be a tree of 2^40 entries. Of what polyfs
 * writes few directories are equal, as entries have the times at which they were made.
 */
export const maxRepeated = 10_000
/** With more directories in memory, all are forgotten. */
const maxKnown = 200_000

export function placesOf(): Places {
  /** The tree that the rest is about. */
  let tree: Ref | undefined
  /** Where each directory was listed first. */
  const first = new Map<Ref, string>()
  /** Where directories were listed again. */
  const others = new Set<string>()
  let repeated = 0

  function forget(): void {
    first.clear()
    others.clear()
    repeated = 0
  }

  return {
    list(directory, { path, root, entries }) {
      if (root !== tree) forget()
      tree = root
      const known = first.get(directory)
      if (entries === 0 || known === path || others.has(path)) return
      if (known === undefined) {
        if (first.size >= maxKnown) first.clear()
        first.set(directory, path)
        return
      }
      if (repeated + entries > maxRepeated) {
        throw new StoreFailure('other', tooOften(directory))
      }
      repeated += entries
      others.add(path)
    },
  }
}

function tooOften(directory: Ref): string {
  return `the store has the directory ${directory} in so many places that they repeat more than ${maxRepeated} entries, which polyfs did not write: restore a backup of it`
}
