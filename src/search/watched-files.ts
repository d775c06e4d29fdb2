import { isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/confine.js'
import { isWithin } from '../fs/path.js'
import type { WalkEntry } from '../fs/walk.js'
import { walkFiles } from './walk-files.js'

export interface WatchedFiles {
  entries: WalkEntry[]
  /** Why there may be more than these. */
  incomplete?: 'too-many' | 'unreadable'
}

/** Left out even where no ignore file names them: what tools make, and make again. */
const neverWatched = ['.git', 'node_modules']

/** All that may be changed, but for what ignore files leave out; directories come before what is in them. */
export async function watchedFiles(
  fs: ConfinedFileSystem,
  { maxEntries, globalRules }: { maxEntries: number; globalRules?: string },
): Promise<WatchedFiles> {
  const entries: WalkEntry[] = []
  const tops = fs.roots.filter(
    ({ path }) => !fs.roots.some((other) => other.path !== path && isWithin(other.path, path)),
  )
  for (const { path: top } of tops) {
    const { next, summary } = walkFiles(fs, top, {
      ignore: { top, always: neverWatched, ...(globalRules !== undefined && { globalRules }) },
      tellOf: { directories: true, others: true },
      maxEntries,
    })
    for (let batch = await next(); batch !== undefined; batch = await next()) {
      for (const entry of batch) if (mayChange(fs, entry.path)) entries.push(entry)
    }
    if (summary.truncated !== undefined || entries.length > maxEntries) return { entries, incomplete: 'too-many' }
    if (summary.unreadable > 0) return { entries, incomplete: 'unreadable' }
  }
  return { entries }
}

function mayChange(fs: ConfinedFileSystem, path: string): boolean {
  try {
    fs.authorize(path, 'write')
    return true
  } catch (error) {
    if (isFsError(error, 'READ_ONLY', 'PROTECTED')) return false
    throw error
  }
}
