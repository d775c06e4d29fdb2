/** Matches of one file as the searches of its bytes report them. */
import type { Line } from '../bytes/byte-lines.js'
import type { FindBytes } from '../bytes/find-bytes.js'
import type { Matcher } from '../patterns/matcher.js'

export interface LineHit extends Line {
  /** Its number, where that is known already. */
  line: number | undefined
  /** The line as matched, where that took decoding. */
  text: string | undefined
  /** Where the first match starts and how long it is: in bytes where `text` is absent, else in UTF-16 units. */
  column: number
  length: number
  count: number
}

export interface LineSearch {
  matcher: Matcher
  /** Count all matches of a line. */
  occurrences: boolean
  maxLineUnits: number
  findBytes?: FindBytes | undefined
  /** Asked now and then; true ends the search. */
  stop?: (() => boolean) | undefined
  onTooExpensive(): void
  onCut(): void
}

/** What came of a place that is worth a look, and the next such place. */
export interface Tried {
  hit?: LineHit | undefined | 'stopped'
  next: number
}
