import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { isWithin } from '../../fs/path.js'
import type { Entry } from '../../fs/types.js'
import type { ListedEntries, WalkSummary } from '../../fs/walk/walk.js'
import type { RulesAbove } from '../patterns/rules-above.js'
import { walkFiles } from './walk-files.js'

export interface WatchedFiles {
  listings: ListedEntries[]
  /** Why there may be more than these. */
  incomplete?: 'too-many' | 'unreadable'
}

export interface WatchedFilesOptions {
  maxEntries: number
  globalRules?: string
  rulesAbove?: (root: string) => Promise<RulesAbove>
  /** Stats many entries faster than one after the other. */
  manyStats?: ManyStats
}

/** Stats entries of many directories while others are still listed. The gate does not check their paths again. */
export interface ManyStats {
  begin(): {
    add(listed: ListedEntries): void
    /** Everything that was added, with stats or, where that takes less time, without. */
    end(): Promise<ListedEntries[]>
    /** Has to be called, finished or not. */
    close(): void
  }
}

/** Excluded even if no ignore file names them: tools write them again and again. */
const neverWatched = ['.git', 'node_modules']

/** Lists all entries that are not ignored, in roots that may be changed. */
export function watchedFiles(
  fs: ConfinedFileSystem,
  { maxEntries, globalRules, rulesAbove, manyStats = noStats }: WatchedFilesOptions,
): () => Promise<WatchedFiles> {
  const mayChange = fs.roots.filter(({ access }) => access === 'read-write')
  const tops = fs.roots.filter(
    ({ path }) =>
      !fs.roots.some((other) => other.path !== path && isWithin(other.path, path)) &&
      mayChange.some((root) => isWithin(path, root.path)),
  )

  async function listTop(top: string, found: (listed: ListedEntries) => void): Promise<WalkSummary> {
    const { nextListed, summary } = walkFiles(fs, top, {
      ignore: {
        top,
        always: neverWatched,
        ...(rulesAbove && { above: await rulesAbove(top) }),
        ...(globalRules !== undefined && { globalRules }),
      },
      alsoReport: { directories: true, others: true },
      maxEntries,
    })
    for (let listed = await nextListed(); listed !== undefined; listed = await nextListed()) found(listed)
    return summary
  }

  return async () => {
    const stats = manyStats.begin()
    let entries = 0
    try {
      for (const { path: top } of tops) {
        const summary = await listTop(top, stats.add)
        entries += summary.entries - summary.ignored
        if (summary.truncated !== undefined || entries > maxEntries) return { listings: [], incomplete: 'too-many' }
        if (summary.unreadable > 0) return { listings: [], incomplete: 'unreadable' }
      }
      return { listings: await stats.end() }
    } finally {
      stats.close()
    }
  }
}

const noStats: ManyStats = {
  begin() {
    const listings: ListedEntries[] = []
    return { add: (listed) => listings.push(listed), end: async () => byDirectory(listings), close() {} }
  },
}

/** Joins the listings of each directory, which are then stated in one call. */
export function byDirectory(listings: readonly ListedEntries[]): ListedEntries[] {
  const joined = new Map<string, ListedEntries & { entries: Entry[] }>()
  for (const listed of listings) {
    const known = joined.get(listed.directory)
    if (known === undefined) joined.set(listed.directory, { ...listed, entries: [...listed.entries] })
    else for (const entry of listed.entries) known.entries.push(entry)
  }
  return [...joined.values()]
}
