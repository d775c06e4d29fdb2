/** Runs calls concurrently: a disk flushes several files nearly as fast as one. */
import { isPromise } from '../fs/sync.js'
import { yieldBetweenSteps } from '../fs/yield-between-steps.js'

/** More calls would only wait for a free thread of the platform. */
const concurrency = 8

/**
 * Calls `act` for each item, without a promise in between where it returns none. Starts no further call after a failure, and returns when
 * all started calls have ended.
 */
export async function runConcurrently<Item>(
  items: Iterable<Item>,
  act: (item: Item) => void | Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  const turn = yieldBetweenSteps()
  let failed: { error: unknown } | undefined

  async function goOn(): Promise<void> {
    try {
      for (let next = rest.next(); !next.done && failed === undefined; next = rest.next()) {
        const acting = act(next.value)
        if (isPromise(acting)) await acting
        const pause = turn()
        if (pause !== undefined) await pause
      }
    } catch (error) {
      failed ??= { error }
    }
  }

  await Promise.all(Array.from({ length: concurrency }, goOn))
  if (failed !== undefined) throw failed.error
}
