/** Merges what a fork has changed into another tree, as one change. */
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import type { Changes } from '../changes.js'
import type { ChangeRecord } from '../journal/record.js'
import type { Scope } from '../locks/locks.js'
import type { BranchEntry } from './branch-entries.js'
import { directoryMerge } from './merge-directories.js'
import { leafMerge } from './merge-leaves.js'
import { type MergeState, mergeState, sortedBy } from './merge-state.js'
import { type Parts, partsOf } from './parts.js'
import { type Places, placesIn } from './places.js'
import { gitDirectoryOf } from './repositories.js'
import type { MergeOptions, MergeOutcome } from './types.js'

export interface ToMerge {
  /** What the fork has changed; see `branchEntries`. */
  entries: readonly BranchEntry[]
  /** See `movedEntries`. */
  moved: ReadonlyMap<string, string>
}

export interface MergeTarget {
  fs: ConfinedFileSystem
  changes: Changes
  /** What was changed here since the fork was made, oldest first. */
  history(): Promise<readonly ChangeRecord[]>
}

export async function mergeEntries(
  { entries, moved }: ToMerge,
  { fs, changes, history }: MergeTarget,
  options: MergeOptions,
): Promise<MergeOutcome> {
  const parts = partsOf(entries, moved)
  const places = await placesIn(fs.exact, parts, history)
  const { label = 'merge', dryRun = false, signal } = options
  const gitDirectories = [...new Set(entries.flatMap(({ path }) => gitDirectoryOf(path) ?? []))]
  const request = { label, scopes: scopesOf(parts, places), gitDirectories, ...(signal && { signal }) }
  const { result, record } = await changes.run(request, async (draft) => {
    const state = mergeState(draft, fs, options)
    await draftMerge(parts, places, state)
    state.requireUsed()
    const { conflicts, merged, kept } = state
    if (dryRun || conflicts.length > 0) draft.discard()
    return { merged: sortedBy(merged), conflicts: sortedBy(conflicts), kept: [...kept].sort() }
  })
  return { ...result, ...(record && { record }) }
}

/** What is in the way of others goes first, and directories are closed last. */
async function draftMerge(parts: Parts, places: Places, state: MergeState): Promise<void> {
  const directories = directoryMerge(parts, places, state)
  const leaves = leafMerge(parts.leaves, places, state)
  await leaves.decide()
  await removeDeepestFirst([...leaves.removals(), ...directories.removals()])
  await directories.make()
  await leaves.put()
  await directories.setModes()
}

interface Removal {
  path: string
  remove(): Promise<void>
}

async function removeDeepestFirst(removals: readonly Removal[]): Promise<void> {
  const sorted = [...removals].sort((a, b) => (a.path < b.path ? 1 : -1))
  for (const { remove } of sorted) await remove()
}

function scopesOf({ leaves, made, removed, changed }: Parts, places: Places): Scope[] {
  const scopes = new Map<string, Scope>()
  for (const { start, theirs } of leaves) {
    const paths = [start && places.ofBase(start.path), theirs?.path, theirs && places.ofNew(theirs.path)]
    for (const path of paths) if (path !== undefined) scopes.set(path, { path, exact: true })
  }
  for (const { path } of changed) scopes.set(places.ofBase(path), { path: places.ofBase(path), exact: true })
  // What is made or removed with a directory is covered by it.
  for (const { path } of made) scopes.set(places.ofNew(path), { path: places.ofNew(path), exact: true, tree: true })
  for (const { path } of removed)
    scopes.set(places.ofBase(path), { path: places.ofBase(path), exact: true, tree: true })
  return [...scopes.values()]
}
