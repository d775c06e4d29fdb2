import { storedJournal } from '../../src/change/journal/journal.js'
import { nestedLocks, processLocks } from '../../src/change/locks/locks.js'
import { FsError } from '../../src/errors.js'
import { search } from '../../src/search/run/searcher.js'
import { createWorkspace, type Workspace, type WorkspaceOptions } from '../../src/workspace.js'
import { emulatedShell } from '../engine/emulated-shell.js'
import { opfs } from './opfs.js'
import { opfsSearcher } from './opfs-searcher.js'
import { webLocks } from './web-locks.js'
import { type WorkingSet, type WorkingSetOptions, workingSet } from './working-set.js'

/** Journals are stored beside the trees, under a prefix that no tree may have. */
const journalPrefix = '.polyfs-journal-'

export interface OpfsWorkspaceOptions
  extends Omit<WorkspaceOptions, 'fs' | 'roots' | 'rules' | 'journal' | 'locks' | 'shell'> {
  /** `auto` is an emulated bash. Default: no shell. */
  shell?: WorkspaceOptions['shell'] | 'auto'
  /**
   * Holds the files in memory while no other tab has the workspace open, and writes changes a little later. This is
   * much faster, but a crash may lose the last changes, each as a whole. Default: every change is in the browser's
   * storage when it returns.
   */
  inMemory?: Omit<WorkingSetOptions, 'inMemory' | 'handles'>
}

export interface OpfsWorkspace extends Workspace {
  /** Whether calls currently go to memory or to the browser's storage. */
  readonly mode: WorkingSet<string>['mode']
  /** Resolves when all changes so far are in the browser's storage. */
  flush(): Promise<void>
  /** Flushes and releases the workspace, which must not be used afterwards. */
  close(): Promise<void>
}

/**
 * A workspace in the browser's storage: its files in the origin's private file system under `name`, its journal beside
 * them. Several tabs and workers may open the same one; a change that one of them left half done is recovered by the
 * next. Searches of many files run in workers of their own, unless `searcher` is given.
 */
export async function openOpfs(name: string, options: OpfsWorkspaceOptions = {}): Promise<OpfsWorkspace> {
  if (name.startsWith(journalPrefix)) throw new FsError('INVALID_PATH', { path: name, reason: 'reserved-name' })
  const { inMemory, shell: given, ...rest } = options
  const shell = given === 'auto' ? emulatedShell() : given
  const journalName = `${journalPrefix}${name}`
  const [files, journal] = await Promise.all([opfs(name), opfs(journalName)])
  const top = await navigator.storage.getDirectory()
  const handles = { files: await top.getDirectoryHandle(name), journal: await top.getDirectoryHandle(journalName) }
  // Needed in either mode, so that a tab which has the files in memory notices this one.
  const held = await workingSet(name, { files, journal }, { inMemory: inMemory !== undefined, handles, ...inMemory })
  try {
    const workspace = createWorkspace({
      ...rest,
      ...(shell && { shell }),
      fs: held.trees.files,
      journal: await storedJournal(held.trees.journal),
      locks: nestedLocks(processLocks(), webLocks(name)),
    })
    const workers = opfsSearcher({ fs: workspace.fs, directory: name })
    return {
      ...workspace,
      searcher: options.searcher ?? {
        // Workers can't see files that are only in memory.
        search: (found, request, context) =>
          held.mode === 'memory'
            ? search(workspace.fs, found, request, { ...context, inMemory: true })
            : workers.search(found, request, context),
      },
      get mode() {
        return held.mode
      },
      flush: held.flush,
      async close() {
        if (given === 'auto') await workspace.shell?.close()
        await held.close()
      },
    }
  } catch (error) {
    await held.close()
    throw error
  }
}
