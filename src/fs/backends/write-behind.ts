/** Work that may be done later, but only in order: what has been done at any moment is a beginning of what was asked for. */
export interface WriteBehind {
  /** Takes a task over; it is begun as soon as those before it are done. */
  add(task: LaterTask): void
  /** Fulfilled when all that was added so far is done. Fails with what keeps it from being, and tries that again when called again. */
  flush(): Promise<void>
  /** Waits while there is more to do than fits, and fails where `flush` does. */
  room(): Promise<void>
  /** Tasks not done yet. */
  readonly waiting: number
}

export interface LaterTask {
  /** What has to happen first; when it fails, the task is dropped. */
  after: Promise<unknown>
  run: () => Promise<void>
  /** Neighbours with different ones may run at the same time, since none needs another. */
  independent?: string
  bytes?: number
}

export interface WriteBehindOptions {
  /** Told of a failure as soon as it happens; nothing is lost, and the next `flush` tries again. */
  onFault?: (fault: unknown) => void
  /** More than this, and `room` waits. */
  maxBytes?: number
}

const maxAtOnce = 16

export function writeBehind({ onFault, maxBytes = 64_000_000 }: WriteBehindOptions = {}): WriteBehind {
  const tasks: LaterTask[] = []
  let bytes = 0
  let fault: { error: unknown } | undefined
  let draining: Promise<void> | undefined

  /** Tasks leave the queue when they are done, so that a failure leaves all that is not. */
  async function drain(): Promise<void> {
    while (tasks.length > 0) {
      const batch = nextBatch()
      const outcomes = await Promise.allSettled(batch.map(perform))
      const failed = batch.filter((_, index) => outcomes[index]?.status === 'rejected')
      for (const task of batch) if (!failed.includes(task)) bytes -= task.bytes ?? 0
      tasks.splice(0, batch.length, ...failed)
      const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
      if (reasons.length > 0) throw reasons[0]
    }
  }

  function nextBatch(): LaterTask[] {
    const names = new Set<string>()
    for (const { independent } of tasks.slice(0, maxAtOnce)) {
      if (independent === undefined || names.has(independent)) break
      names.add(independent)
    }
    return tasks.slice(0, Math.max(1, names.size))
  }

  async function perform({ after, run }: LaterTask): Promise<void> {
    const isWanted = await after.then(
      () => true,
      () => false,
    )
    if (isWanted) await run()
  }

  function start(): Promise<void> {
    draining ??= drain()
      .catch((error) => {
        fault = { error }
        onFault?.(error)
      })
      .finally(() => {
        draining = undefined
      })
    return draining
  }

  async function flush(): Promise<void> {
    fault = undefined
    while (tasks.length > 0 && fault === undefined) await start()
    throwFault()
  }

  /** Read through a function: the compiler does not see that draining sets it. */
  function throwFault(): void {
    if (fault !== undefined) throw fault.error
  }

  return {
    add(task) {
      task.after.catch(() => {})
      tasks.push(task)
      bytes += task.bytes ?? 0
      if (fault === undefined) void start()
    },
    flush,
    async room() {
      if (fault !== undefined || bytes > maxBytes) await flush()
    },
    get waiting() {
      return tasks.length
    },
  }
}
