/**
 * The ways that the last paths led, directory by directory. The next path mostly leads along one of them, and a thousand directories deep
 * it takes long to go from the root for every entry.
 */
export interface Trail<Directory> {
  /** The directory at a normalised path. `enter` leads from a directory to one in it; where it returns undefined, the result is that too. */
  to(path: string, root: Directory, enter: Enter<Directory>): Directory | undefined
  /** To be called when a directory was removed, replaced, or can't be entered any more; without a path, when any may have been. */
  forget(path?: string): void
}

export type Enter<Directory> = (above: Directory, name: string) => Directory | undefined

interface Way<Directory> {
  path: string
  /** Where each name ends in the path, and the directory it leads to. */
  readonly ends: number[]
  readonly directories: Directory[]
}

/** A copy reads in one place and writes in another, and looks at a third. */
const mostWays = 3
/** A way that would lose more directories than that is kept beside the new one. */
const mostLost = 8

export function createTrail<Directory>(): Trail<Directory> {
  let start: Directory | undefined
  /** The one that was used last comes first. */
  let ways: Way<Directory>[] = []

  /** The way that shares the most directories with a path, and how many. */
  function nearest(path: string): { way: Way<Directory> | undefined; shared: number } {
    let [way, shared]: [Way<Directory> | undefined, number] = [undefined, 0]
    for (const one of ways) {
      const count = sharedWith(one, path)
      if (count > shared) [way, shared] = [one, count]
    }
    return { way, shared }
  }

  /** A way that begins with these directories, to be continued. */
  function continued(way: Way<Directory> | undefined, shared: number): Way<Directory> {
    if (way === undefined || way.ends.length - shared > mostLost) {
      const ends = way?.ends.slice(0, shared) ?? []
      const next = { path: '', ends, directories: way?.directories.slice(0, shared) ?? [] }
      ways.unshift(next)
      if (ways.length > mostWays) ways.pop()
      return next
    }
    way.ends.length = shared
    way.directories.length = shared
    return way
  }

  return {
    to(path, root, enter) {
      if (path === '/') return root
      if (start !== root) {
        start = root
        ways = []
      }
      const { way, shared } = nearest(path)
      let end = shared === 0 ? 0 : (way?.ends[shared - 1] as number)
      let here: Directory | undefined = shared === 0 ? root : way?.directories[shared - 1]
      if (end === path.length) return here
      const next = continued(way, shared)
      next.path = path
      while (end < path.length && here !== undefined) {
        const from = end + 1
        const slashAt = path.indexOf('/', from)
        end = slashAt === -1 ? path.length : slashAt
        here = enter(here, path.slice(from, end))
        if (here === undefined) break
        next.ends.push(end)
        next.directories.push(here)
      }
      return here
    },
    forget(path) {
      if (path === undefined || path === '/') {
        start = undefined
        ways = []
        return
      }
      for (const way of ways) {
        const shared = sharedWith(way, path)
        if (shared === 0 || way.ends[shared - 1] !== path.length) continue
        way.ends.length = shared - 1
        way.directories.length = shared - 1
      }
    },
  }
}

/** How many directories of a way lead to a path as well. */
function sharedWith({ path: own, ends }: Way<unknown>, path: string): number {
  let [from, to] = [0, ends.length]
  // Mostly it is all of them, or all but one.
  for (let guess = to; from < to; guess = (from + to + 1) >> 1) {
    const end = ends[guess - 1] as number
    const isThere = path.length === end || path.charCodeAt(end) === slash
    const isShared = isThere && path.slice(0, end) === own.slice(0, end)
    if (isShared) from = guess
    else to = guess - 1
  }
  return from
}

const slash = 0x2f
