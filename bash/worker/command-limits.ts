/** Ends a command that takes too long or too much. */

import type { StopReason } from './messages.js'
import type { VirtualClock } from './virtual-clock.js'

export class Stopped extends Error {
  constructor(readonly reason: StopReason) {
    super('stopped')
  }
}

/** The command uses too much memory. */
export class OutOfMemory extends Error {
  constructor() {
    super('out of memory')
  }
}

export interface Limits {
  /** Throws `Stopped` when the command has to end. */
  step(count?: number): void
  /** The same for a statement of the script, which is counted. */
  statement(): void
  /** Throws `OutOfMemory`. */
  account(bytes: number): void
  /** Call it often: at times it returns a promise, which lets messages in. */
  pause(): Promise<void> | undefined
  stop(): void
}

/** What a command may use, unless its host says otherwise. */
export const defaultMemoryBytes = 512 << 20

/** The clock is read once for this many steps. */
const stepsPerLook = 512
/** A loop that only computes lets messages in this often. */
const pauseMs = 20

export interface LimitsGiven {
  timeoutMs: number
  maxMemoryBytes: number
  maxStatements?: number
  /** Then the time is that of this clock, and the machine's is only a safety net. */
  clock?: VirtualClock
  /** What the thread's heap holds, where the platform reports it: it ends commands that hold what is not counted. */
  heapBytes?: (() => number) | undefined
}

/** What the heap may hold: garbage counts there too. */
function maxHeapBytes(maxMemoryBytes: number): number {
  return 1.5 * maxMemoryBytes + (256 << 20)
}

const heapLookMs = 2

/** How much longer than its time on a virtual clock a command may take. */
export function patienceMs(timeoutMs: number): number {
  return 4 * timeoutMs + 60_000
}

export function limits(given: LimitsGiven): Limits {
  const { timeoutMs, maxMemoryBytes, maxStatements = Infinity, clock, heapBytes } = given
  const deadline = performance.now() + (clock === undefined ? timeoutMs : patienceMs(timeoutMs))
  const virtualEnd = clock === undefined ? Infinity : clock.currentMs + timeoutMs
  let stopped = false
  let steps = 0
  let statements = 0
  let bytes = 0
  let lastPause = performance.now()
  let looks = 0
  let lastHeapLook = lastPause

  function look(): void {
    if (stopped) throw new Stopped('aborted')
    const now = performance.now()
    if (now > deadline) throw new Stopped(clock === undefined ? 'timeout' : 'wall-clock')
    if (heapBytes === undefined || now - lastHeapLook < heapLookMs) return
    lastHeapLook = now
    if (heapBytes() > maxHeapBytes(maxMemoryBytes)) throw new OutOfMemory()
  }

  function step(count = 1): void {
    if (clock !== undefined) {
      clock.worked(count)
      if (clock.currentMs > virtualEnd) throw new Stopped('timeout')
    }
    steps += count
    if (stopped) look()
    if (steps < stepsPerLook) return
    steps = 0
    look()
  }

  return {
    step,
    statement() {
      statements += 1
      if (statements > maxStatements) throw new Stopped('statement-limit')
      step()
    },
    account(change) {
      bytes += change
      // One large value may be there several times over while it is made.
      if (bytes > maxMemoryBytes || change > maxMemoryBytes / 8) throw new OutOfMemory()
    },
    pause() {
      looks += 1
      if (looks < stepsPerLook) return undefined
      looks = 0
      // By count, because others may go on meanwhile.
      if (clock !== undefined) return clock.turn()
      const now = performance.now()
      if (now - lastPause < pauseMs) return undefined
      lastPause = now
      return letMessagesIn()
    },
    stop() {
      stopped = true
    },
  }
}

/** A timer may wait for milliseconds; a message comes at once. */
function letMessagesIn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
