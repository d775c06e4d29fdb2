import { storedJournal } from '../../src/change/journal/journal.js'
import { nestedLocks, processLocks } from '../../src/change/locks/locks.js'
import { FsError } from '../../src/errors.js'
import { type MemoryTree, memory } from '../../src/fs/backends/memory.js'
import type { FileSystem } from '../../src/fs/types.js'
import { walk } from '../../src/fs/walk/walk.js'
import type { Searcher } from '../../src/search/run/records.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../src/workspace/workspace-options.js'
import { emulatedShell } from '../engine/emulated-shell.js'
import { opfs } from './opfs.js'
import { packedTrees } from './packed-trees.js'
import { journalPrefix, packPrefix } from './storage-names.js'
import { webLocks } from './web-locks.js'
import { type WorkingSet, type WorkingSetOptions, workingSet } from './working-set.js'

export interface OpfsWorkspaceOptions
  extends Omit<WorkspaceOptions, 'fs' | 'roots' | 'pathRules' | 'journal' | 'locks' | 'shell'> {
  /** `auto` is an emulated bash. Default: no shell. */
  shell?: WorkspaceOptions['shell'] | 'auto'
  /**
   * Holds the files in memory while no other tab has the workspace open, and writes changes a little later. This is
   * much faster, but a crash may lose the last changes, each as a whole. Default: every change is in the browser's
   * storage when it returns.
   */
  inMemory?: Omit<WorkingSetOptions, 'inMemory' | 'handles'>
  /**
   * Stores the workspace as a pack of a few files, which is much faster to open and to write than a file for each. One that is stored
   * file by file is moved into a pack, once; `inMemory` has to be set, and no other tab may have it open. Default: a pack if it is one already.
   */
  packed?: boolean
  /** Fills a workspace that has no files, before its history begins. */
  seed?: MemoryTree
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
 * next. Searches of many files run in workers of their own, unless another searcher is given.
 */
export async function openOpfs(name: string, options: OpfsWorkspaceOptions = {}): Promise<OpfsWorkspace> {
  if ([journalPrefix, packPrefix].some((prefix) => name.startsWith(prefix)))
    throw new FsError('INVALID_PATH', { path: name, reason: 'reserved-name' })
  const { inMemory, packed = false, seed: tree, shell: given, ...rest } = options
  const shell = given === 'auto' ? emulatedShell() : given
  const journalName = `${journalPrefix}${name}`
  const [files, journal] = await Promise.all([opfs(name), opfs(journalName)])
  const top = await navigator.storage.getDirectory()
  const handles = { files: await top.getDirectoryHandle(name), journal: await top.getDirectoryHandle(journalName) }
  // Needed in either mode, so that a tab which has the files in memory notices this one.
  const held = await workingSet(
    name,
    { files, journal },
    {
      inMemory: inMemory !== undefined,
      handles,
      ...inMemory,
      openPacked: (isAlone, onFault) =>
        packedTrees(name, {
          ...inMemory,
          ...(onFault && { onFault }),
          ...(tree && { seed: tree }),
          plain: handles,
          isAlone,
          create: packed,
        }),
    },
  )
  try {
    if (tree !== undefined) await seed(held.trees.files, tree)
    const workspace = createWorkspace({
      ...rest,
      ...(shell && { shell }),
      fs: held.trees.files,
      journal: await storedJournal(held.trees.journal),
      locks: nestedLocks(processLocks(), webLocks(name)),
    })
    const { fs } = workspace
    let workers: Searcher | undefined
    /** Loads the code with the first search. Workers can't see files that are only in memory, or in a pack. */
    const search: Searcher['search'] = async function* (found, request, context) {
      const inMemory = held.mode === 'memory'
      if (inMemory || held.isPacked) {
        const searcher = await import('../../src/search/run/searcher.js')
        return yield* searcher.search(fs, found, request, { ...context, inMemory })
      }
      workers ??= (await import('./opfs-searcher.js')).opfsSearcher({ fs, directory: name })
      return yield* workers.search(found, request, context)
    }
    return {
      ...workspace,
      internals: { ...workspace.internals, searcher: options.internals?.searcher ?? { search } },
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

/** Fills an empty tree before the workspace exists, so the history does not record it. */
async function seed(fs: FileSystem, tree: MemoryTree): Promise<void> {
  if ((await fs.readDir('/')).length > 0) return
  const source = memory(tree)
  for await (const { path, kind } of walk(source, '/')) {
    if (kind === 'directory') await fs.makeDir(path)
    else await fs.writeFile(path, await source.readFile(path))
  }
}
