import type { Draft } from '../../change/draft.js'
import { dirname } from '../../fs/path.js'
import { walk } from '../../fs/walk/walk.js'
import type { Workspace } from '../../workspace.js'

/** Entries that are still to be taken away, by their paths, each with what lifts it out of the draft. */
export type Leaving = Map<string, () => Promise<void>>

/**
 * Lifts what is in the way of a new entry and leaves anyhow: a file, also where a directory above is to be, or a directory with things in
 * it of which none stays. All else is left where it is.
 */
export async function makeRoom({ fs }: Workspace, draft: Draft, at: string, leaving: Leaving): Promise<void> {
  for (let above = dirname(at); leaving.size > 0 && above !== '/'; above = dirname(above)) await leaving.get(above)?.()
  const { kind } = (await draft.look(at)).image
  if (kind === 'file') await leaving.get(at)?.()
  if (kind !== 'directory') return
  const directories = [at]
  const files: string[] = []
  for await (const entry of walk(fs, at)) {
    if (entry.kind === 'directory') directories.push(entry.path)
    else if (leaving.has(entry.path) || (await draft.look(entry.path)).image.kind === 'absent') files.push(entry.path)
    else return
  }
  if (files.length === 0) return
  for (const path of files) await leaving.get(path)?.()
  for (const directory of directories.reverse()) await draft.remove(directory)
}
