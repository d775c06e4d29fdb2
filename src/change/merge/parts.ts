/** The parts of a merge: files and links, each with its places in the base and in the fork, and directories. */
import type { EntryState } from '../entry-image.js'
import type { Streamed } from '../streamed-content.js'
import { type BranchEntry, isLeaf } from './branch-entries.js'

/** A file or link, of which at least one side is there. */
export interface LeafPart {
  start?: { path: string; state: EntryState }
  theirs?: { path: string; state: EntryState; streamed?: Streamed }
}

export interface DirectoryPart {
  path: string
  start: EntryState
  now: EntryState
}

export interface Parts {
  leaves: LeafPart[]
  /** Parents before what is in them. */
  made: DirectoryPart[]
  removed: DirectoryPart[]
  /** Only their modes differ. */
  changed: DirectoryPart[]
}

/** `entries` are sorted by path; `moved` has old paths by new ones. */
export function partsOf(entries: readonly BranchEntry[], moved: ReadonlyMap<string, string>): Parts {
  const parts: Parts = { leaves: [], made: [], removed: [], changed: [] }
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  const sources = new Set(moved.values())
  for (const entry of entries) {
    const { path, start, now, streamed } = entry
    const wasDirectory = start.image.kind === 'directory'
    if (wasDirectory && now.image.kind === 'directory') parts.changed.push({ path, start, now })
    else if (wasDirectory) parts.removed.push({ path, start, now })
    else if (now.image.kind === 'directory') parts.made.push({ path, start, now })
    const theirs = isLeaf(now) ? { path, state: now, ...(streamed && { streamed }) } : undefined
    const from = byPath.get(moved.get(path) ?? '')
    const origin = from ?? (isLeaf(start) && !sources.has(path) ? entry : undefined)
    if (theirs === undefined && origin === undefined) continue
    parts.leaves.push({
      ...(origin && { start: { path: origin.path, state: origin.start } }),
      ...(theirs && { theirs }),
    })
  }
  return parts
}
