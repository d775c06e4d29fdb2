import { join } from '../../fs/path.js'
import type { Bytes, FileSystem } from '../../fs/types.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import { acquireKernelSearch, type KernelSearch } from '../bytes/kernels/find-with-kernels.js'
import { compileMatcher } from '../patterns/matcher.js'
import {
  type FileContent,
  type FileOutcome,
  fileReaderFor,
  noMatch,
  readSyncWith,
  readToSearch,
  searchContent,
  skippedOutcomes,
} from './file-outcome.js'
import type {
  FileMatches,
  FilesToSearch,
  FileToSearch,
  SearchContext,
  SearchRequest,
  SearchSummary,
} from './records.js'
import { createSearchTotals } from './search-totals.js'
import { runInSlices, timeSlices } from './time-slices.js'

/**
 * Searches files in the given order. Yields files with matches as soon as they are known, one or several at a time, and returns the summary.
 * A file that can't be read is counted and skipped. A limit, the time limit or an abort ends the search early, and the summary says so.
 * Fails with `PATTERN_TOO_COMPLEX` when the pattern takes too long on too many lines.
 */
export async function* search(
  fs: FileSystem,
  files: AsyncIterable<FilesToSearch>,
  request: SearchRequest,
  context: SearchContext = {},
): AsyncGenerator<readonly FileMatches[], SearchSummary> {
  const matcher = compileMatcher(request.matcher)
  const { signal, now = Date.now } = context
  const kernelSearch = context.findBytes ? withoutKernels(context.findBytes) : acquireKernelSearch()
  const deadline = request.timeoutMs === undefined ? Infinity : now() + request.timeoutMs
  const totals = createSearchTotals(request, { signal, now, deadline })
  const slices = timeSlices()
  const prefilter = kernelSearch.prefilterFor(request, matcher)

  /** The outcome if the prefilter decides it; undefined when the file has to be searched. */
  function prefiltered(content: FileContent): FileOutcome | undefined {
    if (typeof content === 'string') return skippedOutcomes[content]
    const verdict = prefilter?.(content)
    if (verdict === 'no-match') return noMatch
    return verdict === 'binary' ? skippedOutcomes.binary : undefined
  }

  function searched(content: Bytes): FileOutcome | Promise<FileOutcome> {
    const { findBytes } = kernelSearch
    const tools = { findBytes, stop: totals.isOver }
    const steps = searchContent(kernelSearch.load(content), request, matcher, totals.limits(), tools)
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value
      if (slices.isOver()) return runInSlices(steps, slices)
    }
  }

  try {
    for await (const { directory, entries, read } of readInOrder(fs, files, request, context)) {
      let found: FileMatches[] = []
      for (const [index, file] of entries.entries()) {
        if (totals.isOver() || !totals.openNext()) {
          if (found.length > 0) yield found
          return totals.summary
        }
        const path = join(directory, file.name)
        const content = read(file) ?? (await readToSearch(fs, path, file.size, request))
        const decided = prefiltered(content)
        const searching = decided ?? searched(content as Bytes)
        const matches = totals.add(path, searching instanceof Promise ? await searching : searching)
        context.onProgress?.(totals.summary)
        if (matches !== undefined) found.push(matches)
        if (totals.isComplete()) break
        // Reading the clock takes as long as a small file that the prefilter decides.
        const isPaused = (decided === undefined || index % 16 === 15) && slices.isOver()
        if (found.length >= mostTogether || (isPaused && found.length > 0)) {
          yield found
          found = []
        }
        if (isPaused) await slices.pause()
      }
      if (found.length > 0) yield found
      if (totals.isComplete()) return totals.summary
    }
  } finally {
    kernelSearch.release()
  }
  return totals.summary
}

/** Files with matches that are yielded together: a turn for each would take longer than to search it. */
const mostTogether = 64

function withoutKernels(findBytes: FindBytes): KernelSearch {
  return { findBytes, load: (bytes) => bytes, prefilterFor: () => undefined, release() {} }
}

/** Collects all results of a search. */
export async function collectMatches(
  searching: AsyncGenerator<readonly FileMatches[], SearchSummary>,
): Promise<{ files: FileMatches[]; summary: SearchSummary }> {
  const files: FileMatches[] = []
  for (;;) {
    const next = await searching.next()
    if (next.done === true) return { files, summary: next.value }
    files.push(...next.value)
  }
}

/** Files of one directory whose content is in memory, or can be read synchronously. */
interface ReadFiles extends FilesToSearch {
  /** Undefined where only the asynchronous read can answer. */
  read(file: FileToSearch): FileContent | undefined
}

/** Reads several files while one is searched, and yields them in the given order. */
async function* readInOrder(
  fs: FileSystem,
  files: AsyncIterable<FilesToSearch>,
  request: SearchRequest,
  { readAhead = 8, inMemory = fs.capabilities.sync }: SearchContext,
): AsyncGenerator<ReadFiles, void> {
  const reading: Promise<ReadFiles>[] = []
  for await (const { directory, entries } of files) {
    const reader = fileReaderFor(fs, directory)
    if (inMemory || reader !== undefined) {
      for (const read of reading.splice(0)) yield await read
      yield { directory, entries, read: readSyncWith(reader, fs, directory, request) }
      continue
    }
    for (const file of entries) {
      const read = readToSearch(fs, join(directory, file.name), file.size, request).then((content): ReadFiles => {
        return { directory, entries: [file], read: () => content }
      })
      // It is awaited later; a rejection before that must not count as unhandled.
      read.catch(() => {})
      reading.push(read)
      if (reading.length >= readAhead) yield await (reading.shift() as Promise<ReadFiles>)
    }
  }
  for (const read of reading) yield await read
}
