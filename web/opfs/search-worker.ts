/** A Web Worker that reads files of OPFS concurrently and searches them. */
import { inBatches } from '../../src/fs/in-batches.js'
import { join } from '../../src/fs/path.js'
import type { FileSystem } from '../../src/fs/types.js'
import { acquireKernelSearch } from '../../src/search/bytes/kernels/find-with-kernels.js'
import { allowVectorCode } from '../../src/search/bytes/kernels/kernels.js'
import { compileMatcher, type Matcher } from '../../src/search/patterns/matcher.js'
import { type FileOutcome, readToSearch, searchContent } from '../../src/search/run/file-outcome.js'
import type { SearchRequest } from '../../src/search/run/records.js'
import { limitsOutOfOrder } from '../../src/search/run/unordered-results.js'
import type { PackedFiles } from '../../src/search/run/worker-search.js'
import { opfs } from './opfs.js'

// Reading takes far longer here than searching, and a strict content policy would report the attempt.
allowVectorCode(false)

export type ToSearchWorker =
  | { kind: 'open'; directory: string }
  | { kind: 'start'; search: number; request: SearchRequest; deadlineMs: number }
  | { kind: 'batch'; search: number; batch: number; files: readonly PackedFiles[] }
  | { kind: 'end'; search: number }

/** Without outcomes, the page has to search the files itself. */
export interface FromSearchWorker {
  search: number
  batch: number
  outcomes?: readonly FileOutcome[]
}

interface Search {
  request: SearchRequest
  matcher: Matcher
  isOver(): boolean
}

/** Each read is a message to another process and mostly waits for it. */
const concurrentReads = 32

const searches = new Map<number, Search>()
const kernelSearch = acquireKernelSearch()
let opening: Promise<FileSystem> | undefined

self.onmessage = ({ data }: MessageEvent<ToSearchWorker>) => {
  if (data.kind === 'open') {
    opening = opfs(data.directory)
    // Every batch awaits it; a rejection before the first must not count as unhandled.
    opening.catch(() => {})
  } else if (data.kind === 'start') start(data)
  else if (data.kind === 'end') searches.delete(data.search)
  else void answer(data)
}

function start({ search, request, deadlineMs }: Extract<ToSearchWorker, { kind: 'start' }>): void {
  const isOver = () => !searches.has(search) || Date.now() > deadlineMs
  searches.set(search, { request, matcher: compileMatcher(request.matcher), isOver })
}

async function answer({ search, batch, files }: Extract<ToSearchWorker, { kind: 'batch' }>): Promise<void> {
  const found: FromSearchWorker = { search, batch }
  const running = searches.get(search)
  if (running === undefined || running.isOver()) return self.postMessage(found)
  try {
    const fs = await opening
    if (fs !== undefined)
      found.outcomes = await inBatches(pathsOf(files), concurrentReads, (file) => searchOne(fs, file, running))
  } catch (error) {
    // The page meets the same error when it searches these files, and reports it.
    console.debug(error)
  }
  self.postMessage(found)
}

function pathsOf(files: readonly PackedFiles[]): FileByPath[] {
  return files.flatMap(({ directory, names, sizes }) =>
    names.split('/').map((name, i) => ({ path: join(directory, name), size: sizes?.[i] })),
  )
}

interface FileByPath {
  path: string
  size: number | undefined
}

async function searchOne(
  fs: FileSystem,
  { path, size }: FileByPath,
  { request, matcher, isOver }: Search,
): Promise<FileOutcome> {
  const read = await readToSearch(fs, path, size, request)
  const content = typeof read === 'string' ? read : kernelSearch.load(read)
  const tools = { findBytes: kernelSearch.findBytes, stop: isOver }
  // Without a pause: the kernels' memory holds one file.
  const steps = searchContent(content, request, matcher, limitsOutOfOrder(request), tools)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
