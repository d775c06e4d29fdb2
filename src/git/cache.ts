/** What git operations keep from one call to the next. */
import type { Stat } from '../fs/types.js'
import type { Workspace } from '../workspace.js'
import type { ObjectCache } from './objects/objects.js'

export interface GitCache extends ObjectCache {
  /** The name of a file's content, by how the file looked when it was read. */
  contents: Map<string, { stat: Stat; oid: string }>
}

/** A cache lives as long as its workspace, which need not know of it. */
const caches = new WeakMap<Workspace['fs'], Map<string, GitCache>>()

/** An agent may go through any number of them. */
const maxRepositories = 8

export function cacheOf({ fs }: Workspace, gitDirectory: string): GitCache {
  const ofWorkspace = caches.get(fs) ?? new Map<string, GitCache>()
  caches.set(fs, ofWorkspace)
  const cache = ofWorkspace.get(gitDirectory) ?? {
    trees: new Map(),
    commits: new Map(),
    packs: new Map(),
    held: { entries: 0, characters: 0 },
    contents: new Map(),
  }
  // The one that was used longest ago goes first.
  ofWorkspace.delete(gitDirectory)
  ofWorkspace.set(gitDirectory, cache)
  if (ofWorkspace.size > maxRepositories) ofWorkspace.delete(ofWorkspace.keys().next().value as string)
  return cache
}
