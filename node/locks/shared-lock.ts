/** A lock between processes that several calls of this process share; other locks separate these calls. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Held {
  release(): void
  /** True while other processes wait for it. */
  isWanted(): boolean
  /** Calls `tell` for every other process that starts to wait for it. */
  onWanted(tell: () => void): void
}

/** A lock that may be held while idle. */
export interface Holdable extends Held {
  /** False when someone has removed the lock. */
  isStill?(): boolean
}

export interface SharedHold {
  /** Resolves when the lock is held. It is held at least until the returned function is called. */
  join(take: () => Promise<Holdable>): Promise<() => void>
  /** Releases the lock if it is idle, and from now on as soon as it is. */
  close(): void
}

export interface SharedHoldOptions {
  /** How long the lock is held while idle, unless another process waits; 0 by default. */
  idleMs?: number
  /** Called when the lock is released and not taken again. */
  onFree?(): void
}

interface Current {
  held: Promise<Holdable>
  /** Set once the lock is taken. */
  lock: Holdable | undefined
  /** When each user began, oldest first. */
  users: Map<symbol, number>
  /** Set while nobody uses the lock. */
  idle: NodeJS.Timeout | undefined
  /** When other processes were first seen waiting. */
  wantedMs: number | undefined
  ended: Promise<void>
  end(): void
}

/** New calls do not wait for a user that works longer than this: that would not free the lock sooner for other processes. */
const soonMs = 100

export function sharedHold({ idleMs = 0, onFree = () => {} }: SharedHoldOptions = {}): SharedHold {
  let current: Current | undefined
  let isOver = false
  /** Wait a moment before taking the lock again, because a process with many changes would otherwise starve the others. */
  let letsPass = false

  function begin(take: () => Promise<Holdable>): Current {
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
      idle: undefined,
      wantedMs: undefined,
      ended,
      end,
    }
    begun.held.then(
      (lock) => {
        begun.lock = lock
        lock.onWanted(() => {
          if (begun.idle !== undefined) free(begun)
        })
      },
      () => {},
    )
    return begun
  }

  /**
   * True when no further call may join because other processes wait: either the lock is soon free, or all users from before they waited are
   * done.
   */
  function isClosed(one: Current): boolean {
    if (one.lock === undefined || !one.lock.isWanted()) return false
    const nowMs = performance.now()
    one.wantedMs ??= nowMs
    const [oldest = 0] = one.users.values()
    return nowMs - oldest < soonMs || oldest > one.wantedMs
  }

  function leave(one: Current, user: symbol): void {
    one.users.delete(user)
    if (one.users.size > 0) return
    if (idleMs === 0 || isOver || one.lock === undefined || one.lock.isWanted()) free(one)
    else one.idle = setTimeout(() => free(one), idleMs).unref()
  }

  function free(one: Current): void {
    clearTimeout(one.idle)
    one.idle = undefined
    if (current === one) current = undefined
    letsPass = one.lock?.isWanted() ?? false
    one.lock?.release()
    one.end()
    // Retain `letsPass` for a while, in case the lock is taken again soon.
    if (letsPass) setTimeout(tellIfFree, soonMs).unref()
    else tellIfFree()
  }

  function tellIfFree(): void {
    if (current === undefined) onFree()
  }

  /** Ends the idle time. Someone may have removed the lock meanwhile, with its directory. */
  function resume(one: Current): void {
    clearTimeout(one.idle)
    if (one.lock?.isStill?.() === false) free(one)
    one.idle = undefined
  }

  return {
    async join(take) {
      while (current !== undefined && isClosed(current)) {
        await Promise.race([current.ended, sleep(soonMs, undefined, { ref: false })])
      }
      if (current?.idle !== undefined) resume(current)
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
      // The time of use begins now, not while waiting.
      one.users.delete(user)
      one.users.set(user, performance.now())
      return () => leave(one, user)
    },
    close() {
      isOver = true
      if (current?.idle !== undefined) free(current)
    },
  }
}
