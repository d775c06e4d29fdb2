/** Waiting for several things together: a disk makes some files durable at once nearly as soon as one of them. */
import { isPromise } from '../fs/sync.js'
import { takeTurns } from '../fs/yield-between-steps.js'

/** More would wait for threads of the platform rather than for its disk. */
const atOnce = 8

/**
 * Does something for each of many, for the next without waiting where there is nothing to wait for. After a failure nothing is begun any more.
 * When it ends, all that was begun has ended too.
 */
export async function severalAtOnce<Item>(
  items: Iterable<Item>,
  act: (item: Item) => void | Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  const turn = takeTurns()
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

  await Promise.all(Array.from({ length: atOnce }, goOn))
  if (failed !== undefined) throw failed.error
}
