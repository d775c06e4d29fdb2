import { basename, dirname } from '../../fs/path.js'
import type { Kind } from '../../fs/types.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import type { MatcherSpec } from '../patterns/matcher.js'

/** What to search for and how much to tell of it. Plain data, so that a search can run elsewhere. */
export interface SearchRequest {
  matcher: MatcherSpec
  /**
   * `content` tells of lines; `files` only that a file has a match; `count` how many lines (or, multiline, blocks)
   * match.
   */
  mode: 'content' | 'files' | 'count'
  /** Lines of context around matches, in `content`. */
  before?: number
  after?: number
  /** Count the matches within each line, in `content`; otherwise a line is done with at its first. */
  occurrences?: boolean
  /** Results to leave out and to tell at most: matches in `content`, files otherwise. */
  skip?: number
  limit?: number
  /** Go on past the limit to find out how many there are in all. Otherwise only whether there is one more. */
  total?: boolean
  /** At most so many matches of any one file. */
  limitPerFile?: number
  /** Stop looking into files after so many. */
  maxFiles?: number
  /** Larger files are skipped. */
  maxFileBytes?: number
  /** Stop when so much text has been collected. */
  maxTextBytes?: number
  /** What a text file is. */
  text?: TextRule
  /** What has to be matched in one, mostly a line, is matched up to so many UTF-16 units; 1,000,000 unless given. */
  maxLineUnits?: number
  /** A line is told up to so many UTF-16 units; 10,000 unless given. */
  maxShownUnits?: number
  /** A carriage return without a line feed ends a line too. */
  carriageReturnEndsLine?: boolean
  /** Stop after so long. */
  timeoutMs?: number
}

export interface TextRule {
  /** A NUL among the first bytes, or the last, is taken for binary; not looked for unless given. */
  nul?: { first: number; last?: number }
  /** Names that end in one of these are taken for binary; small letters, no dot. */
  binaryExtensions?: readonly string[]
  /**
   * A file that is not valid UTF-8 is skipped. It is found out only where there is a match. Otherwise such bytes read
   * as U+FFFD.
   */
  onlyUtf8?: boolean
  /**
   * A file with a UTF-16 byte-order mark is decoded, or skipped as binary; decoded unless given. Byte columns then
   * count UTF-8.
   */
  utf16?: 'decode' | 'skip'
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
  /** `text` is not all of it. */
  cut: boolean
  /** Where the first match starts in its line, counted from 0. */
  column: { bytes: number; units: number }
  /** Units the first match takes. */
  length: number
  /** Matches in the line or block; 1 unless `occurrences` were asked for. */
  count: number
}

export interface ContextRecord {
  kind: 'context'
  line: number
  text: string
  cut: boolean
}

/**
 * What was found in a file: records in line order, no line twice. A match beyond a limit shows as context where it is
 * near one told.
 */
export interface FileMatches {
  path: string
  records: SearchRecord[]
  /** Matching lines or blocks, told or not, as far as the file was searched. */
  matches: number
}

/** Honest about what was and was not looked at. */
export interface SearchSummary {
  filesSearched: number
  filesMatched: number
  /** Matching lines or blocks seen, told or not. */
  matches: number
  /** Why not everything is told: absent when it is. */
  truncated?: 'results' | 'files' | 'bytes' | 'time' | 'aborted'
  skipped: { binary: number; tooLarge: number; unreadable: number; notUtf8: number }
  /** Lines (or, multiline, files) given up because the pattern takes too long on them. */
  tooExpensive: number
  /** Lines of which only the first part was matched. */
  linesCut: number
  /** Matches of a file beyond `limitPerFile` were left out. */
  limitedFiles: number
}

/** An accelerator, such as a pool of workers: it tells the same as the portable `search`. */
export interface Searcher {
  search(
    files: AsyncIterable<FilesToSearch>,
    request: SearchRequest,
    context?: SearchContext,
  ): AsyncGenerator<readonly FileMatches[], SearchSummary>
}

/** What a search is given from around it. */
export interface SearchContext {
  signal?: AbortSignal
  /** Told after each file how far the search is. */
  onProgress?: (summary: Readonly<SearchSummary>) => void
  /** Milliseconds, for the time limit. */
  now?: () => number
  /** A quicker way to find bytes, where the platform has one. */
  findBytes?: FindBytes
  /** Files being read at once, where the file system has to be waited for; 8 unless given. */
  readAhead?: number
  /**
   * Reads are tried without waiting first, because they touch memory alone; as the file system's `sync` says unless given, and of a
   * directory that can be read so in any case.
   */
  inMemory?: boolean
}

/** Files of one directory: most of them are never spoken of, and need no path. */
export interface FilesToSearch {
  directory: string
  entries: readonly FileToSearch[]
}

export interface FileToSearch {
  name: string
  size?: number
  /** What a listing has just said it is. Whatever else it may be by then, it is not waited for and no link is followed. */
  kind?: Kind
}

/** For files that are named one by one. */
export function fileToSearch(path: string): FilesToSearch {
  return { directory: dirname(path), entries: [{ name: basename(path) }] }
}
