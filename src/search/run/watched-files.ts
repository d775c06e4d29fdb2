import { isFsError } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { isWithin } from '../../fs/path.js'
import type { WalkEntry } from '../../fs/walk/walk.js'
import type { RulesAbove } from '../patterns/rules-above.js'
import { walkFiles } from './walk-files.js'

export interface WatchedFiles {
  entries: WalkEntry[]
  /** Why there may be more than these. */
  incomplete?: 'too-many' | 'unreadable'
}

export interface WatchedFilesOptions {
  maxEntries: number
  globalRules?: string
  rulesAbove?: (root: string) => Promise<RulesAbove>
}

/** Excluded even if no ignore file names them: tools write them again and again. */
const neverWatched = ['.git', 'node_modules']

/** Lists all entries that may be changed and are not ignored; directories come before their entries. */
export function watchedFiles(
  fs: ConfinedFileSystem,
  { maxEntries, globalRules, rulesAbove }: WatchedFilesOptions,
): () => Promise<WatchedFiles> {
  const tops = fs.roots.filter(
    ({ path }) => !fs.roots.some((other) => other.path !== path && isWithin(other.path, path)),
  )
  /** Whether the gate grants writing, by path. That never changes. */
  let rights = new Map<string, boolean>()

  function mayChange(path: string): boolean {
    const known = rights.get(path)
    if (known !== undefined) return known
    const right = isGranted(fs, path)
    // So that paths which no longer exist don't pile up.
    if (rights.size > 2 * maxEntries) rights = new Map()
    rights.set(path, right)
    return right
  }

  return async () => {
    const entries: WalkEntry[] = []
    for (const { path: top } of tops) {
      const { next, summary } = walkFiles(fs, top, {
        ignore: {
          top,
          always: neverWatched,
          ...(rulesAbove && { above: await rulesAbove(top) }),
          ...(globalRules !== undefined && { globalRules }),
        },
        alsoReport: { directories: true, others: true },
        maxEntries,
      })
      for (let batch = await next(); batch !== undefined; batch = await next()) {
        for (const entry of batch) if (mayChange(entry.path)) entries.push(entry)
      }
      if (summary.truncated !== undefined || entries.length > maxEntries) return { entries, incomplete: 'too-many' }
      if (summary.unreadable > 0) return { entries, incomplete: 'unreadable' }
    }
    return { entries }
  }
}

function isGranted(fs: ConfinedFileSystem, path: string): boolean {
  try {
    fs.authorize(path, 'write')
    return true
  } catch (error) {
    if (isFsError(error, 'READ_ONLY', 'PROTECTED')) return false
    throw error
  }
}
