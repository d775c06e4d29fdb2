/** What the disk says of entries, in the terms of the core. */
import fs from 'node:fs'
import { isStagedName } from '../../src/fs/staged-name.js'
import type { Entry, Kind, Stat } from '../../src/fs/types.js'

/** Undefined where nothing is. */
export function lstat(entry: string): fs.Stats | undefined {
  return fs.lstatSync(entry, { throwIfNoEntry: false })
}

export function kindOf(stats: fs.Stats | fs.Dirent): Kind {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'symlink' : 'other'
}

/** What is not recorded is absent. */
export function statFrom(stats: fs.Stats): Stat {
  const stat: Stat = {
    kind: kindOf(stats),
    modifiedMs: stats.mtimeMs,
    accessedMs: stats.atimeMs,
    changedMs: stats.ctimeMs,
  }
  // A number that is not whole as Node reports it would tell different files to be the same.
  if (Number.isSafeInteger(stats.ino)) stat.inode = stats.ino
  if (stat.kind === 'file') stat.size = stats.size
  // Where the file system does not record it, Node reports 0 or the change time.
  if (stats.birthtimeMs > 0) stat.createdMs = stats.birthtimeMs
  if (process.platform !== 'win32') {
    stat.mode = stats.mode & 0o7777
    stat.userId = stats.uid
    stat.groupId = stats.gid
  }
  return stat
}

/** What is in a directory, without files that wait to be renamed into place. */
export function entriesOf(listed: readonly fs.Dirent[]): Entry[] {
  const entries: Entry[] = []
  for (const entry of listed) {
    if (!isStagedName(entry.name)) entries.push({ name: entry.name, kind: kindOf(entry) })
  }
  return entries
}
