/** One lock of this process, held for several of its calls at once: what these may do beside each other, other locks say. */
import { setTimeout as sleep } from 'node:timers/promises'

/** A lock that was taken. */
export interface Held {
  release(): void
  /** How many other processes wait for it. */
  waiting(): number
}

export interface SharedHold {
  /** Returns when the lock is held, which it is at least until what is returned is called. */
  join(take: () => Promise<Held>): Promise<() => void>
}

interface Current {
  held: Promise<Held>
  /** Known once it is taken. */
  lock: Held | undefined
  /** When each of those that use it began. */
  users: Map<symbol, number>
  ended: Promise<void>
  end(): void
}

/** Whoever works for longer than this is not waited for: that others wait as well would not make them get it sooner. */
const soonMs = 100

/** `onFree` is told when nobody uses it. */
export function sharedHold({ onFree = () => {} }: { onFree?: () => void } = {}): SharedHold {
  let current: Current | undefined
  /** Whoever is quick to come back, as a process with many changes to make is, would keep all others from it. */
  let letsPass = false

  function begin(take: () => Promise<Held>): Current {
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const passing = letsPass ? sleep(1 + 3 * Math.random()) : undefined
    letsPass = false
    const begun: Current = {
      held: passing === undefined ? take() : passing.then(take),
      lock: undefined,
      users: new Map(),
      ended,
      end,
    }
    begun.held.then(
      (lock) => {
        begun.lock = lock
      },
      () => {},
    )
    return begun
  }

  /** Others wait, and it is soon free for them if nobody joins. */
  function isClosed({ lock, users }: Current): boolean {
    if (lock === undefined || lock.waiting() === 0) return false
    const [oldest = 0] = users.values()
    return performance.now() - oldest < soonMs
  }

  function leave(one: Current, user: symbol): void {
    one.users.delete(user)
    if (one.users.size > 0) return
    if (current === one) current = undefined
    letsPass = (one.lock?.waiting() ?? 0) > 0
    one.lock?.release()
    one.end()
    // Until then it is known that others are to pass first.
    if (letsPass) setTimeout(tellIfFree, soonMs).unref()
    else tellIfFree()
  }

  function tellIfFree(): void {
    if (current === undefined) onFree()
  }

  return {
    async join(take) {
      while (current !== undefined && isClosed(current)) await current.ended
      current ??= begin(take)
      const one = current
      const user = Symbol('user')
      one.users.set(user, performance.now())
      try {
        await one.held
      } catch (error) {
        leave(one, user)
        throw error
      }
      // Using it begins now.
      one.users.delete(user)
      one.users.set(user, performance.now())
      return () => leave(one, user)
    },
  }
}
