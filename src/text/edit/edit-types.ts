/** What an edit is, and what becomes of it. */
import type { EditExplanation } from '../../errors.js'
import type { EndingPolicy } from '../lines/line-endings.js'
import type { LineCounting } from '../lines/lines.js'
import type { RegexSearch, ReplacementTokens } from './match/regex.js'
import type { Reindent } from './match/reindent.js'
import type { MatchRule } from './match/rules.js'

export type Edit = LiteralEdit | RegexEdit | LinesEdit | InsertEdit

/** How many places to change: the only one (more than one is ambiguous), all, or the first few. */
export type EditCount = 'only' | 'all' | { first: number }

interface SearchingEdit {
  /** Default `only` for a literal, `{ first: 1 }` for a regular expression. */
  count?: EditCount
  /** Look only at these lines; past the end is cut off. Negative numbers count from the end. */
  within?: { first: number; last: number }
  /** A match lies within one line. */
  perLine?: boolean
  /** Finding nothing is no failure. */
  optional?: boolean
  /** Instead of what the options say. */
  endings?: EndingPolicy
}

/** Text for text, nothing in either being special. */
export interface LiteralEdit extends SearchingEdit {
  kind: 'literal'
  find: string
  replace: string
  caseInsensitive?: boolean
}

/** `find` sees the text with LF endings, and the raw text only if it finds nothing in that. */
export interface RegexEdit extends SearchingEdit {
  kind: 'regex'
  find: RegexSearch
  replace: string
  tokens: ReplacementTokens
}

/** Whole lines for whole lines; no lines at all remove them. Negative numbers count from the end: -1 is the last line. */
export interface LinesEdit {
  kind: 'lines'
  first: number
  last: number
  lines: readonly string[]
  /** What must stand there now, as it is or with both sides trimmed. */
  expected?: { lines: readonly string[]; compare: 'exact' | 'trimmed' }
}

/** New lines before this line; one past the last line appends, as `end` does. A negative number counts from the end: -1 is the last line. */
export interface InsertEdit {
  kind: 'insert'
  before: number | 'end'
  lines: readonly string[]
}

export interface EditOptions {
  /**
   * Rules for literals, strictest first. All but `exact` and `line-endings` serve only a case-sensitive edit of the only place. Without
   * `line-endings` the lines of a block must end as sent, but for the last. Default: those two.
   */
  rules?: readonly MatchRule[]
  /** Default `steps`. */
  reindent?: Reindent
  /** Default `neighbour`. */
  endings?: EndingPolicy
  /** Edits see LF alone. At last, a line that is not as it was takes the file's most frequent ending, and any other its own; places are told as before that. */
  endingsByLine?: boolean
  /** Line numbers mean the text as each edit finds it (default), or as it was before the first. */
  lineNumbers?: 'current' | 'original'
  counting?: LineCounting
  /** A literal that replaces itself is refused by default. */
  identical?: 'refuse' | 'allow'
  /** An edit that can't be made is the end of all of them (default), or is left out and says why. */
  failures?: 'refuse' | 'skip'
  /** Texts this one had before, newest first, to tell an edit that was meant for one of them. */
  earlierVersions?: readonly string[]
}

/** Why an edit itself makes no sense. */
export type EditFault =
  | 'empty-search'
  | 'malformed-text'
  | 'missing-group'
  | 'line-break-in-line'
  | 'splits-character'
  | 'overlaps-earlier-edit'
  | 'too-many-places'
  | 'too-long-result'

/** What an `FsError` of the same code needs, but for the path and the number of the edit. */
export type EditFailure =
  | { code: 'NO_MATCH'; explanation: EditExplanation }
  | { code: 'AMBIGUOUS_MATCH'; rule: MatchRule; count: number; lines: readonly number[] }
  | { code: 'NO_CHANGE' }
  | { code: 'INVALID_EDIT'; reason: EditFault; group?: { reference: number; count: number } }
  | { code: 'LINE_OUT_OF_RANGE'; line: number; lineCount: number }

/** A stretch of text; lines count from 1 and `endLine` holds the last character. */
export interface TextRange {
  start: number
  end: number
  line: number
  endLine: number
}

/** One changed place: in the text as the edit found it, and as it left it. */
export interface EditPlace {
  before: TextRange
  after: TextRange
  /** Lines more (or less) than before. */
  lineDelta: number
}

export interface AppliedEdit {
  /** How the place was found; absent when an optional edit found nothing. */
  rule?: MatchRule | 'regex' | 'lines'
  places: readonly EditPlace[]
  /** Why it was left out. */
  failure?: EditFailure
}

export type EditOutcome =
  | { ended: 'applied'; text: string; edits: readonly AppliedEdit[] }
  /** `edit` counts from 0. */
  | { ended: 'refused'; edit: number; failure: EditFailure }
