/** Directories and pages of directories in memory. They never change. */
import type { Bytes } from '../../types.js'
import type { Blobs, Ref } from './blobs.js'
import {
  emptyDirectory,
  type LoadedPages,
  readDirectory,
  readPage,
  type StoredDirectory,
  type TreeEntry,
} from './directories.js'
import type { Loaded } from './draft-tree.js'

export interface LoadedParts {
  /** Calls `run` until all that it needs is in memory. */
  withLoaded<Result>(run: (loaded: LoadedValues) => Result): Promise<Result>
  /** Adds those that are not in memory. */
  add(made: ReadonlyMap<Ref, Part>): void
}

export interface LoadedValues extends Loaded {
  value(refs: readonly Ref[]): Bytes[]
}

export type Part = StoredDirectory | ReadonlyMap<string, TreeEntry>

/** Stands for a directory that was never stored. */
export const emptyRef = 'empty'

/** With more entries in memory, the oldest directories are forgotten. */
const maxCachedEntries = 200_000

/** Values that have to be read before a function is called again. */
class NotLoaded extends Error {
  constructor(readonly refs: readonly Ref[]) {
    super('a value is not in memory')
  }
}

export function loadedParts(blobs: Pick<Blobs, 'cached' | 'get'>): LoadedParts {
  const parts = new Map<Ref, Part>()
  let cachedEntries = 0

  function remember(ref: Ref, part: Part): Part {
    const before = parts.get(ref)
    if (before !== undefined) cachedEntries -= sizeOf(before)
    parts.delete(ref)
    parts.set(ref, part)
    cachedEntries += sizeOf(part)
    for (const [oldest, other] of parts) {
      if (cachedEntries <= maxCachedEntries) break
      parts.delete(oldest)
      cachedEntries -= sizeOf(other)
    }
    return part
  }

  async function withLoaded<Result>(run: (loaded: LoadedValues) => Result): Promise<Result> {
    const values = new Map<Ref, Bytes>()
    const held = new Map<Ref, Part>()
    const value = (refs: readonly Ref[]) => {
      const missing: Ref[] = []
      const found: Bytes[] = []
      for (const ref of refs) {
        const bytes = values.get(ref) ?? blobs.cached(ref)
        if (bytes === undefined) missing.push(ref)
        else found.push(bytes)
      }
      if (missing.length > 0) throw new NotLoaded(missing)
      return found
    }
    /** A page and a small directory with the same entries have the same reference: what is in memory may be the other kind. */
    function partsAt<One extends Part>(
      refs: readonly Ref[],
      isOne: (part: Part) => part is One,
      decode: (bytes: Bytes) => One,
    ): One[] {
      const found = new Map<Ref, One>()
      for (const ref of refs) {
        for (const part of [parts.get(ref), held.get(ref)]) if (part && isOne(part)) found.set(ref, part)
      }
      const absent = refs.filter((ref) => !found.has(ref))
      const bytes = absent.length === 0 ? [] : value(absent)
      for (const [index, ref] of absent.entries()) {
        const part = decode(bytes[index] as Bytes)
        found.set(ref, part)
        held.set(ref, remember(ref, part))
      }
      return refs.map((ref) => found.get(ref) as One)
    }
    const pages: LoadedPages = (refs) => partsAt(refs, isPage, readPage)
    const directory = (ref: Ref) =>
      ref === emptyRef ? emptyDirectory : (partsAt([ref], isDirectory, readDirectory)[0] as StoredDirectory)
    for (;;) {
      try {
        return run({ value, directory, pages })
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error
        const bytes = await Promise.all(error.refs.map(blobs.get))
        for (const [index, ref] of error.refs.entries()) values.set(ref, bytes[index] as Bytes)
      }
    }
  }

  return {
    withLoaded,
    add(made) {
      for (const [ref, part] of made) if (!parts.has(ref)) remember(ref, part)
    },
  }
}

const isDirectory = (part: Part): part is StoredDirectory => 'pages' in part
const isPage = (part: Part): part is ReadonlyMap<string, TreeEntry> => !isDirectory(part)

function sizeOf(part: Part): number {
  if (isPage(part)) return 1 + part.size
  return part.pages.reduce((sum, { entries }) => sum + 1 + (entries?.size ?? 0), 1)
}
