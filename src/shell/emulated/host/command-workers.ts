/** The worker pool for commands. One worker stays warm, so that only the first command waits for a start. */
import { fairQueue, type Turn } from '../../../fair-queue.js'
import type { FromWorker, ToWorker } from '../messages.js'

/** A thread that runs `serveCommands`, whatever the platform calls it. */
export interface CommandWorker {
  post(message: ToWorker): void
  /** Replaces the listener. */
  onMessage(listener: (message: FromWorker) => void): void
  /** Called once when it ends unexpectedly: it could not be started, or ran `out of memory`. */
  onLost(listener: (reason: string) => void): void
  /** Sets whether the worker keeps the process alive. */
  hold(busy: boolean): void
  /** Ends it immediately. */
  end(): void
}

export interface CommandWorkers {
  /** Waits while too many are busy. Fails with `OVERLOADED` when that takes too long. */
  take(turn: Turn): Promise<CommandWorker>
  /** Returns a worker that is free again. */
  giveBack(worker: CommandWorker): void
  /** Replaces a worker that was ended or lost. */
  replace(worker: CommandWorker): void
  /** Ends the warm worker; the next command starts another. */
  rest(): void
}

/** Each worker takes tens of megabytes. */
const maxBusy = 4
/** Leaves one for other callers, whose commands may be short. */
const maxOfOneCaller = 3
const maxWaiting = 200

export function commandWorkers(start: () => CommandWorker): CommandWorkers {
  let spare: CommandWorker | undefined
  const queue = fairQueue({ what: 'commands', atOnce: maxBusy, ofOneCaller: maxOfOneCaller, maxWaiting })
  /** Busy workers, each with the function that ends its turn. */
  const busy = new Map<CommandWorker, () => void>()

  function keepWarm(worker: CommandWorker): void {
    spare = worker
    worker.hold(false)
    worker.onMessage(() => {})
    worker.onLost(() => {
      if (spare === worker) spare = undefined
    })
  }

  function release(worker: CommandWorker): void {
    const leave = busy.get(worker)
    busy.delete(worker)
    leave?.()
  }

  return {
    async take(turn) {
      const leave = await queue.enter(turn)
      const worker = spare ?? start()
      spare = undefined
      busy.set(worker, leave)
      worker.hold(true)
      return worker
    },
    giveBack(worker) {
      if (spare === undefined) keepWarm(worker)
      else worker.end()
      release(worker)
    },
    replace(worker) {
      worker.end()
      if (spare === undefined) keepWarm(start())
      release(worker)
    },
    rest() {
      spare?.end()
      spare = undefined
    },
  }
}
