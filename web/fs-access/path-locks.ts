import { isWithin } from '../../src/fs/path.js'

/** Runs conflicting changes one after another. */
export interface PathLocks {
  /** Runs `change` after every earlier change at, above or below these paths. */
  hold<Result>(paths: readonly string[], change: () => Promise<Result>): Promise<Result>
  /** Runs `change` only if the path is not locked now. */
  holdIfFree(path: string, change: () => Promise<void>): Promise<void>
}

/**
 * Uses a queue within the page, which knows that a directory contains its files, and one Web Lock per path between tabs
 * and workers, which does not. `lockName` must return the same name for a path in all of them.
 */
export function pathLocks(lockName: (path: string) => Promise<string>): PathLocks {
  const claims = new Set<Claim>()

  function overlapping(paths: readonly string[]): Claim[] {
    return [...claims].filter((claim) =>
      claim.paths.some((held) => paths.some((path) => isWithin(held, path) || isWithin(path, held))),
    )
  }

  /** Waits only for earlier claims, so there is no deadlock. */
  async function inTurn<Result>(paths: readonly string[], change: () => Promise<Result>): Promise<Result> {
    const earlier = overlapping(paths).map((claim) => claim.released)
    const { promise: released, resolve: release } = deferred()
    const claim = { paths, released }
    claims.add(claim)
    try {
      await Promise.all(earlier)
      return await change()
    } finally {
      claims.delete(claim)
      release()
    }
  }

  return {
    hold: (paths, change) =>
      inTurn(paths, async () => {
        const names = await Promise.all(paths.map(lockName))
        return withWebLocks([...new Set(names)].sort(), change)
      }),

    async holdIfFree(path, change) {
      if (overlapping([path]).length > 0) return
      await inTurn([path], async () => {
        await navigator.locks.request(await lockName(path), { ifAvailable: true }, async (lock) => {
          if (lock !== null) await change()
        })
      })
    },
  }
}

interface Claim {
  paths: readonly string[]
  released: Promise<void>
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** Takes the locks in the given order, which must be the same everywhere to avoid deadlocks. */
async function withWebLocks<Result>(names: readonly string[], change: () => Promise<Result>): Promise<Result> {
  const [first, ...rest] = names
  if (first === undefined) return change()
  return navigator.locks.request(first, () => withWebLocks(rest, change))
}
