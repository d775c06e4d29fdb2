/** The scopes that a change has to lock. */
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { statIfThere } from '../../fs/if-there.js'
import { lowestWhere } from '../../fs/lowest-above.js'
import { dirname, isWithin } from '../../fs/path.js'
import { isPromise } from '../../fs/sync.js'
import type { Scope } from './locks.js'

/** Locks each path, or its topmost missing directory, which another change may be about to make too. */
export async function scopesToHold(
  fs: ConfinedFileSystem,
  paths: readonly string[],
  scopes: readonly Scope[],
): Promise<Scope[]> {
  const parents = paths.map(dirname)
  const missing = new Map<string, string | undefined>()
  const isThere = asker(fs)
  const asked = [...new Set(parents)].map(async (parent) => missing.set(parent, await topmostMissing(isThere, parent)))
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
async function topmostMissing(
  isThere: (path: string) => boolean | Promise<boolean>,
  directory: string,
): Promise<string | undefined> {
  const lowest = await lowestWhere(directory, isThere)
  if (lowest === directory) return undefined
  const end = directory.indexOf('/', lowest.length + 1)
  return end === -1 ? directory : directory.slice(0, end)
}

/**
 * Says whether a directory exists, and asks for each only once: those of a call are often below each other. False also if the stat fails
 * otherwise: then more is locked than necessary.
 */
function asker({ exact, isRoot }: ConfinedFileSystem): (path: string) => boolean | Promise<boolean> {
  const known = new Map<string, boolean | Promise<boolean>>()

  function ask(path: string): boolean | Promise<boolean> {
    try {
      const found = statIfThere(exact, path)
      return isPromise(found)
        ? found.then(
            (stat) => stat !== undefined,
            () => false,
          )
        : found !== undefined
    } catch {
      return false
    }
  }

  return (path) => {
    if (isRoot(path)) return true
    const asked = known.get(path) ?? ask(path)
    known.set(path, asked)
    return asked
  }
}
