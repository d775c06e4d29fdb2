import type { Draft } from '../../change/draft.js'
import { dirname } from '../../fs/path.js'
import { walk } from '../../fs/walk/walk.js'
import type { Workspace } from '../../workspace/workspace.js'

/** Entries that a later step of the same patch removes, by path, each with a function that removes it from the draft now. */
export type PendingRemovals = Map<string, () => Promise<void>>

/**
 * Removes what is in the way of a new entry, if it is going to be removed anyway: a file at the path or where a parent directory has to be,
 * or a directory whose entries are all going to be removed. Leaves everything else.
 */
export async function clearTarget(
  { fs }: Workspace,
  draft: Draft,
  at: string,
  pendingRemovals: PendingRemovals,
): Promise<void> {
  for (let above = dirname(at); pendingRemovals.size > 0 && above !== '/'; above = dirname(above))
    await pendingRemovals.get(above)?.()
  const { kind } = (await draft.entry(at)).image
  if (kind === 'file') await pendingRemovals.get(at)?.()
  if (kind !== 'directory') return
  const directories = [at]
  const files: string[] = []
  for await (const entry of walk(fs, at)) {
    if (entry.kind === 'directory') directories.push(entry.path)
    else if (pendingRemovals.has(entry.path) || (await draft.entry(entry.path)).image.kind === 'absent')
      files.push(entry.path)
    else return
  }
  if (files.length === 0) return
  for (const path of files) await pendingRemovals.get(path)?.()
  for (const directory of directories.reverse()) await draft.remove(directory)
}
