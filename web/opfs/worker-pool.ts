/** The Web Workers of a searcher: started when needed, given batches, ended when idle. */
import type { FileOutcome } from '../../src/search/run/file-outcome.js'
import { type BatchOutcomes, type SearchWorkers, unreachableBatch } from '../../src/search/run/worker-search.js'
import type { FromSearchWorker, ToSearchWorker } from './search-worker.js'

interface PoolWorker {
  worker: Worker
  /** Open batches, by number. */
  open: Map<number, (outcomes: BatchOutcomes) => void>
}

const idleMs = 20_000

/** At most `size` workers, on the directory at the top of OPFS. Not usable once one has failed: a page's policy may forbid them. */
export function workerPool(directory: string, size: number): SearchWorkers {
  let workers: PoolWorker[] = []
  let usable = size > 0 && typeof Worker === 'function'
  let searches = 0
  let lastNumber = 0
  let idleTimer: ReturnType<typeof setTimeout> | undefined

  function start(): void {
    clearTimeout(idleTimer)
    while (usable && workers.length < size) workers.push(newWorker())
  }

  function newWorker(): PoolWorker {
    const worker = new Worker(new URL('./search-worker.ts', import.meta.url), { type: 'module' })
    const started: PoolWorker = { worker, open: new Map() }
    worker.onmessage = ({ data }: MessageEvent<FromSearchWorker>) => settle(started, data.batch, outcomesOf(data))
    worker.onerror = () => {
      usable = false
      endWorkers()
    }
    post(started, { kind: 'open', directory })
    return started
  }

  function post({ worker }: PoolWorker, message: ToSearchWorker): void {
    worker.postMessage(message)
  }

  function settle({ open }: PoolWorker, batch: number, outcomes: BatchOutcomes): void {
    open.get(batch)?.(outcomes)
    open.delete(batch)
  }

  function endWorkers(): void {
    for (const ended of workers) {
      ended.worker.terminate()
      for (const batch of [...ended.open.keys()]) settle(ended, batch, unreachableBatch)
    }
    workers = []
  }

  return {
    get usable() {
      return usable
    },
    begin(request, deadlineMs) {
      start()
      searches += 1
      lastNumber += 1
      const search = lastNumber
      const own = workers
      for (const each of own) post(each, { kind: 'start', search, request, deadlineMs })
      return {
        async search(files) {
          const worker = leastBusy(workers === own ? own : [])
          if (worker === undefined) return unreachableBatch
          lastNumber += 1
          const batch = lastNumber
          return new Promise((resolve) => {
            worker.open.set(batch, resolve)
            post(worker, { kind: 'batch', search, batch, files })
          })
        },
        end() {
          searches -= 1
          for (const each of own) post(each, { kind: 'end', search })
          if (searches === 0) idleTimer = setTimeout(endWorkers, idleMs)
        },
      }
    },
  }
}

function leastBusy(workers: readonly PoolWorker[]): PoolWorker | undefined {
  return [...workers].sort((a, b) => a.open.size - b.open.size)[0]
}

function outcomesOf({ outcomes }: FromSearchWorker): BatchOutcomes {
  if (outcomes === undefined) return unreachableBatch
  return {
    bytes: 0,
    read() {
      let at = -1
      return () => {
        at += 1
        const outcome = outcomes[at] as FileOutcome
        // The gate may have a way to a file that a worker could not read.
        return outcome.skipped === 'unreadable' ? 'unreachable' : outcome
      }
    },
  }
}
