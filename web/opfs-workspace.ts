import { storedJournal } from '../src/change/journal.js'
import { nestedLocks, processLocks } from '../src/change/locks.js'
import { FsError } from '../src/errors.js'
import { createWorkspace, type Workspace, type WorkspaceOptions } from '../src/workspace.js'
import { opfs } from './opfs.js'
import { webLocks } from './web-locks.js'

/** Journals lie beside the trees, under a name no tree can have. */
const journalPrefix = '.polyfs-journal-'

export type OpfsWorkspaceOptions = Omit<WorkspaceOptions, 'fs' | 'roots' | 'rules' | 'journal' | 'locks'>

/**
 * A workspace that stays in the browser: its files in the origin's private file system under `name`, its journal beside them. Several
 * tabs and workers may open the same one; a change that one of them left half done is finished by the next.
 */
export async function openOpfs(name: string, options: OpfsWorkspaceOptions = {}): Promise<Workspace> {
  if (name.startsWith(journalPrefix)) throw new FsError('INVALID_PATH', { path: name, reason: 'reserved-name' })
  const [fs, store] = await Promise.all([opfs(name), opfs(`${journalPrefix}${name}`)])
  return createWorkspace({
    ...options,
    fs,
    journal: await storedJournal(store),
    locks: nestedLocks(processLocks(), webLocks(name)),
  })
}
