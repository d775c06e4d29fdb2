import { join } from '../../fs/path.js'
import type { Bytes, FileSystem } from '../../fs/types.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import { type HeldSearch, heldSearch } from '../bytes/kernels/find-with-kernels.js'
import { compileMatcher } from '../patterns/matcher.js'
import {
  type FileContent,
  type FileOutcome,
  leftOut,
  nothingFound,
  readerOf,
  readNowWith,
  readToSearch,
  searchContent,
} from './file-outcome.js'
import type {
  FileMatches,
  FilesToSearch,
  FileToSearch,
  SearchContext,
  SearchRequest,
  SearchSummary,
} from './records.js'
import { createTally } from './search-totals.js'
import { runInSlices, timeSlices } from './time-slices.js'

/**
 * Searches files in the order they come and tells of those that have something to tell, one or some at a time, as soon as that is known; the
 * generator's return value is the summary. A file that can't be read is counted and left out. A limit, the time limit and an abort end the search early, and the summary says so.
 * Fails with `PATTERN_TOO_COMPLEX` when too many lines have to be given up because of the pattern.
 */
export async function* search(
  fs: FileSystem,
  files: AsyncIterable<FilesToSearch>,
  request: SearchRequest,
  context: SearchContext = {},
): AsyncGenerator<readonly FileMatches[], SearchSummary> {
  const matcher = compileMatcher(request.matcher)
  const { signal, now = Date.now } = context
  const held = context.findBytes ? unheld(context.findBytes) : heldSearch()
  const deadline = request.timeoutMs === undefined ? Infinity : now() + request.timeoutMs
  const tally = createTally(request, { signal, now, deadline })
  const slices = timeSlices(now)
  const glance = held.glanceFor(request, matcher)

  /** What is plain at once; undefined when the file has to be searched. */
  function atOnce(content: FileContent): FileOutcome | undefined {
    if (typeof content === 'string') return leftOut[content]
    const seen = glance?.(content)
    if (seen === 'nothing') return nothingFound
    return seen === 'binary' ? leftOut.binary : undefined
  }

  function searched(content: Bytes): FileOutcome | Promise<FileOutcome> {
    const { findBytes } = held
    const tools = { findBytes, stop: tally.isOver }
    const steps = searchContent(held.hold(content), request, matcher, tally.share(), tools)
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value
      if (slices.isOver()) return runInSlices(steps, slices)
    }
  }

  /** Counts files from one on, as long as it is plain at once that they have nothing to tell; which is the first that may have. */
  function passOver({ directory, entries, read }: ReadFiles, from: number): number {
    for (let at = from; at < entries.length; at += 1) {
      // Asking for the time takes as long as a small file.
      if ((at - from) % 16 === 15 && slices.isOver()) return at
      const file = entries[at] as FileToSearch
      const content = read(file)
      const outcome = content && atOnce(content)
      if (outcome === undefined || tally.isOver() || !tally.opensNext()) return at
      tally.add(join(directory, file.name), outcome)
      context.onProgress?.(tally.summary)
    }
    return entries.length
  }

  try {
    for await (const batch of readInOrder(fs, files, request, context)) {
      const { directory, entries, read } = batch
      for (let at = passOver(batch, 0); at < entries.length; at = passOver(batch, at + 1)) {
        if (tally.isOver() || !tally.opensNext()) return tally.summary
        const { name, size } = entries[at] as FileToSearch
        const path = join(directory, name)
        const content = read(entries[at] as FileToSearch) ?? (await readToSearch(fs, path, size, request))
        const soon = atOnce(content) ?? searched(content as Bytes)
        const outcome = soon instanceof Promise ? await soon : soon
        if (slices.isOver()) await slices.pause()
        const told = tally.add(path, outcome)
        if (told !== undefined) yield [told]
        context.onProgress?.(tally.summary)
        if (tally.isComplete()) return tally.summary
      }
    }
  } finally {
    held.release()
  }
  return tally.summary
}

function unheld(findBytes: FindBytes): HeldSearch {
  return { findBytes, hold: (bytes) => bytes, glanceFor: () => undefined, release() {} }
}

/** Drains a search. */
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

/** Files of one directory that are read already, or without waiting for it. */
interface ReadFiles extends FilesToSearch {
  /** Undefined for what has to be waited for after all. */
  read(file: FileToSearch): FileContent | undefined
}

/** Several files are being read while one is searched; they come out in the order they went in. */
async function* readInOrder(
  fs: FileSystem,
  files: AsyncIterable<FilesToSearch>,
  request: SearchRequest,
  { readAhead = 8, inMemory = fs.capabilities.sync }: SearchContext,
): AsyncGenerator<ReadFiles, void> {
  const reading: Promise<ReadFiles>[] = []
  for await (const { directory, entries } of files) {
    const reader = readerOf(fs, directory)
    if (inMemory || reader !== undefined) {
      for (const read of reading.splice(0)) yield await read
      yield { directory, entries, read: readNowWith(reader, fs, directory, request) }
      continue
    }
    for (const file of entries) {
      const read = readToSearch(fs, join(directory, file.name), file.size, request).then((content): ReadFiles => {
        return { directory, entries: [file], read: () => content }
      })
      // It is awaited in its turn; failing before that is no unhandled failure.
      read.catch(() => {})
      reading.push(read)
      if (reading.length >= readAhead) yield await (reading.shift() as Promise<ReadFiles>)
    }
  }
  for (const read of reading) yield await read
}
