/** One file of a search: reads it, searches it, and says what was found or why it was skipped. */
import { isFsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import { type FileReader, wouldBlock } from '../../fs/sync.js'
import type { Bytes, FileSystem } from '../../fs/types.js'
import { isUtf8 } from '../../text/decode/decode.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import { type Matcher, openCursor } from '../patterns/matcher.js'
import type { FileToSearch, SearchRequest, SearchSummary } from './records.js'
import { type FileResult, searchFile } from './search-file.js'
import {
  feedsMatter,
  guessedText,
  hasBinaryExtension,
  isValidText,
  seeksBeyondAscii,
  textOf,
  withLineFeeds,
} from './text-file.js'

/** How much of the search's limits is left for one file. */
export interface FileLimits {
  skip: number
  take: number
  maxTextBytes: number
  /** Lines that may be too expensive; the search of the file ends at the next one. */
  maxTooExpensive: number
}

export interface FileOutcome {
  /** Why it was not searched. */
  skipped?: keyof SearchSummary['skipped']
  /** Absent when it was not searched, or not to its end because too many lines were too expensive. */
  result?: FileResult
  tooExpensive: number
  linesCut: number
  /** As in `FileMatches`. */
  guessed?: true
}

/** A file's bytes, or why it is skipped. */
export type FileContent = Bytes | 'binary' | 'tooLarge' | 'unreadable'

/** Why a file is skipped without reading it; undefined if it has to be read. */
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

/** A synchronous reader for the files of a directory, where the file system has one. */
export function fileReaderFor(fs: FileSystem, directory: string): FileReader | undefined {
  const reader = fs.sync?.fileReader?.(directory)
  return reader === wouldBlock ? undefined : reader
}

/** As `readToSearch` for files of one directory, but synchronous; undefined where only the asynchronous read can answer. */
export function readSyncWith(
  reader: FileReader | undefined,
  fs: FileSystem,
  directory: string,
  request: SearchRequest,
): (file: FileToSearch) => FileContent | undefined {
  return ({ name, size }) => {
    const skipped = skippedUnread(name, size, request)
    if (skipped !== undefined) return skipped
    const bytes = reader?.(name) ?? wouldBlock
    return bytes === wouldBlock ? readSync(fs, join(directory, name), request) : notTooLarge(bytes, request)
  }
}

function readSync(fs: FileSystem, path: string, request: SearchRequest): FileContent | undefined {
  try {
    const bytes = fs.sync?.readFile(path, rangeToRead(request)) ?? wouldBlock
    return bytes === wouldBlock ? undefined : notTooLarge(bytes, request)
  } catch (error) {
    if (!isFsError(error)) throw error
    return 'unreadable'
  }
}

function rangeToRead({ maxFileBytes = Infinity }: SearchRequest) {
  return maxFileBytes === Infinity ? undefined : { start: 0, end: maxFileBytes + 1 }
}

function notTooLarge(bytes: Bytes, { maxFileBytes = Infinity }: SearchRequest): FileContent {
  return bytes.length > maxFileBytes ? 'tooLarge' : bytes
}

/** Skips a file, or rules out a match by bytes that every match contains; otherwise returns the text to search. */
export function prefilterContent(
  content: FileContent,
  { text = {}, carriageReturnEndsLine = false }: SearchRequest,
  matcher: Matcher,
  findBytes?: FindBytes,
): FileOutcome | Bytes {
  const read = typeof content === 'string' ? content : textOf(content, text, findBytes?.place)
  if (typeof read === 'string') return skippedOutcomes[read]
  const bytes = carriageReturnEndsLine && feedsMatter(matcher) ? withLineFeeds(read, findBytes?.place) : read
  if (openCursor(bytes, matcher, findBytes)?.(0) === -1) {
    const isHidden = text.detectEncoding === true && seeksBeyondAscii(matcher) && !isValidText(bytes, findBytes)
    if (!isHidden) return noMatch
  }
  return carriageReturnEndsLine ? withLineFeeds(bytes, findBytes?.place) : bytes
}

export const skippedOutcomes = {
  binary: { skipped: 'binary', tooExpensive: 0, linesCut: 0 },
  tooLarge: { skipped: 'tooLarge', tooExpensive: 0, linesCut: 0 },
  unreadable: { skipped: 'unreadable', tooExpensive: 0, linesCut: 0 },
} satisfies Record<string, FileOutcome>

/** The outcome of every file without a match. Compared by identity. */
export const noMatch: FileOutcome = {
  result: { records: [], matches: 0, textBytes: 0, ended: 'done' },
  tooExpensive: 0,
  linesCut: 0,
}

/** Prefilters and searches content. Yields where the caller may pause. */
export function* searchContent(
  content: FileContent,
  request: SearchRequest,
  matcher: Matcher,
  limits: FileLimits,
  tools: SearchTools,
): Generator<undefined, FileOutcome> {
  const bytes = prefilterContent(content, request, matcher, tools.findBytes)
  return bytes instanceof Uint8Array ? yield* searchText(bytes, request, matcher, limits, tools) : bytes
}

export interface SearchTools {
  findBytes?: FindBytes | undefined
  /** Called now and then; true ends the search. */
  stop: () => boolean
}

/** Searches text that `prefilterContent` returned. */
export function* searchText(
  given: Bytes,
  request: SearchRequest,
  matcher: Matcher,
  limits: FileLimits,
  { findBytes, stop }: SearchTools,
): Generator<undefined, FileOutcome> {
  const { text = {}, mode } = request
  const guessed = text.detectEncoding === true ? guessedText(given, findBytes) : undefined
  const bytes = guessed ?? given
  const outcome: FileOutcome = { tooExpensive: 0, linesCut: 0 }
  const reportsContent = mode === 'content'
  let isGivenUp = false
  const result = yield* searchFile(bytes, {
    matcher,
    report: reportsContent ? 'records' : mode === 'files' ? 'first' : 'count',
    before: request.before ?? 0,
    after: request.after ?? 0,
    occurrences: request.occurrences ?? false,
    skip: limits.skip,
    take: limits.take,
    countAll: request.total ?? false,
    maxMatches: reportsContent ? (request.limitPerFile ?? Infinity) : Infinity,
    maxLineUnits: request.maxLineUnits ?? 1_000_000,
    maxReportedUnits: request.maxReportedUnits ?? 10_000,
    aroundMatch: request.aroundMatch ?? false,
    lines: request.lines,
    maxTextBytes: limits.maxTextBytes,
    findBytes,
    stop: () => isGivenUp || stop(),
    onTooExpensive() {
      outcome.tooExpensive += 1
      isGivenUp = outcome.tooExpensive > limits.maxTooExpensive
    },
    onCut() {
      outcome.linesCut += 1
    },
  })
  if (isGivenUp) return outcome
  if (result.matches > 0 && text.onlyUtf8 === true && !isUtf8(bytes)) return { ...outcome, skipped: 'notUtf8' }
  const isNoted = guessed !== undefined && result.records.some(({ text: line }) => !isAscii(line))
  outcome.result = result
  if (isNoted) outcome.guessed = true
  return outcome
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) >= 0x80) return false
  return true
}
