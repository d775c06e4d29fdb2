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

  /** Counts files from `from` on while the prefilter decides that they have no match; returns the first that may have one. */
  function skipNoMatches({ directory, entries, read }: ReadFiles, from: number): number {
    for (let at = from; at < entries.length; at += 1) {
      // Reading the clock takes as long as a small file.
      if ((at - from) % 16 === 15 && slices.isOver()) return at
      const file = entries[at] as FileToSearch
      const content = read(file)
      const outcome = content && prefiltered(content)
      if (outcome === undefined || totals.isOver() || !totals.openNext()) return at
      totals.add(join(directory, file.name), outcome)
      context.onProgress?.(totals.summary)
    }
    return entries.length
  }

  try {
    for await (const batch of readInOrder(fs, files, request, context)) {
      const { directory, entries, read } = batch
      for (let at = skipNoMatches(batch, 0); at < entries.length; at = skipNoMatches(batch, at + 1)) {
        if (totals.isOver() || !totals.openNext()) return totals.summary
        const { name, size } = entries[at] as FileToSearch
        const path = join(directory, name)
        const content = read(entries[at] as FileToSearch) ?? (await readToSearch(fs, path, size, request))
        const searching = prefiltered(content) ?? searched(content as Bytes)
        const outcome = searching instanceof Promise ? await searching : searching
        if (slices.isOver()) await slices.pause()
        const matches = totals.add(path, outcome)
        if (matches !== undefined) yield [matches]
        context.onProgress?.(totals.summary)
        if (totals.isComplete()) return totals.summary
      }
    }
  } finally {
    kernelSearch.release()
  }
  return totals.summary
}

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

/** Files of one directory whose content is there already, or can be read synchronously. */
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
