/** Ends a command that takes too long or too much. */

/** The command has to stop: its time is over, or it was cancelled. */
export class Stopped extends Error {
  constructor(readonly outOfTime: boolean) {
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
  /** Throws `OutOfMemory`. */
  account(bytes: number): void
  /** Call it often: at times it returns a promise, which lets messages in. */
  pause(): Promise<void> | undefined
  stop(): void
}

/** The clock is read once for this many steps. */
const stepsPerLook = 512
/** A loop that only computes lets messages in this often. */
const pauseMs = 20

export function limits({ timeoutMs, maxMemoryBytes }: { timeoutMs: number; maxMemoryBytes: number }): Limits {
  const deadline = performance.now() + timeoutMs
  let stopped = false
  let steps = 0
  let bytes = 0
  let lastPause = performance.now()
  let looks = 0

  function look(): void {
    if (stopped) throw new Stopped(false)
    if (performance.now() > deadline) throw new Stopped(true)
  }

  return {
    step(count = 1) {
      steps += count
      if (stopped) look()
      if (steps < stepsPerLook) return
      steps = 0
      look()
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
