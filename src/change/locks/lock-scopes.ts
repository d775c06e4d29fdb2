/** The scopes that a change has to lock. */
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { dirname, isWithin } from '../../fs/path.js'
import { syncOrAsync } from '../../fs/sync.js'
import type { Scope } from './locks.js'

/** Locks each path, or its topmost missing directory, which another change may be about to make too. */
export async function scopesToHold(
  fs: ConfinedFileSystem,
  paths: readonly string[],
  scopes: readonly Scope[],
): Promise<Scope[]> {
  const parents = paths.map(dirname)
  const missing = new Map<string, string | undefined>()
  const asked = [...new Set(parents)].map(async (parent) => missing.set(parent, await topmostMissing(fs, parent)))
  await Promise.all(asked)
  return paths.map((path, index) => {
    const top = missing.get(parents[index] as string)
    return keyed(fs, { path: top ?? path, tree: top !== undefined || (scopes[index]?.tree ?? false) })
  })
}

/** Adds the key by which locks compare scopes of a case-insensitive file system. */
export function keyed(fs: ConfinedFileSystem, scope: Scope): Scope {
  return fs.capabilities.caseSensitive ? scope : { ...scope, key: fs.comparable(scope.path) }
}

/** True when held scopes cover all others. Tries the one at the same index first, which mostly does. */
export function areCovered(scopes: readonly Scope[], held: readonly Scope[]): boolean {
  return scopes.every((scope, index) => {
    const own = held[index]
    return (own !== undefined && covers(own, scope)) || held.some((other) => covers(other, scope))
  })
}

function covers(held: Scope, { path, key = path, tree = false }: Scope): boolean {
  const own = held.key ?? held.path
  return held.tree ? isWithin(own, key) : own === key && !tree
}

/** The topmost missing directory on the path to this one; undefined if it exists. */
async function topmostMissing(fs: ConfinedFileSystem, directory: string): Promise<string | undefined> {
  let top: string | undefined
  for (let at = directory; !fs.isRoot(at) && !(await isThere(fs, at)); at = dirname(at)) top = at
  return top
}

/** False also if the stat fails otherwise: then more is locked than necessary. */
async function isThere({ exact }: ConfinedFileSystem, path: string): Promise<boolean> {
  try {
    await syncOrAsync(exact.sync?.stat(path), () => exact.stat(path))
    return true
  } catch {
    return false
  }
}
