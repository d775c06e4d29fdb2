import { FsError } from '../../errors.js'
import { join } from '../path.js'
import { isPromise, syncOrAsync } from '../sync.js'
import type { Entry, FileSystem } from '../types.js'
import type { RuleChecks } from './access-rules.js'

interface Below {
  directory: string
  /** Where it is moved to. */
  to: string | undefined
}

/**
 * Fails if a rule forbids or asks about an entry below a directory that is moved to another place, or removed: by its old name or its new
 * one. Looks past the gate, since what is denied is in no listing. Undefined when that is known without a promise: on a file system whose
 * calls are done when they return, a rename is too.
 */
export function requireTree(
  fs: FileSystem,
  top: string,
  { to: target, checks }: { to?: string; checks: RuleChecks },
): Promise<void> | undefined {
  /** The next one is last. */
  const ahead: Below[] = [{ directory: top, to: target }]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const entries = entriesAt(fs, next.directory)
    if (isPromise(entries)) return requireLater(next, entries)
    requireEntries(next, entries)
  }
  return undefined

  async function requireLater(first: Below, entries: Promise<Entry[]>): Promise<void> {
    requireEntries(first, await entries)
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
      requireEntries(next, await entriesAt(fs, next.directory))
    }
  }

  function requireEntries({ directory, to }: Below, entries: readonly Entry[]): void {
    const directories: Below[] = []
    for (const { name, kind } of entries) {
      const path = join(directory, name)
      const moved = to === undefined ? undefined : join(to, name)
      // That it is there is not said of what is hidden.
      if (checks.isHidden(path)) refuseAt(top, path, checks)
      checks.require(path, 'change')
      if (moved !== undefined) checks.require(moved, 'change')
      if (kind === 'directory') directories.push({ directory: path, to: moved })
    }
    for (const each of directories.reverse()) ahead.push(each)
  }
}

/** Nothing for what is no directory. Without a promise only where that can't hold up a server. */
function entriesAt(fs: FileSystem, path: string): Entry[] | Promise<Entry[]> {
  const sync = fs.capabilities.sync ? fs.sync : undefined
  const stat = syncOrAsync(sync?.stat(path), () => fs.stat(path))
  if (isPromise(stat)) return stat.then(({ kind }) => (kind === 'directory' ? fs.readDir(path) : []))
  return stat.kind === 'directory' ? syncOrAsync(sync?.readDir(path), () => fs.readDir(path)) : []
}

function refuseAt(top: string, path: string, { decide }: RuleChecks): never {
  throw new FsError('FORBIDDEN', { path: top, doing: 'change', rule: decide(path, 'read')?.rule ?? '' })
}
