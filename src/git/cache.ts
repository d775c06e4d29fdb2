/** A cache shared by git operations of a workspace. */
import type { Stat } from '../fs/types.js'
import type { Workspace } from '../workspace/workspace.js'
import type { ObjectCache } from './objects/objects.js'
import type { SeenBlobs } from './objects/readable-blobs.js'

export interface GitCache extends ObjectCache {
  /** Object ids of files, valid while the file's stat is unchanged. */
  contents: Map<string, { stat: Stat; oid: string }>
  /** Where blobs were found; only where rules limit reading. */
  seenBlobs?: SeenBlobs
}

/** A cache lives as long as its workspace. */
const caches = new WeakMap<Workspace['fs'], Map<string, GitCache>>()

/** Limited, because an agent may visit any number of repositories. */
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
  // Drops the least recently used repository first.
  ofWorkspace.delete(gitDirectory)
  ofWorkspace.set(gitDirectory, cache)
  if (ofWorkspace.size > maxRepositories) ofWorkspace.delete(ofWorkspace.keys().next().value as string)
  return cache
}
