/** A searcher for a tree in OPFS: Web Workers read many files at once and search them, and this thread puts together what they found. */
import { join } from '../../src/fs/path.js'
import type { FileSystem } from '../../src/fs/types.js'
import { compileMatcher } from '../../src/search/patterns/matcher.js'
import { type FileOutcome, readToSearch, type Share, searchContent } from '../../src/search/run/file-outcome.js'
import type {
  FileMatches,
  FilesToSearch,
  SearchContext,
  Searcher,
  SearchRequest,
  SearchSummary,
} from '../../src/search/run/records.js'
import { createTally } from '../../src/search/run/search-totals.js'
import { search } from '../../src/search/run/searcher.js'
import { outcomeInTurn } from '../../src/search/run/unordered-results.js'
import type { FileByPath } from './search-worker.js'
import { type SearchJob, searchCrew } from './worker-pool.js'

export interface OpfsSearcherOptions {
  /** What is searched: the gate, for files that only it can reach, and for searches that are not worth a worker. */
  fs: FileSystem
  /** The directory at the top of OPFS that is `/` there. */
  directory: string
  /** As many as cores, 4 at most, unless given; none for 0. */
  workers?: number
}

/** Fewer files are searched sooner than workers are started. */
const fewFiles = 32
const filesPerBatch = 64

/** Workers are started by the first search that is worth it, and end when there has been none for a while. */
export function opfsSearcher({ fs, directory, workers }: OpfsSearcherOptions): Searcher {
  const count = workers ?? Math.min(navigator.hardwareConcurrency || 2, 4)
  const crew = searchCrew(directory, count)

  async function* searchInWorkers(
    files: AsyncIterable<FilesToSearch>,
    request: SearchRequest,
    context: SearchContext,
  ): AsyncGenerator<readonly FileMatches[], SearchSummary> {
    const matcher = compileMatcher(request.matcher)
    const { signal, now = Date.now } = context
    const leftMs = request.timeoutMs ?? Infinity
    const tally = createTally(request, { signal, now, deadline: now() + leftMs })
    const job = crew.begin(request, Date.now() + leftMs)
    const batches = inBatchesOf(filesPerBatch, files)
    const aborted = whenAborted(signal)
    try {
      for await (const { files: batch, outcomes } of ahead(batches, job, {
        most: 2 * count,
        aborted: aborted.promise,
      })) {
        if (tally.isOver()) return tally.summary
        for (const [i, file] of batch.entries()) {
          if (!tally.opensNext()) return tally.summary
          const share = tally.share()
          const found = outcomes?.[i]
          // The gate may know a way to what a worker could not read.
          const known = found === undefined || found.skipped === 'unreadable' ? undefined : found
          const outcome = (known && outcomeInTurn(known, share, request)) ?? (await searchHere(file, share))
          const told = tally.add(file.path, outcome)
          if (told !== undefined) yield [told]
          context.onProgress?.(tally.summary)
          if (tally.isOver() || tally.isComplete()) return tally.summary
        }
      }
      tally.isOver()
      return tally.summary
    } finally {
      aborted.cancel()
      job.end()
      await batches.return(undefined)
    }

    async function searchHere({ path, size }: FileByPath, share: Share): Promise<FileOutcome> {
      const steps = searchContent(await readToSearch(fs, path, size, request), request, matcher, share, {
        stop: tally.isOver,
      })
      for (let paused = Date.now(); ; ) {
        const step = steps.next()
        if (step.done === true) return step.value
        if (Date.now() - paused < 20) continue
        await new Promise<void>((resume) => setTimeout(resume, 0))
        paused = Date.now()
      }
    }
  }

  return {
    async *search(files, request, context = {}) {
      if (count === 0 || !crew.usable) return yield* search(fs, files, request, context)
      const iterator = files[Symbol.asyncIterator]()
      const first: FilesToSearch[] = []
      for (let count = 0; count < fewFiles; count += first.at(-1)!.entries.length) {
        const next = await iterator.next()
        if (next.done === true) return yield* search(fs, each(first), request, context)
        first.push(next.value)
      }
      return yield* searchInWorkers(each(first, { [Symbol.asyncIterator]: () => iterator }), request, context)
    },
  }
}

interface SearchedBatch {
  files: readonly FileByPath[]
  outcomes: readonly FileOutcome[] | undefined
}

/** Batches in their order, with so many handed out before the first is waited for. */
async function* ahead(
  batches: AsyncGenerator<readonly FileByPath[], void>,
  job: SearchJob,
  { most, aborted }: { most: number; aborted: Promise<undefined> },
): AsyncGenerator<SearchedBatch, void> {
  const underWay: { files: readonly FileByPath[]; found: Promise<SearchedBatch['outcomes']> }[] = []
  for (let isLast = false; ; ) {
    while (!isLast && underWay.length < most) {
      const next = await batches.next()
      if (next.done === true) isLast = true
      else underWay.push({ files: next.value, found: job.search(next.value) })
    }
    const first = underWay.shift()
    if (first === undefined) return
    yield { files: first.files, outcomes: await Promise.race([first.found, aborted]) }
  }
}

function whenAborted(signal: AbortSignal | undefined): { promise: Promise<undefined>; cancel(): void } {
  let cancel = () => {}
  const promise = new Promise<undefined>((resolve) => {
    const onAbort = () => resolve(undefined)
    signal?.addEventListener('abort', onAbort, { once: true })
    cancel = () => signal?.removeEventListener('abort', onAbort)
  })
  return { promise, cancel }
}

async function* inBatchesOf(
  size: number,
  files: AsyncIterable<FilesToSearch>,
): AsyncGenerator<readonly FileByPath[], void> {
  let batch: FileByPath[] = []
  for await (const { directory, entries } of files) {
    for (const { name, size: bytes } of entries) {
      const path = join(directory, name)
      batch.push(bytes === undefined ? { path } : { path, size: bytes })
      if (batch.length < size) continue
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

async function* each(
  first: readonly FilesToSearch[],
  rest?: AsyncIterable<FilesToSearch>,
): AsyncGenerator<FilesToSearch> {
  yield* first
  if (rest !== undefined) yield* rest
}
