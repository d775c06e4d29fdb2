import { isFsError } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { isWithin } from '../../fs/path.js'
import type { WalkEntry } from '../../fs/walk/walk.js'
import { walkFiles } from './walk-files.js'

export interface WatchedFiles {
  entries: WalkEntry[]
  /** Why there may be more than these. */
  incomplete?: 'too-many' | 'unreadable'
}

/** Left out even where no ignore file names them: what tools make, and make again. */
const neverWatched = ['.git', 'node_modules']

/** Tells, whenever asked, all that may be changed, but for what ignore files leave out; directories come before what is in them. */
export function watchedFiles(
  fs: ConfinedFileSystem,
  { maxEntries, globalRules }: { maxEntries: number; globalRules?: string },
): () => Promise<WatchedFiles> {
  const tops = fs.roots.filter(
    ({ path }) => !fs.roots.some((other) => other.path !== path && isWithin(other.path, path)),
  )
  /** What the gate said of a path, which it says for ever. */
  let rights = new Map<string, boolean>()

  function mayChange(path: string): boolean {
    const known = rights.get(path)
    if (known !== undefined) return known
    const right = isGranted(fs, path)
    // Of paths that are gone not many are kept.
    if (rights.size > 2 * maxEntries) rights = new Map()
    rights.set(path, right)
    return right
  }

  return async () => {
    const entries: WalkEntry[] = []
    for (const { path: top } of tops) {
      const { next, summary } = walkFiles(fs, top, {
        ignore: { top, always: neverWatched, ...(globalRules !== undefined && { globalRules }) },
        tellOf: { directories: true, others: true },
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
