/** Empties a queue in the background, one run at a time. A fault stops it until someone asks again. */
export interface Drain {
  /** Starts a run unless one is under way; resolves at its end, also after a fault. */
  start(): Promise<void>
  /** Resolves when the queue is empty, and tries again after a fault; rejects with that of a run that began after the call. */
  drained(): Promise<void>
  /** The run that is under way. */
  readonly running: Promise<void> | undefined
  readonly hasFault: boolean
}

export interface DrainOptions {
  /** Empties the queue, or throws and leaves in it what is not done. */
  run: () => Promise<void>
  isEmpty: () => boolean
  onFault?: ((fault: unknown) => void) | undefined
  /** Called after each run. */
  onEnd?: () => void
}

export function createDrain({ run, isEmpty, onFault, onEnd }: DrainOptions): Drain {
  let fault: { error: unknown } | undefined
  let running: Promise<void> | undefined

  function start(): Promise<void> {
    running ??= run()
      .catch((error) => {
        fault = { error }
        onFault?.(error)
      })
      .finally(() => {
        running = undefined
        onEnd?.()
      })
    return running
  }

  /** A function, because the compiler does not see that a run sets `fault`. */
  function throwFault(): void {
    if (fault !== undefined) throw fault.error
  }

  return {
    start,
    async drained() {
      // A run that is under way may fail for a reason that is gone by now.
      await running
      fault = undefined
      while (!isEmpty() && fault === undefined) await start()
      throwFault()
    },
    get running() {
      return running
    },
    get hasFault() {
      return fault !== undefined
    },
  }
}
