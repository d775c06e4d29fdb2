import * as z from 'zod'
import { FsError } from '../errors.js'
import { dirname, join } from '../fs/path.js'
import type { WalkSummary } from '../fs/walk/walk.js'
import {
  type FileMatches,
  type FilesToSearch,
  fileToSearch,
  type SearchContext,
  type SearchRequest,
  type SearchSummary,
} from '../search/run/records.js'
import type { FileWalk } from '../search/run/walk-files.js'
import type { Workspace } from '../workspace/workspace.js'
import { type CallContext, queued } from './operation.js'
import { limitClock } from './shared/limit-clock.js'
import { searchRequest } from './shared/search-request.js'
import { isSelected, type Selection, selection, walkSelected } from './shared/selection.js'

export { inspectPattern, type MatcherSpec } from '../search/patterns/matcher.js'
export type { FileMatches, SearchRecord } from '../search/run/records.js'

export interface SearchText {
  /** The file or directory that was searched; the first, if there are several. */
  path: string
  /** The directories whose files were searched. */
  directories: string[]
  files: FileMatches[]
  summary: SearchSummary
  /** Entries left out by ignore rules; absent when the search ended before it had reached all files. */
  ignored?: number
  /** Directories that could not be read. */
  unreadable: number
  /** The first few of these. */
  unreadableDirectories: string[]
  /** Why the walk did not reach all files; absent when it did. */
  walkTruncated?: WalkSummary['truncated']
}

/**
 * Finds lines that match a pattern, in files or in the selected files below directories; for each of these sorted by path, then by line.
 * No file is searched twice.
 */
export const searchText = queued({
  mutates: false,
  input: z.object({
    path: z.string().exactOptional(),
    /** Search these files and directories, in this order, in place of `path`. */
    paths: z.array(z.string()).exactOptional(),
    ...selection,
    /** Search only these files, in this order. */
    files: z.array(z.string()).exactOptional(),
    /** Refuse a path that names a file, with `NOT_A_DIRECTORY`. */
    directoryOnly: z.boolean().default(false),
    /** Apply the globs to a path that names a file, too. */
    selectsFile: z.boolean().default(false),
    request: searchRequest,
    /** Results to skip and to report are counted from the last one. Everything is searched twice. */
    fromEnd: z.boolean().default(false),
  }),

  async run(input, workspace, context): Promise<SearchText> {
    const searchFor = (request: SearchRequest) => searchOnce({ ...input, request }, workspace, context)
    if (!input.fromEnd) return searchFor(input.request)
    const counted = await searchFor({ ...input.request, before: 0, after: 0, skip: 0, limit: 0, total: true })
    if (!reachedAll(counted.summary, { ...input.request, total: true })) return counted
    const { mode, skip = 0, limit = Infinity } = input.request
    const total = mode === 'content' ? counted.summary.matches : counted.summary.filesMatched
    const end = Math.max(0, total - skip)
    const start = Math.max(0, end - limit)
    return searchFor({ ...input.request, skip: start, limit: end - start })
  },
})

type Input = z.output<typeof searchText.input>

async function searchOnce(input: Input, workspace: Workspace, context: CallContext): Promise<SearchText> {
  const { fs, root, internals } = workspace
  const unreadableDirectories: string[] = []
  const noteUnreadable = (path: string) => {
    if (unreadableDirectories.length < maxNamed) unreadableDirectories.push(path)
  }
  const named = input.files?.map((file): Target => ({ path: fs.resolve(file, root) }))
  const targets = named ?? (await targetsOf(input, workspace, { ...context, onUnreadable: noteUnreadable }))
  const walks = targets.flatMap(({ walk }) => walk ?? [])
  const options = { ...searchContext(context), now: limitClock(workspace) }
  const files = filesOf(targets)
  // A page loads it with its first search.
  const { collectMatches, search } = await import('../search/run/searcher.js')
  const searching =
    internals.searcher?.search(files, input.request, options) ?? search(fs, files, input.request, options)
  const { files: found, summary } = await collectMatches(searching)
  const truncated = walks.find((walk) => walk.summary.truncated !== undefined)?.summary.truncated
  return {
    path: fs.resolve(input.paths?.[0] ?? input.path ?? root, root),
    directories: targets.flatMap(({ path, walk }) => (walk === undefined ? [] : [path])),
    files: found,
    summary,
    ...(reachedAll(summary, input.request) && { ignored: sumOf(walks, 'ignored') }),
    unreadable: sumOf(walks, 'unreadable'),
    unreadableDirectories,
    ...(truncated !== undefined && { walkTruncated: truncated }),
  }
}

/** Directories that are named when they can't be read. */
const maxNamed = 3

function sumOf(walks: readonly FileWalk[], key: 'ignored' | 'unreadable'): number {
  return walks.reduce((sum, { summary }) => sum + summary[key], 0)
}

/** A file, or a directory with the walk over it. */
interface Target {
  path: string
  walk?: FileWalk
  /** The globs leave it out. */
  isLeftOut?: boolean
}

async function targetsOf(
  input: Selection & Pick<Input, 'path' | 'paths' | 'directoryOnly' | 'selectsFile'>,
  workspace: Workspace,
  options: CallContext & { onUnreadable: (path: string) => void },
): Promise<Target[]> {
  const { fs, root } = workspace
  const given = input.paths ?? [input.path ?? root]
  const targets: Target[] = []
  for (const path of new Set(given.map((each) => fs.resolve(each, root)))) {
    const isFile = (await fs.stat(await fs.realPath(path))).kind !== 'directory'
    if (isFile && input.directoryOnly) throw new FsError('NOT_A_DIRECTORY', { path })
    if (!isFile)
      targets.push({ path, walk: await walkSelected(workspace, path, input, { ...options, order: 'paths' }) })
    else targets.push({ path, isLeftOut: input.selectsFile && !isSelected(workspace, path, input) })
  }
  return targets
}

function searchContext({ signal, onProgress }: CallContext): SearchContext {
  return {
    ...(signal && { signal }),
    ...(onProgress && { onProgress: ({ filesSearched }) => onProgress({ done: filesSearched }) }),
  }
}

function filesOf(targets: readonly Target[]): AsyncIterable<FilesToSearch> {
  const [{ walk } = {}, ...others] = targets
  if (walk !== undefined && others.length === 0) return iterate(() => walk.nextListed())
  const isNew = overlap(targets) ? firstTime() : undefined
  let at = 0
  const nextListed = async (): Promise<FilesToSearch | undefined> => {
    for (let target = targets[at]; target !== undefined; target = targets[at]) {
      const listed = await target.walk?.nextListed()
      if (listed !== undefined) return listed
      at += 1
      if (target.walk === undefined && !target.isLeftOut) return fileToSearch(target.path)
    }
    return undefined
  }
  return iterate(async () => {
    for (let listed = await nextListed(); listed !== undefined; listed = await nextListed()) {
      const { directory, entries } = listed
      const fresh = isNew === undefined ? entries : entries.filter(({ name }) => isNew(join(directory, name)))
      if (fresh.length > 0) return { ...listed, entries: fresh }
    }
    return undefined
  })
}

/** Not a generator, which would take several turns of the event loop per directory. */
function iterate(nextFiles: () => Promise<FilesToSearch | undefined>): AsyncIterable<FilesToSearch> {
  const next = async (): Promise<IteratorResult<FilesToSearch>> => {
    const value = await nextFiles()
    return value === undefined ? { done: true, value } : { done: false, value }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

/** Whether a target is another one, or lies within it. There may be as many as a tree has files. */
function overlap(targets: readonly Target[]): boolean {
  const paths = new Set(targets.map(({ path }) => path))
  if (paths.size < targets.length) return true
  return targets.some(({ path }) => {
    let above = path
    while (above !== '/') {
      above = dirname(above)
      if (paths.has(above)) return true
    }
    return false
  })
}

function firstTime(): (path: string) => boolean {
  const seen = new Set<string>()
  return (path) => {
    if (seen.has(path)) return false
    seen.add(path)
    return true
  }
}

/** A search ends when its page is full, unless everything has to be counted. */
function reachedAll({ truncated }: SearchSummary, { total = false }: SearchRequest): boolean {
  return truncated === undefined || (truncated === 'results' && total)
}
