/** Compares two trees of a database. Directories that they share are skipped unread. */
import { join } from '../../path.js'
import type { OverlayChange } from '../overlay.js'
import { DamagedDatabase, type SqliteDatabase } from './database.js'
import { type DirectoryEntry, loadEntries, type TreeEntry } from './entries.js'

/** What has to change in `before` to get `after`, sorted by path. Times are not compared. */
export function diffTrees(database: SqliteDatabase, before: DirectoryEntry, after: DirectoryEntry): OverlayChange[] {
  const changes: OverlayChange[] = []
  const seen = [new Set<number>(), new Set<number>()] as const
  const waiting: Pair[] = []

  /** What is in a directory of one of the trees, in which it is once. */
  function entriesOf(directory: DirectoryEntry | undefined, known: Set<number>): Map<string, TreeEntry> {
    if (directory === undefined) return new Map()
    if (known.has(directory.child)) throw new DamagedDatabase('has a directory that lies in itself or in two others')
    known.add(directory.child)
    return loadEntries(database, directory.child)
  }

  function report(change: OverlayChange['change'], path: string, entry: TreeEntry): void {
    changes.push({ path, kind: entry.kind, change })
    if (entry.kind === 'directory') waiting.push({ path, ...(change === 'added' ? { is: entry } : { was: entry }) })
  }

  if (before.mode !== after.mode) changes.push({ path: '/', kind: 'directory', change: 'modified' })
  if (before.child !== after.child) waiting.push({ path: '/', was: before, is: after })
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const [old, current] = [entriesOf(pair.was, seen[0]), entriesOf(pair.is, seen[1])]
    for (const [name, was] of old) {
      const path = join(pair.path, name)
      const is = current.get(name)
      if (is?.kind !== was.kind) {
        report('deleted', path, was)
        if (is !== undefined) report('added', path, is)
        continue
      }
      if (!isSame(was, is)) changes.push({ path, kind: is.kind, change: 'modified' })
      if (was.kind === 'directory' && is.kind === 'directory' && was.child !== is.child) waiting.push({ path, was, is })
    }
    for (const [name, is] of current) if (!old.has(name)) report('added', join(pair.path, name), is)
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

/** A directory as it was and as it is. */
interface Pair {
  path: string
  was?: DirectoryEntry
  is?: DirectoryEntry
}

/** Equal contents have the same number. */
function isSame(one: TreeEntry, other: TreeEntry): boolean {
  if (one.mode !== other.mode) return false
  if (one.kind === 'file') return other.kind === 'file' && one.content === other.content
  return one.kind === 'directory' || (other.kind === 'symlink' && one.target === other.target)
}
