/**
 * Directories whose mode forbids their owner something. Only those count that the command has restricted or looked at, so that
 * no call is needed to find out; where an operating system is below, it checks all of them.
 */
import { FsError } from '../../src/errors.js'
import { dirname, isWithin } from '../../src/fs/path.js'
import type { Stat } from '../../src/fs/types.js'

const reads = 0o400
const writes = 0o200
const enters = 0o100
const all = reads | writes | enters

export interface RestrictedDirectories {
  /** A mode that was set, of a directory or of anything else. */
  note(path: string, mode: number): void
  noteStat(path: string, stat: Stat): void
  removed(path: string): void
  moved(from: string, to: string): void
  /** Throws `DENIED` when the entry can't be reached. */
  requireReach(path: string): void
  /** Throws `DENIED` when the directory can't be listed. */
  requireList(path: string): void
  /** Throws `DENIED` when the entry can't be created, replaced or removed. */
  requireChange(path: string): void
}

export function restrictedDirectories(): RestrictedDirectories {
  const modes = new Map<string, number>()

  function refuse(directory: string, right: number, path: string): void {
    const mode = modes.get(directory)
    if (mode !== undefined && (mode & right) !== right) throw new FsError('DENIED', { path })
  }

  function note(path: string, mode: number): void {
    if ((mode & all) === all) modes.delete(path)
    else modes.set(path, mode)
  }

  function requireReach(path: string): void {
    if (modes.size === 0) return
    for (let above = path; above !== '/'; ) {
      above = dirname(above)
      refuse(above, enters, path)
    }
  }

  return {
    note,
    noteStat(path, { kind, mode }) {
      if (kind === 'directory' && mode !== undefined && (modes.size > 0 || (mode & all) !== all)) note(path, mode)
    },
    removed(path) {
      modes.delete(path)
    },
    moved(from, to) {
      for (const [path, mode] of [...modes]) {
        if (isWithin(to, path)) modes.delete(path)
        if (!isWithin(from, path)) continue
        modes.delete(path)
        modes.set(to + path.slice(from.length), mode)
      }
    },
    requireReach,
    requireList(path) {
      requireReach(path)
      refuse(path, reads, path)
    },
    requireChange(path) {
      requireReach(path)
      refuse(dirname(path), writes, path)
    },
  }
}
