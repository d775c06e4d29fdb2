/** One file of a search: what there is to read, and what was found in it. */
import { isFsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import type { Bytes, FileSystem, Reader } from '../../fs/types.js'
import { isUtf8 } from '../../text/decode/decode.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import { type Matcher, openCursor } from '../patterns/matcher.js'
import type { FileToSearch, SearchRequest, SearchSummary } from './records.js'
import { type FileResult, searchFile } from './search-file.js'
import { feedsMatter, hasBinaryExtension, textOf, withLineFeeds } from './text-file.js'

/** What one file may tell of all that a search may. */
export interface Share {
  skip: number
  take: number
  maxTextBytes: number
  /** Lines that may be given up; the search of the file ends at the next one. */
  maxTooExpensive: number
}

export interface FileOutcome {
  /** Why it was not searched. */
  skipped?: keyof SearchSummary['skipped']
  /** Absent when it was not searched, or not to its end because too many lines were too expensive. */
  result?: FileResult
  tooExpensive: number
  linesCut: number
}

/** A file's bytes, or why it is left out. */
export type FileContent = Bytes | 'binary' | 'tooLarge' | 'unreadable'

/** What is known of a file before it is read, if that is enough to leave it out. */
export function skippedUnread(
  path: string,
  size: number | undefined,
  request: SearchRequest,
): 'binary' | 'tooLarge' | undefined {
  const { maxFileBytes = Infinity, text } = request
  if (text !== undefined && hasBinaryExtension(path, text)) return 'binary'
  return size !== undefined && size > maxFileBytes ? 'tooLarge' : undefined
}

export async function readToSearch(
  fs: FileSystem,
  path: string,
  size: number | undefined,
  request: SearchRequest,
): Promise<FileContent> {
  const skipped = skippedUnread(path, size, request)
  if (skipped !== undefined) return skipped
  try {
    return notTooLarge(await fs.readFile(path, rangeToRead(request)), request)
  } catch (error) {
    if (!isFsError(error)) throw error
    return 'unreadable'
  }
}

/** What reads the files of a directory at once, where that can be. */
export function readerOf(fs: FileSystem, directory: string): Reader | undefined {
  try {
    return fs.readFile.reader?.(directory)
  } catch (error) {
    if (!isFsError(error)) throw error
    return undefined
  }
}

/** As `readToSearch` for files of one directory, without waiting; undefined where it can't tell. */
export function readNowWith(
  reader: Reader | undefined,
  fs: FileSystem,
  directory: string,
  request: SearchRequest,
): (file: FileToSearch) => FileContent | undefined {
  return ({ name, size }) => {
    const skipped = skippedUnread(name, size, request)
    if (skipped !== undefined) return skipped
    return (reader && readNamed(reader, name, request)) ?? readNow(fs, join(directory, name), request)
  }
}

function readNamed(read: Reader, name: string, request: SearchRequest): FileContent | undefined {
  try {
    return notTooLarge(read(name), request)
  } catch (error) {
    if (!isFsError(error)) throw error
    return undefined
  }
}

function readNow(fs: FileSystem, path: string, request: SearchRequest): FileContent | undefined {
  try {
    const bytes = fs.readFile.now?.(path, rangeToRead(request))
    return bytes && notTooLarge(bytes, request)
  } catch (error) {
    if (!isFsError(error)) throw error
    return error.code === 'IS_LINK' ? undefined : 'unreadable'
  }
}

function rangeToRead({ maxFileBytes = Infinity }: SearchRequest) {
  return maxFileBytes === Infinity ? undefined : { start: 0, end: maxFileBytes + 1 }
}

function notTooLarge(bytes: Bytes, { maxFileBytes = Infinity }: SearchRequest): FileContent {
  return bytes.length > maxFileBytes ? 'tooLarge' : bytes
}

/** What is plain without searching: that a file is left out, or that it has nothing in it without which there is no match. */
export function outcomeAtOnce(
  content: FileContent,
  { text = {}, carriageReturnEndsLine = false }: SearchRequest,
  matcher: Matcher,
  findBytes?: FindBytes,
): FileOutcome | Bytes {
  const read = typeof content === 'string' ? content : textOf(content, text, findBytes?.place)
  if (typeof read === 'string') return leftOut[read]
  const bytes = carriageReturnEndsLine && feedsMatter(matcher) ? withLineFeeds(read, findBytes?.place) : read
  if (openCursor(bytes, matcher, findBytes)?.(0) === -1) return nothingFound
  return carriageReturnEndsLine ? withLineFeeds(bytes, findBytes?.place) : bytes
}

/** Of files that are not searched. */
export const leftOut = {
  binary: { skipped: 'binary', tooExpensive: 0, linesCut: 0 },
  tooLarge: { skipped: 'tooLarge', tooExpensive: 0, linesCut: 0 },
  unreadable: { skipped: 'unreadable', tooExpensive: 0, linesCut: 0 },
} satisfies Record<string, FileOutcome>

/** Of a file that was searched and has no match. */
export const nothingFound: FileOutcome = {
  result: { records: [], matches: 0, textBytes: 0, ended: 'done' },
  tooExpensive: 0,
  linesCut: 0,
}

/** Searches what was read. Yields where the caller may pause. */
export function* searchContent(
  content: FileContent,
  request: SearchRequest,
  matcher: Matcher,
  share: Share,
  tools: SearchTools,
): Generator<undefined, FileOutcome> {
  const bytes = outcomeAtOnce(content, request, matcher, tools.findBytes)
  return bytes instanceof Uint8Array ? yield* searchText(bytes, request, matcher, share, tools) : bytes
}

export interface SearchTools {
  findBytes?: FindBytes | undefined
  /** Asked now and then; true ends the search. */
  stop: () => boolean
}

/** Searches what `outcomeAtOnce` has left. */
export function* searchText(
  bytes: Bytes,
  request: SearchRequest,
  matcher: Matcher,
  share: Share,
  { findBytes, stop }: SearchTools,
): Generator<undefined, FileOutcome> {
  const { text = {}, mode } = request
  const outcome: FileOutcome = { tooExpensive: 0, linesCut: 0 }
  const tellsContent = mode === 'content'
  let givenUp = false
  const result = yield* searchFile(bytes, {
    matcher,
    tell: tellsContent ? 'records' : mode === 'files' ? 'first' : 'count',
    before: request.before ?? 0,
    after: request.after ?? 0,
    occurrences: request.occurrences ?? false,
    skip: share.skip,
    take: share.take,
    countAll: request.total ?? false,
    maxMatches: tellsContent ? (request.limitPerFile ?? Infinity) : Infinity,
    maxLineUnits: request.maxLineUnits ?? 1_000_000,
    maxShownUnits: request.maxShownUnits ?? 10_000,
    maxTextBytes: share.maxTextBytes,
    findBytes,
    stop: () => givenUp || stop(),
    onTooExpensive() {
      outcome.tooExpensive += 1
      givenUp = outcome.tooExpensive > share.maxTooExpensive
    },
    onCut() {
      outcome.linesCut += 1
    },
  })
  if (givenUp) return outcome
  if (result.matches > 0 && text.onlyUtf8 === true && !isUtf8(bytes)) return { ...outcome, skipped: 'notUtf8' }
  return { ...outcome, result }
}
