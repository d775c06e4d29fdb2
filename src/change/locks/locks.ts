import { isWithin } from '../../fs/path.js'

/** What a change needs for itself: one entry, or a directory with all below it. */
export interface Scope {
  path: string
  /** The path in the one spelling that stands for all the file system takes for the same; `path` itself unless given. */
  key?: string
  tree?: boolean
  /** A link at the end of the path is itself what is meant, not what it leads to. */
  last?: 'keep'
  /** No link on the way is followed either: the path is one that links were followed to before. */
  exact?: boolean
}

export interface Locks {
  /** Runs alone among all that hold an overlapping scope; others wait their turn, in the order they came. */
  hold<Result>(scopes: readonly Scope[], run: () => Promise<Result>): Promise<Result>
}

/** Locks between the calls of this process. All scopes of a call are taken at once, so there is no deadlock. */
export function processLocks(): Locks {
  const holding = new Set<readonly Scope[]>()
  let waiting: Array<{ scopes: readonly Scope[]; start: () => void }> = []

  function admit(): void {
    const ahead: Array<readonly Scope[]> = [...holding]
    waiting = waiting.filter((request) => {
      const free = !ahead.some((other) => overlap(other, request.scopes))
      // Whoever waits counts as ahead of those behind, so that nobody is passed over for ever.
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

/** Takes each in turn; for a lock within the process and one between processes. */
export function nestedLocks(outer: Locks, inner: Locks): Locks {
  return { hold: (scopes, run) => outer.hold(scopes, () => inner.hold(scopes, run)) }
}

/** True when what some need is also among what others need. */
export function overlap(some: readonly Scope[], others: readonly Scope[]): boolean {
  return some.some((a) =>
    others.some((b) => {
      const [one, other] = [a.key ?? a.path, b.key ?? b.path]
      return one === other || (a.tree && isWithin(one, other)) || (b.tree && isWithin(other, one))
    }),
  )
}
