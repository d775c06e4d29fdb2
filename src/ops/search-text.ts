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
import { type CallContext, inTurn } from './operation.js'
import { searchRequest } from './shared/search-request.js'
import { isSelected, selection, walkSelected } from './shared/selection.js'

export { inspectPattern, type MatcherSpec } from '../search/patterns/matcher.js'
export type { FileMatches, SearchRecord } from '../search/run/records.js'

export interface SearchText {
  /** The file or directory that was searched. */
  path: string
  files: FileMatches[]
  summary: SearchSummary
  /** Entries that ignore rules kept out of the search; absent when it ended before it had come to all of them. */
  ignored?: number
  /** Directories that could not be read. */
  unreadable: number
  /** Why not all files were come to; absent when they were. */
  walkTruncated?: WalkSummary['truncated']
}

/** Lines that match a pattern, in one file or in those selected below a directory; sorted by path, then by line. */
export const searchText = inTurn({
  mutates: false,
  input: z.object({
    path: z.string().exactOptional(),
    ...selection,
    /** Search these and no others, in this order. */
    files: z.array(z.string()).exactOptional(),
    /** Refuse to search a file on its own, with `NOT_A_DIRECTORY`. */
    directoryOnly: z.boolean().default(false),
    /** The globs hold for a file on its own too. */
    selectsFile: z.boolean().default(false),
    request: searchRequest,
  }),

  async run(input, workspace, context): Promise<SearchText> {
    const { fs, root, searcher } = workspace
    const path = input.path === undefined ? root : fs.resolve(input.path, root)
    const { files: named } = input
    const isFile = named === undefined && (await fs.stat(await fs.realPath(path))).kind !== 'directory'
    if (isFile && input.directoryOnly) throw new FsError('NOT_A_DIRECTORY', { path })
    const walk = isFile || named ? undefined : walkSelected(workspace, path, input, { ...context, order: 'paths' })
    const isLeftOut = isFile && input.selectsFile && !isSelected(workspace, path, input)
    const these = isLeftOut ? [] : (named?.map((file) => fs.resolve(file, root)) ?? [path])
    const files = walk === undefined ? theseFiles(these) : filesOf(walk)
    const options = searchContext(context)
    const searching = searcher?.search(files, input.request, options) ?? search(fs, files, input.request, options)
    const { files: found, summary } = await collectMatches(searching)
    const { unreadable = 0, ignored = 0, truncated } = walk?.summary ?? {}
    return {
      path,
      files: found,
      summary,
      ...(cameToAll(summary, input.request) && { ignored }),
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

async function* theseFiles(paths: readonly string[]): AsyncGenerator<FilesToSearch> {
  yield* paths.map(fileToSearch)
}

/** No generator, which would take several turns for each directory. */
function filesOf(walk: FileWalk): AsyncIterable<FilesToSearch> {
  const next = async (): Promise<IteratorResult<FilesToSearch>> => {
    const value = await walk.nextListed()
    return value === undefined ? { done: true, value } : { done: false, value }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

/** A page is told as soon as it is full, unless all there is was to be counted. */
function cameToAll({ truncated }: SearchSummary, { total = false }: SearchRequest): boolean {
  return truncated === undefined || (truncated === 'results' && total)
}
