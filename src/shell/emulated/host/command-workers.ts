/** Workers for commands: one is kept warm, so that only the first command waits for a start. */
import { fairQueue, type Turn } from '../../../fair-queue.js'
import type { FromWorker, ToWorker } from '../messages.js'

/** A thread of its own that runs `serveCommands`, whatever the platform calls it. */
export interface CommandWorker {
  post(message: ToWorker): void
  /** Replaces the listener. */
  onMessage(listener: (message: FromWorker) => void): void
  /** Told once when it ends by itself: it could not be started, or it ran `out of memory`. */
  onLost(listener: (reason: string) => void): void
  /** Whether it keeps the program from ending. */
  hold(busy: boolean): void
  /** Ends it, whatever it does. */
  end(): void
}

export interface CommandWorkers {
  /** Waits while too many are at work. Fails with `OVERLOADED` when that takes too long. */
  take(turn: Turn): Promise<CommandWorker>
  /** Of a worker that is free again. */
  giveBack(worker: CommandWorker): void
  /** Of one that was ended, or was lost. */
  replace(worker: CommandWorker): void
  /** Ends the one that is kept warm; the next command starts another. */
  rest(): void
}

/** Each takes tens of megabytes. */
const maxAtWork = 4
/** One is left for others, whose commands may be short. */
const maxOfOneCaller = 3
const maxWaiting = 200

export function commandWorkers(start: () => CommandWorker): CommandWorkers {
  let spare: CommandWorker | undefined
  const queue = fairQueue({ what: 'commands', atOnce: maxAtWork, ofOneCaller: maxOfOneCaller, maxWaiting })
  /** With what ends their turn. */
  const atWork = new Map<CommandWorker, () => void>()

  function keep(worker: CommandWorker): void {
    spare = worker
    worker.hold(false)
    worker.onMessage(() => {})
    worker.onLost(() => {
      if (spare === worker) spare = undefined
    })
  }

  function release(worker: CommandWorker): void {
    const leave = atWork.get(worker)
    atWork.delete(worker)
    leave?.()
  }

  return {
    async take(turn) {
      const leave = await queue.enter(turn)
      const worker = spare ?? start()
      spare = undefined
      atWork.set(worker, leave)
      worker.hold(true)
      return worker
    },
    giveBack(worker) {
      if (spare === undefined) keep(worker)
      else worker.end()
      release(worker)
    },
    replace(worker) {
      worker.end()
      if (spare === undefined) keep(start())
      release(worker)
    },
    rest() {
      spare?.end()
      spare = undefined
    },
  }
}
