import type { FileSystem } from '../fs/types.js'
import type { FindBytes } from './find-bytes.js'
import { type HeldSearch, heldSearch } from './kernels/find-with.js'
import { compileMatcher } from './matcher.js'
import { type FileContent, readToSearch, readToSearchNow, searchContent } from './one-file.js'
import type { FileMatches, FileToSearch, SearchRequest, SearchSummary } from './records.js'
import { createTally } from './tally.js'

/** What a search is given from around it. */
export interface SearchContext {
  signal?: AbortSignal
  /** Told after each file how far the search is. */
  onProgress?: (summary: Readonly<SearchSummary>) => void
  /** Milliseconds, for the time limit. */
  now?: () => number
  /** A quicker way to find bytes, where the platform has one. */
  findBytes?: FindBytes
  /** Files being read at once; 8 unless given, and one where the file system answers at once. */
  readAhead?: number
}

/**
 * Searches files in the order they come and tells of each that has something to tell as soon as that is known; the generator's return value is the
 * summary. A file that can't be read is counted and left out. A limit, the time limit and an abort end the search early, and the summary says so.
 * Fails with `PATTERN_TOO_COMPLEX` when too many lines have to be given up because of the pattern.
 */
export async function* search(
  fs: FileSystem,
  files: AsyncIterable<readonly FileToSearch[]>,
  request: SearchRequest,
  context: SearchContext = {},
): AsyncGenerator<FileMatches, SearchSummary> {
  const matcher = compileMatcher(request.matcher)
  const { signal, now = Date.now } = context
  const { findBytes, hold, release } = context.findBytes ? unheld(context.findBytes) : heldSearch()
  const deadline = request.timeoutMs === undefined ? Infinity : now() + request.timeoutMs
  const tally = createTally(request, { signal, now, deadline })
  const isDue = pauseTimer(now)

  try {
    for await (const { path, content } of readInOrder(fs, files, request, context)) {
      if (tally.isOver() || !tally.opensNext()) break
      const held = typeof content === 'string' ? content : hold(content)
      const steps = searchContent(held, request, matcher, tally.share(), { findBytes, stop: tally.isOver })
      let step = steps.next()
      for (; step.done !== true; step = steps.next()) if (isDue()) await pause()
      if (isDue()) await pause()
      const told = tally.add(path, step.value)
      if (told !== undefined) yield told
      context.onProgress?.(tally.summary)
      if (tally.isComplete()) break
    }
  } finally {
    release()
  }
  return tally.summary
}

function unheld(findBytes: FindBytes): HeldSearch {
  return { findBytes, hold: (bytes) => bytes, release() {} }
}

/** Drains a search. */
export async function collectMatches(
  searching: AsyncGenerator<FileMatches, SearchSummary>,
): Promise<{ files: FileMatches[]; summary: SearchSummary }> {
  const files: FileMatches[] = []
  for (;;) {
    const next = await searching.next()
    if (next.done === true) return { files, summary: next.value }
    files.push(next.value)
  }
}

interface ReadFile {
  path: string
  content: FileContent
}

/** Several files are being read while one is searched; they come out in the order they went in. */
async function* readInOrder(
  fs: FileSystem,
  files: AsyncIterable<readonly FileToSearch[]>,
  request: SearchRequest,
  context: SearchContext,
): AsyncGenerator<ReadFile, void> {
  const atOnce = context.readAhead ?? (fs.capabilities.sync ? 1 : 8)
  const reading: Promise<ReadFile>[] = []
  for await (const batch of files) {
    for (const file of batch) {
      const { path } = file
      const isNext = fs.capabilities.sync && reading.length === 0
      const content = isNext ? readToSearchNow(fs, file, request) : undefined
      if (content !== undefined) {
        yield { path, content }
        continue
      }
      const read = readToSearch(fs, file, request).then((bytes): ReadFile => ({ path, content: bytes }))
      // It is awaited in its turn; failing before that is no unhandled failure.
      read.catch(() => {})
      reading.push(read)
      if (reading.length >= atOnce) yield await reading.shift()!
    }
  }
  for (const read of reading) yield await read
}

/** Tells when the search has had its turn for a while, and other work of the program should have its own. */
function pauseTimer(now: () => number): () => boolean {
  let since = now()
  return () => {
    const at = now()
    if (at - since < 40) return false
    since = at
    return true
  }
}

function pause(): Promise<void> {
  return new Promise<void>((resolve) => setTimeout(resolve, 0))
}
