/** Translates Node's stats and directory entries to those of the core. */
import fs from 'node:fs'
import path from 'node:path'
import { FsError } from '../../src/errors.js'
import { isStagedName } from '../../src/fs/staged-name.js'
import type { Entry, Kind, Stat } from '../../src/fs/types.js'

/** Whether entries have modes. */
export const hasModes = process.platform !== 'win32'

/** Undefined if the entry is missing. */
export function lstat(entry: string): fs.Stats | undefined {
  return fs.lstatSync(entry, { throwIfNoEntry: false })
}

/** The same, translated. */
export function statIfThere(entry: string): Stat | undefined {
  const found = lstat(entry)
  return found && statFrom(found)
}

export function kindOf(stats: fs.Stats | fs.Dirent): Kind {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'symlink' : 'other'
}

/** Values that the file system does not record are absent. */
export function statFrom(stats: fs.Stats): Stat {
  const stat: Stat = {
    kind: kindOf(stats),
    modifiedMs: stats.mtimeMs,
    accessedMs: stats.atimeMs,
    changedMs: stats.ctimeMs,
  }
  // Node rounds larger numbers, so that different files could get the same one.
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

/** The stat of an entry of a directory whose host path is certain; undefined if it is missing. */
export function statBeneath(host: string, name: string): Stat | undefined {
  return statIfThere(beneath(host, name))
}

/** The host path of an entry of a directory. Fails for names that lead elsewhere. */
export function beneath(host: string, name: string): string {
  if (name === '..' || name.includes('/') || name.includes(path.sep)) throw new FsError('OUTSIDE', { path: name })
  return `${host}/${name}`
}

/** The entries of a directory, without staged files and locks. */
export function entriesOf(listed: readonly fs.Dirent[]): Entry[] {
  const entries: Entry[] = []
  for (const entry of listed) {
    if (!isStagedName(entry.name)) entries.push({ name: entry.name, kind: kindOf(entry) })
  }
  return entries
}
