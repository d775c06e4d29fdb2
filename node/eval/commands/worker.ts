/** `polyfs eval worker`. */
import { printable } from '../../../src/text/printable.js'
import { UsageError } from '../../terminal/usage-error.js'
import type { BullmqQueue, BullmqQueueOptions } from '../bullmq-queue.js'
import type { EvalCommand } from '../command.js'
import { parseFlags, wholeNumber } from '../flags.js'
import { openRunner } from '../runner.js'
import { untilStopped } from '../until-stopped.js'
import { workOn } from '../work-on.js'

export { workerHelp as help } from '../help.js'

const flags = { queue: 'string', parallel: 'string', 'lost-after': 'string', 'until-empty': 'boolean' } as const

export const run: EvalCommand = async (argv, place) => {
  const { values, positionals } = parseFlags(argv, flags)
  if (positionals.length > 0)
    throw new UsageError(`'${positionals[0]}' is not an option; suites come with the episodes`)
  if (values.queue === undefined) throw new UsageError('--queue redis://HOST:PORT is missing')
  const parallel = wholeNumber('parallel', values.parallel ?? '2')
  const lostAfterMs = 1000 * wholeNumber('lost-after', values['lost-after'] ?? '30')
  const untilEmpty = values['until-empty'] ?? false
  const queue = await openQueue({ url: values.queue, lostAfterMs, untilEmpty, warn: place.warn })
  place.write(`waits for episodes, ${parallel} at a time\n`)
  const stopping = new AbortController()
  void untilStopped().then(() => stopping.abort(new Error('stopped')))
  try {
    await workOn(queue, {
      parallel,
      signal: stopping.signal,
      open: (settings) => openRunner(settings, { commandWorker: place.commandWorker, parallel }),
      onResult: ({ run: id, task, trial, outcome }, isFirst) =>
        place.write(
          `${printable(id)} ${printable(task)} #${trial}: ${outcome}${isFirst ? '' : ' (another worker was first)'}\n`,
        ),
    })
  } finally {
    await queue.close()
  }
  return 0
}

async function openQueue(options: BullmqQueueOptions): Promise<BullmqQueue> {
  const { bullmqQueue } = await import('../bullmq-queue.js')
  try {
    return await bullmqQueue(options)
  } catch (error) {
    throw error instanceof Error ? new UsageError(error.message) : error
  }
}
