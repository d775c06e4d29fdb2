/** Limits how much work runs concurrently, and shares it fairly among callers. */
import { type ErrorFacts, FsError } from './errors.js'

export interface FairQueueOptions {
  /** What is queued, for the error. */
  what: ErrorFacts['OVERLOADED']['what']
  maxRunning: number
  /** The most that one caller may run concurrently. */
  maxPerCaller: number
  /** Further requests fail immediately. */
  maxWaiting: number
}

export interface Turn {
  /** The caller with the least work in progress comes first, then the one that waited longest. All requests without a caller count as one. */
  caller?: object | undefined
  signal?: AbortSignal | undefined
  /** The longest wait; unlimited by default. */
  patienceMs?: number | undefined
}

export interface FairQueue {
  /** Waits for a turn; the returned function ends it. Fails with `OVERLOADED` when it waited too long or the queue is full, and with `ABORTED`. */
  enter(turn?: Turn): Promise<() => void>
  readonly waiting: number
}

interface Waiting {
  caller: object
  admit(): void
}

export function fairQueue({ what, maxRunning, maxPerCaller, maxWaiting }: FairQueueOptions): FairQueue {
  const nobody = {}
  const underWay = new Map<object, number>()
  const waiting = new Set<Waiting>()
  let total = 0

  const countOf = (caller: object) => underWay.get(caller) ?? 0
  const hasRoomFor = (caller: object) => total < maxRunning && countOf(caller) < maxPerCaller

  function begin(caller: object): () => void {
    total += 1
    underWay.set(caller, countOf(caller) + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      total -= 1
      const left = countOf(caller) - 1
      if (left === 0) underWay.delete(caller)
      else underWay.set(caller, left)
      admitNext()
    }
  }

  function admitNext(): void {
    const ready = [...waiting].filter(({ caller }) => hasRoomFor(caller))
    const [first] = ready.sort((a, b) => countOf(a.caller) - countOf(b.caller))
    first?.admit()
  }

  function wait(caller: object, { signal, patienceMs }: Turn): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs)
      const one: Waiting = {
        caller,
        admit() {
          stopWaiting()
          resolve(begin(caller))
        },
      }
      function stopWaiting(): void {
        waiting.delete(one)
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      function giveUp(): void {
        stopWaiting()
        reject(new FsError('OVERLOADED', { what }))
      }
      function abort(): void {
        stopWaiting()
        reject(new FsError('ABORTED', {}))
      }
      waiting.add(one)
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  return {
    async enter(turn = {}) {
      const { caller = nobody, signal } = turn
      if (signal?.aborted) throw new FsError('ABORTED', {})
      if (hasRoomFor(caller)) return begin(caller)
      if (waiting.size >= maxWaiting) throw new FsError('OVERLOADED', { what })
      return wait(caller, turn)
    },
    get waiting() {
      return waiting.size
    },
  }
}
