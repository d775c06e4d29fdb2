import * as z from 'zod'
import { FsError } from '../errors.js'
import type { WalkSummary } from '../fs/walk/walk.js'
import {
  type FileMatches,
  type FilesToSearch,
  fileToSearch,
  type SearchContext,
  type SearchRequest,
  type SearchSummary,
} from '../search/run/records.js'
import { collectMatches, search } from '../search/run/searcher.js'
import type { FileWalk } from '../search/run/walk-files.js'
import { type CallContext, queued } from './operation.js'
import { searchRequest } from './shared/search-request.js'
import { isSelected, selection, walkSelected } from './shared/selection.js'

export { inspectPattern, type MatcherSpec } from '../search/patterns/matcher.js'
export type { FileMatches, SearchRecord } from '../search/run/records.js'

export interface SearchText {
  /** The file or directory that was searched. */
  path: string
  files: FileMatches[]
  summary: SearchSummary
  /** Entries left out by ignore rules; absent when the search ended before it had reached all files. */
  ignored?: number
  /** Directories that could not be read. */
  unreadable: number
  /** Why the walk did not reach all files; absent when it did. */
  walkTruncated?: WalkSummary['truncated']
}

/** Finds lines that match a pattern, in one file or in the selected files below a directory; sorted by path, then by line. */
export const searchText = queued({
  mutates: false,
  input: z.object({
    path: z.string().exactOptional(),
    ...selection,
    /** Search only these files, in this order. */
    files: z.array(z.string()).exactOptional(),
    /** Refuse a path that names a file, with `NOT_A_DIRECTORY`. */
    directoryOnly: z.boolean().default(false),
    /** Apply the globs to a path that names a file, too. */
    selectsFile: z.boolean().default(false),
    request: searchRequest,
  }),

  async run(input, workspace, context): Promise<SearchText> {
    const { fs, root, searcher } = workspace
    const path = input.path === undefined ? root : fs.resolve(input.path, root)
    const { files: named } = input
    const isFile = named === undefined && (await fs.stat(await fs.realPath(path))).kind !== 'directory'
    if (isFile && input.directoryOnly) throw new FsError('NOT_A_DIRECTORY', { path })
    const walk =
      isFile || named ? undefined : await walkSelected(workspace, path, input, { ...context, order: 'paths' })
    const isLeftOut = isFile && input.selectsFile && !isSelected(workspace, path, input)
    const paths = isLeftOut ? [] : (named?.map((file) => fs.resolve(file, root)) ?? [path])
    const files = walk === undefined ? namedFiles(paths) : filesOf(walk)
    const options = searchContext(context)
    const searching = searcher?.search(files, input.request, options) ?? search(fs, files, input.request, options)
    const { files: found, summary } = await collectMatches(searching)
    const { unreadable = 0, ignored = 0, truncated } = walk?.summary ?? {}
    return {
      path,
      files: found,
      summary,
      ...(reachedAll(summary, input.request) && { ignored }),
      unreadable,
      ...(truncated !== undefined && { walkTruncated: truncated }),
    }
  },
})

function searchContext({ signal, onProgress }: CallContext): SearchContext {
  return {
    ...(signal && { signal }),
    ...(onProgress && { onProgress: ({ filesSearched }) => onProgress({ done: filesSearched }) }),
  }
}

async function* namedFiles(paths: readonly string[]): AsyncGenerator<FilesToSearch> {
  yield* paths.map(fileToSearch)
}

/** Not a generator, which would take several turns of the event loop per directory. */
function filesOf(walk: FileWalk): AsyncIterable<FilesToSearch> {
  const next = async (): Promise<IteratorResult<FilesToSearch>> => {
    const value = await walk.nextListed()
    return value === undefined ? { done: true, value } : { done: false, value }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

/** A search ends when its page is full, unless everything has to be counted. */
function reachedAll({ truncated }: SearchSummary, { total = false }: SearchRequest): boolean {
  return truncated === undefined || (truncated === 'results' && total)
}
