import { createDrain } from './drain.js'

/** Runs tasks later and in order: at any moment, the completed tasks are a prefix of those added. */
export interface WriteBehind {
  /** Adds a task, which starts as soon as those before it are done. */
  add(task: LaterTask): void
  /** Resolves when all tasks added so far are done. Rejects with the error of a failed task; the next call retries it. */
  flush(): Promise<void>
  /** Waits while more than `maxBytes` are pending; rejects as `flush` does. */
  room(): Promise<void>
  /** Tasks not done yet. */
  readonly waiting: number
}

export interface LaterTask {
  /** Awaited first; if it rejects, the task is dropped. */
  after: Promise<unknown>
  run: () => Promise<void>
  /** Adjacent tasks with different values may run concurrently, because none depends on another. */
  independent?: string
  bytes?: number
}

export interface WriteBehindOptions {
  /** Called as soon as a task fails; nothing is lost, and the next `flush` retries. */
  onFault?: (fault: unknown) => void
  /** `room` waits while more than this is pending. */
  maxBytes?: number
}

const maxAtOnce = 16

export function writeBehind({ onFault, maxBytes = 64_000_000 }: WriteBehindOptions = {}): WriteBehind {
  const tasks: LaterTask[] = []
  let bytes = 0
  const queue = createDrain({ run: drain, isEmpty: () => tasks.length === 0, onFault })

  /** Tasks leave the queue only when done, so a failed task stays in it with all later ones. */
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

  return {
    add(task) {
      task.after.catch(() => {})
      tasks.push(task)
      bytes += task.bytes ?? 0
      if (!queue.hasFault) void queue.start()
    },
    flush: queue.drained,
    async room() {
      if (queue.hasFault || bytes > maxBytes) await queue.drained()
    },
    get waiting() {
      return tasks.length
    },
  }
}
