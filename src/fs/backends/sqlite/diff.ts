/** Compares two trees of a database. Directories that they share are skipped unread. */
import { join } from '../../path.js'
import type { OverlayChange } from '../overlay.js'
import type { SqliteDatabase } from './database.js'
import { type DirectoryEntry, loadEntries, type TreeEntry } from './entries.js'

/** What has to change in `before` to get `after`, sorted by path. Times are not compared. */
export function diffTrees(database: SqliteDatabase, before: DirectoryEntry, after: DirectoryEntry): OverlayChange[] {
  const changes: OverlayChange[] = []

  function report(change: OverlayChange['change'], path: string, entry: TreeEntry): void {
    changes.push({ path, kind: entry.kind, change })
    if (entry.kind !== 'directory') return
    for (const [name, below] of loadEntries(database, entry.child)) report(change, join(path, name), below)
  }

  function compare(path: string, one: DirectoryEntry, other: DirectoryEntry): void {
    if (one.child === other.child) return
    const [old, current] = [loadEntries(database, one.child), loadEntries(database, other.child)]
    for (const [name, was] of old) {
      const at = join(path, name)
      const is = current.get(name)
      if (is === undefined || is.kind !== was.kind) report('deleted', at, was)
      if (is === undefined) continue
      if (is.kind !== was.kind) report('added', at, is)
      else if (!isSame(was, is)) changes.push({ path: at, kind: is.kind, change: 'modified' })
      if (was.kind === 'directory' && is.kind === 'directory') compare(at, was, is)
    }
    for (const [name, is] of current) if (!old.has(name)) report('added', join(path, name), is)
  }

  if (before.mode !== after.mode) changes.push({ path: '/', kind: 'directory', change: 'modified' })
  compare('/', before, after)
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

/** Equal contents have the same number. */
function isSame(one: TreeEntry, other: TreeEntry): boolean {
  if (one.mode !== other.mode) return false
  if (one.kind === 'file') return other.kind === 'file' && one.content === other.content
  return one.kind === 'directory' || (other.kind === 'symlink' && one.target === other.target)
}
