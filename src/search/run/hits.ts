/** What a search of a file's bytes takes and yields. */
import type { Line } from '../bytes/byte-lines.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import type { Matcher } from '../patterns/matcher.js'

export interface LineHit extends Line {
  /** Its number, if the search counted lines. */
  line: number | undefined
  /** The decoded line, if it had to be decoded for matching. */
  text: string | undefined
  /** Start and length of the first match: in bytes if `text` is undefined, else in UTF-16 units. */
  column: number
  length: number
  count: number
}

export interface LineSearch {
  matcher: Matcher
  /** Count all matches of a line, not only the first. */
  occurrences: boolean
  maxLineUnits: number
  findBytes?: FindBytes | undefined
  /** Called now and then; true ends the search. */
  stop?: (() => boolean) | undefined
  onTooExpensive(): void
  onCut(): void
}

/** The result of one candidate, and where the next one is; -1 for none. */
export interface CandidateResult {
  hit?: LineHit | undefined | 'stopped'
  next: number
}
