import { basename, dirname } from '../../fs/path.js'
import type { Kind } from '../../fs/types.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import type { MatcherSpec } from '../patterns/matcher.js'
import type { LineRange } from './line-range.js'

/** What to search for and how much to report. Plain data, so that it can be sent to a worker. */
export interface SearchRequest {
  matcher: MatcherSpec
  /** `content` reports lines; `files` only that a file has a match; `count` how many lines (or, multiline, blocks) match. */
  mode: 'content' | 'files' | 'count'
  /** Lines of context around matches, in `content`. */
  before?: number
  after?: number
  /** In `content`, count all matches of a line, not only the first. */
  occurrences?: boolean
  /** Results to skip, and to report at most: matches in `content`, files otherwise. */
  skip?: number
  limit?: number
  /** Continue past the limit to count all results. Otherwise the search only finds out whether there is one more. */
  total?: boolean
  /** Report at most so many matches per file. */
  limitPerFile?: number
  /** Stop after so many files. */
  maxFiles?: number
  /** Larger files are skipped. */
  maxFileBytes?: number
  /** Stop when the records hold more text than this. */
  maxTextBytes?: number
  /** What a text file is. */
  text?: TextRule
  /** Longer lines are matched up to so many UTF-16 units; 1,000,000 unless given. */
  maxLineUnits?: number
  /** Longer lines are reported up to so many UTF-16 units; 10,000 unless given. */
  maxReportedUnits?: number
  /** The reported part of a longer line is the one around its first match, not its beginning. A block of lines may then have ten times as much. */
  aroundMatch?: boolean
  /** Search only these lines of each file, as if it had no others. Context may be from other lines. */
  lines?: LineRange
  /** A carriage return without a line feed ends a line too. */
  carriageReturnEndsLine?: boolean
  timeoutMs?: number
  /** Name so many of the files that are skipped. */
  nameSkipped?: number
}

export interface TextRule {
  /** A NUL among the first or last bytes means binary; not checked unless given. */
  nul?: { first: number; last?: number }
  /** Extensions of binary files: lower case, no dot. */
  binaryExtensions?: readonly string[]
  /** Skip files that are not valid UTF-8; checked only if there is a match. Otherwise invalid bytes are read as U+FFFD. */
  onlyUtf8?: boolean
  /** Files with a UTF-16 byte-order mark are decoded (default), or skipped as binary. Byte columns then count UTF-8. */
  utf16?: 'decode' | 'skip'
  /**
   * Text that is not UTF-8 is searched as `openShown` shows it, UTF-16 without a byte-order mark included. Otherwise invalid bytes are read as
   * U+FFFD. Byte columns then count UTF-8.
   */
  detectEncoding?: boolean
}

export type SearchRecord = MatchRecord | ContextRecord

export interface MatchRecord {
  kind: 'match'
  /** Counted from 1. */
  line: number
  /** More than 1 for a block of lines that a multiline match covers. */
  lineCount: number
  /** Without line ends; the lines of a block are joined by `\n`. */
  text: string
  /** The line goes on after `text`. */
  cut: boolean
  /** With `aroundMatch`: `text` does not begin where the line does. */
  cutBefore?: true
  /** Where the first match starts in its line, counted from 0. */
  column: { bytes: number; units: number }
  /** Of the first match, in units. */
  length: number
  /** Matches in the line or block; 1 unless `occurrences` is set. */
  count: number
}

export interface ContextRecord {
  kind: 'context'
  line: number
  text: string
  cut: boolean
  /** The line matches too, but is not among the results to report. Only set where the search reached it. */
  isMatch?: true
}

/** The matches of a file: records in line order, no line twice. A match beyond a limit may appear as context of another. */
export interface FileMatches {
  path: string
  records: SearchRecord[]
  /** Matching lines or blocks, reported or not, as far as the file was searched. */
  matches: number
  /** The file is not valid UTF-8, and some of its text had to be guessed; only with `detectEncoding`, and if a record shows such text. */
  guessed?: true
}

/** What was searched and what was not. */
export interface SearchSummary {
  filesSearched: number
  filesMatched: number
  /** Matching lines or blocks found, reported or not. */
  matches: number
  /** Why results are missing; absent when none are. */
  truncated?: 'results' | 'files' | 'bytes' | 'time' | 'aborted'
  skipped: { binary: number; tooLarge: number; unreadable: number; notUtf8: number }
  /** The first of these; absent unless requested. */
  skippedFiles?: SkippedFile[]
  /** Lines (or, multiline, files) that were not searched to the end because the pattern takes too long on them. */
  tooExpensive: number
  /** Lines of which only the first part was matched. */
  linesCut: number
  /** Files with more matches than `limitPerFile`. */
  limitedFiles: number
}

export interface SkippedFile {
  path: string
  why: keyof SearchSummary['skipped']
}

/** A faster implementation of `search`, such as a worker pool, with the same results. */
export interface Searcher {
  search(
    files: AsyncIterable<FilesToSearch>,
    request: SearchRequest,
    context?: SearchContext,
  ): AsyncGenerator<readonly FileMatches[], SearchSummary>
}

/** What the caller of a search may provide. */
export interface SearchContext {
  signal?: AbortSignal
  /** Called after each file. */
  onProgress?: (summary: Readonly<SearchSummary>) => void
  /** The clock for the time limit, in milliseconds; `Date.now` unless given. */
  now?: () => number
  /** A faster way to find bytes, where the platform has one. */
  findBytes?: FindBytes
  /** Concurrent asynchronous reads; 8 unless given. */
  readAhead?: number
  /**
   * Try synchronous reads first, because they only touch memory; as the file system's capability `sync` says unless given. A directory
   * with a synchronous reader is always read so.
   */
  inMemory?: boolean
}

/** Files of one directory. Most are never reported, so no path is built for them. */
export interface FilesToSearch {
  directory: string
  entries: readonly FileToSearch[]
}

export interface FileToSearch {
  name: string
  size?: number
  /** As a listing has just reported it. If it is something else by now, it neither blocks nor is a link followed. */
  kind?: Kind
}

/** A single file, by its path. */
export function fileToSearch(path: string): FilesToSearch {
  return { directory: dirname(path), entries: [{ name: basename(path) }] }
}
