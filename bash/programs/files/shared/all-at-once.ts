import type { Entry } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'

/** How many requests go out together. */
const mostAtOnce = 16

/** The names of a directory in order: those that may be worked on at once in groups, others alone. */
export function* grouped(entries: readonly Entry[], goesAlong: (entry: Entry) => boolean): Generator<Entry[]> {
  let group: Entry[] = []
  for (const entry of entries) {
    const isAlone = !goesAlong(entry)
    if (group.length > 0 && (isAlone || group.length === mostAtOnce)) {
      yield group
      group = []
    }
    if (isAlone) yield [entry]
    else group.push(entry)
  }
  if (group.length > 0) yield group
}

/** Works on all items at once, so that their requests go out together. What they have to say is said in their order. */
export async function allAtOnce<Item, Result>(
  io: ProgramIo,
  items: readonly Item[],
  run: (io: ProgramIo, item: Item) => Promise<Result>,
): Promise<Result[]> {
  const running = items.map(async (item) => {
    const said: string[] = []
    const result = await run({ ...io, error: async (message) => void said.push(message) }, item)
    return { result, said }
  })
  // All have settled before a failure is thrown: nothing is still writing after that.
  const outcomes = await Promise.allSettled(running)
  const results: Result[] = []
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason
    for (const message of outcome.value.said) await io.error(message)
    results.push(outcome.value.result)
  }
  return results
}
