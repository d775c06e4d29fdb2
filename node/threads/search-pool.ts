/** A searcher that reads and searches in threads: many files in parallel, without blocking the rest of the program. */
import type { FileSystem } from '../../src/fs/types.js'
import { parallelSearcher } from '../../src/search/run/parallel-search.js'
import type { Searcher, SearchRequest } from '../../src/search/run/records.js'
import {
  type BatchOutcomes,
  type PackedFiles,
  unreachableBatch,
  type WorkerSearch,
} from '../../src/search/run/worker-search.js'
import { type PlaceInRoot, rootFinder } from '../disk/find-root.js'
import { findBytesIn } from './find-bytes.js'
import { outcomesOf } from './search-packing.js'
import {
  countOnlyAt,
  createControl,
  type FileGroup,
  isPlain,
  packGroups,
  stopAt,
  type ToWorker,
} from './thread-messages.js'
import type { Job, PoolThreads } from './thread-pool.js'

export interface SearchPoolOptions {
  /** The gate, for files that threads can't reach and for searches that are too small for them. */
  fs: FileSystem
  /** Where the roots of the threads are mounted in `fs`. */
  points: readonly string[]
  threads: PoolThreads
  /** Fewer files are searched by the calling thread, which takes less time than handing them out; 200 unless given. */
  fewFiles?: number
}

/** Without threads, everything is searched by the calling thread. */
export function searchPool({ fs, points, threads, fewFiles = 200 }: SearchPoolOptions): Searcher {
  const place = rootFinder(points)
  return parallelSearcher({
    fs,
    fewFiles,
    filesPerBatch: 96,
    // There are slots for many more; see `claim`.
    maxAhead: 64,
    findBytes: findBytesIn,
    workers: {
      get usable() {
        return threads.usable
      },
      begin(request, deadlineMs) {
        const job = threads.begin((number, post) => searchJob(number, request, deadlineMs, { post, place }))
        return { ...job, end: () => threads.finish(job) }
      },
    },
  })
}

interface SearchJobOptions {
  post(message: ToWorker): void
  place(path: string): PlaceInRoot | undefined
}

/** One search as a job of the threads. */
function searchJob(
  number: number,
  request: SearchRequest,
  deadlineMs: number,
  { post, place }: SearchJobOptions,
): Job & Omit<WorkerSearch, 'end'> {
  const control = createControl()
  const start: ToWorker = { kind: 'start', job: number, request, deadlineMs, control }
  const open = new Map<number, { message: ToWorker; settle(outcomes: BatchOutcomes): void }>()
  let lastBatch = -1
  let ended = false
  post(start)

  function settle(batch: number, outcomes: BatchOutcomes): void {
    open.get(batch)?.settle(outcomes)
    open.delete(batch)
  }

  /** Undefined when a file is in no root, or has a name that no file can have: the whole batch is left to the gate. */
  function groupsOf(files: readonly PackedFiles[]): string | undefined {
    const groups: FileGroup[] = []
    for (const { directory, names, listed } of files) {
      const found = place(directory)
      if (found === undefined || !isPlain(directory) || !isPlain(names)) return undefined
      groups.push({ root: found.root, directory: found.inner, names, listed })
    }
    return packGroups(groups)
  }

  return {
    number,
    async search(files) {
      const groups = ended ? undefined : groupsOf(files)
      if (groups === undefined) return unreachableBatch
      lastBatch += 1
      const message: ToWorker = { kind: 'batch', job: number, batch: lastBatch, groups }
      return new Promise((resolve) => {
        open.set(message.batch, { message, settle: resolve })
        post(message)
      })
    },
    onlyCount() {
      Atomics.store(control, countOnlyAt, 1)
    },
    answered(answer) {
      if (answer.kind === 'found') settle(answer.batch, outcomesOf(answer.found))
    },
    threadLost(batch) {
      if (batch !== undefined) settle(batch, unreachableBatch)
    },
    abandoned() {
      ended = true
      for (const batch of [...open.keys()]) settle(batch, unreachableBatch)
    },
    unanswered: () => [start, ...[...open.values()].map(({ message }) => message)],
    stop() {
      ended = true
      Atomics.store(control, stopAt, 1)
    },
  }
}
