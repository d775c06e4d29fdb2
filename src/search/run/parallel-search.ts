/** Searching in workers: the one coordinator for threads in Node and for Web Workers. */
import { join } from '../../fs/path.js'
import type { FileSystem } from '../../fs/types.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import { compileMatcher } from '../patterns/matcher.js'
import { abortOrTimeout } from './abort-or-timeout.js'
import { type FileLimits, type FileOutcome, noMatch, readToSearch, searchContent } from './file-outcome.js'
import { type OrderedBatches, orderedBatches, type SearchedBatch } from './ordered-batches.js'
import type { FileMatches, FilesToSearch, SearchContext, Searcher, SearchRequest, SearchSummary } from './records.js'
import { createSearchTotals } from './search-totals.js'
import { search } from './searcher.js'
import { runInSlices, timeSlices } from './time-slices.js'
import { outcomeInOrder } from './unordered-results.js'
import { type PackedFiles, packFiles, type SearchWorkers } from './worker-search.js'

export interface ParallelSearchOptions {
  /** What is searched: the gate, for files that workers can't reach and for searches that are too small for them. */
  fs: FileSystem
  workers: SearchWorkers
  /** Fewer files are searched by the calling thread. */
  fewFiles: number
  filesPerBatch: number
  /** Batches that may be handed out before the first is taken back. */
  maxAhead: number
  /** For what the calling thread searches itself. */
  findBytes?: FindBytes
}

/** Reports exactly what the portable `search` reports. Workers are started by the first search with enough files. */
export function parallelSearcher(options: ParallelSearchOptions): Searcher {
  const { fs, workers, fewFiles, filesPerBatch, maxAhead, findBytes } = options

  async function* searchInWorkers(
    first: readonly FilesToSearch[],
    rest: AsyncIterator<FilesToSearch>,
    request: SearchRequest,
    context: SearchContext,
  ): AsyncGenerator<readonly FileMatches[], SearchSummary> {
    const matcher = compileMatcher(request.matcher)
    const { signal, now = Date.now } = context
    const timeoutMs = request.timeoutMs ?? Infinity
    const totals = createSearchTotals(request, { signal, now, deadline: now() + timeoutMs })
    const running = workers.begin(request, Date.now() + timeoutMs)
    const batches = orderedBatches(running, maxAhead)
    const over = abortOrTimeout(signal, timeoutMs)
    void over.promise.then(batches.interrupt)
    const handingOut = handOut(first, rest, batches, filesPerBatch)
    try {
      for (;;) {
        const batch = await batches.next()
        if (totals.isOver() || batch === undefined) return totals.summary
        const matches: FileMatches[] = []
        const isLast = await takeInOrder(batch, matches)
        if (matches.length > 0) yield matches
        if (isLast) return totals.summary
      }
    } finally {
      over.cancel()
      batches.stop()
      running.end()
      await handingOut
    }

    /** Adds the results of a batch to the totals. Returns whether the search ends there. */
    async function takeInOrder({ files, outcomes }: SearchedBatch, matches: FileMatches[]): Promise<boolean> {
      const nextOutcome = outcomes.read()
      for (const { directory, names, count, sizes } of files) {
        let separate: string[] | undefined
        for (let i = 0; i < count; i += 1) {
          if (!totals.openNext()) return true
          const outcome = nextOutcome()
          // Most files have no match: their names are not even separated.
          if (outcome === noMatch) totals.add('', outcome)
          else {
            separate ??= names.split('/')
            const path = join(directory, separate[i] as string)
            const limits = totals.limits()
            if (limits.take === 0) running.onlyCount?.()
            const known = outcome === 'unreachable' ? undefined : outcomeInOrder(outcome, limits, request)
            const found = totals.add(path, known ?? (await searchHere(path, sizes?.[i], limits)))
            if (found !== undefined) matches.push(found)
            if (totals.isOver()) return true
          }
          context.onProgress?.(totals.summary)
          if (totals.isComplete()) return true
        }
      }
      return false
    }

    async function searchHere(path: string, size: number | undefined, limits: FileLimits): Promise<FileOutcome> {
      const content = await readToSearch(fs, path, size, request)
      const tools = { findBytes, stop: totals.isOver }
      return runInSlices(searchContent(content, request, matcher, limits, tools), timeSlices())
    }
  }

  return {
    async *search(files, request, given = {}) {
      const context = findBytes === undefined ? given : { findBytes, ...given }
      if (!workers.usable) return yield* search(fs, files, request, context)
      const iterator = files[Symbol.asyncIterator]()
      const first: FilesToSearch[] = []
      for (let count = 0; count < fewFiles; count += first.at(-1)!.entries.length) {
        const next = await iterator.next()
        if (next.done === true) return yield* search(fs, each(first), request, context)
        first.push(next.value)
      }
      return yield* searchInWorkers(first, iterator, request, context)
    },
  }
}

/** Hands files out in batches, in order and not too far ahead. */
async function handOut(
  first: readonly FilesToSearch[],
  rest: AsyncIterator<FilesToSearch>,
  batches: OrderedBatches,
  filesPerBatch: number,
): Promise<void> {
  let batch: PackedFiles[] = []
  let count = 0
  const send = () => {
    batches.add(batch)
    batch = []
    count = 0
  }
  const add = ({ directory, entries }: FilesToSearch) => {
    for (let from = 0; from < entries.length; ) {
      const until = Math.min(entries.length, from + filesPerBatch - count)
      batch.push(packFiles(directory, until - from === entries.length ? entries : entries.slice(from, until)))
      count += until - from
      from = until
      if (count >= filesPerBatch) send()
    }
  }
  try {
    for (const files of first) add(files)
    for (;;) {
      const room = batches.room()
      if (room !== undefined) await room
      if (batches.stopped) return
      const next = await rest.next()
      if (next.done === true) break
      add(next.value)
    }
    if (count > 0) send()
    batches.close()
  } catch (error) {
    batches.close({ fault: error })
  } finally {
    if (batches.stopped) await rest.return?.()
  }
}

async function* each(files: readonly FilesToSearch[]): AsyncGenerator<FilesToSearch> {
  yield* files
}
