import { isWithin } from '../../fs/path.js'

/** What a change locks: one entry, or a directory with everything below it. */
export interface Scope {
  path: string
  /** The path in a normal form that is equal for all spellings of the same entry; `path` by default. */
  key?: string
  tree?: boolean
  /** Do not follow a link at the end of the path. */
  last?: 'keep'
  /** Follow no link at all: the path is resolved already. */
  exact?: boolean
}

export interface Locks {
  /** Runs while nobody else holds an overlapping scope. Overlapping calls run in the order in which they were made. */
  hold<Result>(scopes: readonly Scope[], run: () => Promise<Result>): Promise<Result>
}

/** Locks between the calls of this process. All scopes of a call are taken in one step, so there is no deadlock. */
export function processLocks(): Locks {
  const holding = new Set<readonly Scope[]>()
  let waiting: Array<{ scopes: readonly Scope[]; start: () => void }> = []

  function admit(): void {
    const ahead: Array<readonly Scope[]> = [...holding]
    waiting = waiting.filter((request) => {
      const free = !ahead.some((other) => overlap(other, request.scopes))
      // A waiting request blocks overlapping later ones, so that none starves.
      ahead.push(request.scopes)
      if (free) {
        holding.add(request.scopes)
        request.start()
      }
      return !free
    })
  }

  return {
    async hold(scopes, run) {
      const own = [...scopes]
      await new Promise<void>((start) => {
        waiting.push({ scopes: own, start })
        admit()
      })
      try {
        return await run()
      } finally {
        holding.delete(own)
        admit()
      }
    },
  }
}

/** Takes the outer locks, then the inner ones: for locks within the process and locks between processes. */
export function nestedLocks(outer: Locks, inner: Locks): Locks {
  return { hold: (scopes, run) => outer.hold(scopes, () => inner.hold(scopes, run)) }
}

/** True when any two scopes overlap. */
export function overlap(some: readonly Scope[], others: readonly Scope[]): boolean {
  return some.some((a) =>
    others.some((b) => {
      const [one, other] = [a.key ?? a.path, b.key ?? b.path]
      return one === other || (a.tree && isWithin(one, other)) || (b.tree && isWithin(other, one))
    }),
  )
}
