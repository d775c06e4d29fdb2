/** One lock of this process, held for several of its calls at once: what these may do beside each other, other locks say. */
import { setTimeout as sleep } from 'node:timers/promises'

/** A lock that was taken. */
export interface Held {
  release(): void
  /** True while other processes wait for it. */
  isWanted(): boolean
  /** Tells of every other process that comes to wait for it. */
  onWanted(tell: () => void): void
}

/** A lock that may be held while nobody uses it. */
export interface Holdable extends Held {
  /** False when someone has taken it away from us. */
  isStill?(): boolean
}

export interface SharedHold {
  /** Returns when the lock is held, which it is at least until what is returned is called. */
  join(take: () => Promise<Holdable>): Promise<() => void>
  /** From now on it is released as soon as nobody uses it. */
  close(): void
}

export interface SharedHoldOptions {
  /** So long it is held while nobody uses it, unless another process comes to wait. Not at all unless given. */
  idleMs?: number
  /** Told when it is released and nobody takes it again. */
  onFree?(): void
}

interface Current {
  held: Promise<Holdable>
  /** Known once it is taken. */
  lock: Holdable | undefined
  /** When each of those that use it began. */
  users: Map<symbol, number>
  /** Runs while nobody uses it. */
  idle: NodeJS.Timeout | undefined
  /** When it was first seen that others wait. */
  wantedMs: number | undefined
  ended: Promise<void>
  end(): void
}

/** Whoever works for longer than this is not waited for: that others wait as well would not make them get it sooner. */
const soonMs = 100

export function sharedHold({ idleMs = 0, onFree = () => {} }: SharedHoldOptions = {}): SharedHold {
  let current: Current | undefined
  let isOver = false
  /** Whoever is quick to come back, as a process with many changes to make is, would keep all others from it. */
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

  /** Others wait, and it is soon free for them if nobody joins; or those who were at work when they came have gone. */
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
    // Until then it is known that others are to pass first.
    if (letsPass) setTimeout(tellIfFree, soonMs).unref()
    else tellIfFree()
  }

  function tellIfFree(): void {
    if (current === undefined) onFree()
  }

  /** From being idle. Someone may have removed the lock meanwhile, with all that it was about. */
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
      // Using it begins now.
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
