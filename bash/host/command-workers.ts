/** The worker pool for commands. Some workers stay warm, so that few commands wait for a start. */
import { fairQueue, type Turn } from '../../src/fair-queue.js'
import type { FromWorker, ToWorker } from '../worker/messages.js'

/** A thread that runs `serveCommands`, whatever the platform calls it. */
export interface CommandWorker {
  /** Transferred buffers are no longer usable here. */
  post(message: ToWorker, transferred?: ArrayBufferLike[]): void
  /** Replaces the listener. */
  onMessage(listener: (message: FromWorker) => void): void
  /** Called once when it ends unexpectedly: it could not be started, or ran `out of memory`. */
  onLost(listener: (reason: string) => void): void
  /** Sets whether the worker keeps the process alive. */
  hold(busy: boolean): void
  /** Ends it immediately; resolves when it has ended, where the platform reports it. */
  end(): Promise<unknown> | undefined
}

export interface CommandWorkers {
  /** Waits while too many are busy. Fails with `OVERLOADED` when that takes too long. */
  take(turn: Turn): Promise<CommandWorker>
  /** Returns a worker that is free again. */
  giveBack(worker: CommandWorker): void
  /** Replaces a worker that was ended or lost. */
  replace(worker: CommandWorker): void
  /** Ends the workers that need not stay warm; the next command may have to start another. */
  rest(): void
}

/** Each worker takes some ten megabytes. */
const defaultBusy = 32
/** What one caller runs at once; others never wait for it. */
const maxOfOneCaller = 4
const maxWaiting = 200
/** Workers that are kept for the next commands, so that several at once cost no start. */
const maxSpare = 4
/** All but those that are kept warm are ended when nothing ran for this long. */
const idleMs = 30_000

/** How workers are started. */
export interface WorkerSource {
  start(): CommandWorker
  /** Sources with the same name start the same workers, so that a shell can go on with one that another left. */
  name?: string
  /** What runs scripts of `node` there, for people and models; absent where it is always the same. */
  nodeEngine?: string
}

export interface WorkerPoolOptions {
  /** How many run at once. Default: 32. */
  maxBusy?: number | undefined
  /** How many stay warm, also when nobody uses the shell. Default: one, and not for long after it was closed. */
  warm?: number | undefined
}

/** Workers that closed shells have left, one of each name, and the timers that end them. */
const left = new Map<string, { worker: CommandWorker; timer: unknown }>()

/** For the next shell: most of the time of its first command would be the start of a worker. */
function leave(name: string, worker: CommandWorker): void {
  const forget = () => {
    if (left.get(name)?.worker === worker) left.delete(name)
  }
  const end = () => {
    forget()
    worker.end()
  }
  worker.onLost(forget)
  left.set(name, { worker, timer: quietTimer(end, idleMs) })
}

function takeLeft(name: string | undefined): CommandWorker | undefined {
  const found = name === undefined ? undefined : left.get(name)
  if (name === undefined || found === undefined) return undefined
  clearTimeout(found.timer)
  left.delete(name)
  return found.worker
}

/** One of Node would keep the process alive. */
function quietTimer(run: () => void, ms: number): unknown {
  const timer: unknown = setTimeout(run, ms)
  ;(timer as { unref?: () => void }).unref?.()
  return timer
}

export function commandWorkers({ start, name }: WorkerSource, options: WorkerPoolOptions = {}): CommandWorkers {
  const { maxBusy = defaultBusy, warm: kept } = options
  const spare = new Set<CommandWorker>()
  const queue = fairQueue({ what: 'commands', maxRunning: maxBusy, maxPerCaller: maxOfOneCaller, maxWaiting })
  /** Busy workers, each with the function that ends its turn. */
  const busy = new Map<CommandWorker, () => void>()
  /** Workers that are replaced, and hold their memory until they have ended. */
  const ending = new Set<Promise<void>>()
  let rests = 0
  let idle: unknown

  function keepWarm(worker: CommandWorker): void {
    spare.add(worker)
    worker.hold(false)
    worker.onMessage(() => {})
    worker.onLost(() => spare.delete(worker))
    clearTimeout(idle)
    idle = quietTimer(() => endSpare(kept ?? 1), idleMs)
  }

  function endSpare(keep: number): void {
    for (const worker of [...spare].slice(0, Math.max(0, spare.size - keep))) {
      spare.delete(worker)
      worker.end()
    }
  }

  function release(worker: CommandWorker): void {
    const leave = busy.get(worker)
    busy.delete(worker)
    leave?.()
  }

  return {
    async take(turn) {
      const leave = await queue.enter(turn)
      // The next one gets the memory that they give back: an allocator keeps a part of it for each thread.
      if (spare.size === 0) await Promise.all(ending)
      // The one that ran last: the engine has compiled most of what it runs.
      const worker = [...spare].at(-1) ?? takeLeft(name) ?? start()
      spare.delete(worker)
      busy.set(worker, leave)
      worker.hold(true)
      return worker
    },
    giveBack(worker) {
      if (spare.size < Math.max(maxSpare, kept ?? 0)) keepWarm(worker)
      else worker.end()
      release(worker)
    },
    replace(worker) {
      const asOf = rests
      const ended = Promise.resolve(worker.end()).then(() => {
        ending.delete(ended)
        if (spare.size === 0 && rests === asOf) keepWarm(start())
      })
      ending.add(ended)
      release(worker)
    },
    rest() {
      rests += 1
      clearTimeout(idle)
      const last = [...spare].at(-1)
      if (last !== undefined && kept === undefined && name !== undefined && !left.has(name)) {
        spare.delete(last)
        leave(name, last)
      }
      endSpare(kept ?? 0)
    },
  }
}
