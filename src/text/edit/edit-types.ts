/** Edits, their options and their results. */
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
  /** Search only in these lines; lines past the end are ignored. Negative numbers count from the end. */
  within?: { first: number; last: number }
  /** A match may not span lines. */
  perLine?: boolean
  /** Not failing if nothing is found. */
  optional?: boolean
  /** Overrides the options. */
  endings?: EndingPolicy
}

/** Replaces text literally: neither text has special characters. */
export interface LiteralEdit extends SearchingEdit {
  kind: 'literal'
  find: string
  replace: string
  caseInsensitive?: boolean
}

/** `find` searches the text with LF endings, and the raw text only if it finds nothing there. */
export interface RegexEdit extends SearchingEdit {
  kind: 'regex'
  find: RegexSearch
  replace: string
  tokens: ReplacementTokens
}

/** Replaces whole lines, or removes them if `lines` is empty. Negative numbers count from the end: -1 is the last line. */
export interface LinesEdit {
  kind: 'lines'
  first: number
  last: number
  lines: readonly string[]
  /** The lines that must be there now, compared exactly or with both sides trimmed. */
  expected?: { lines: readonly string[]; compare: 'exact' | 'trimmed' }
}

/** Inserts lines before this line. One past the last line appends, as `end` does. A negative number counts from the end: -1 is the last line. */
export interface InsertEdit {
  kind: 'insert'
  before: number | 'end'
  lines: readonly string[]
}

export interface EditOptions {
  /**
   * Rules for literals, strictest first; `exact` and `line-endings` unless given. All others apply only to case-sensitive edits of the only
   * place. Without `line-endings`, the lines of a block must have the endings that were sent, except the last.
   */
  rules?: readonly MatchRule[]
  /** Default `steps`. */
  reindent?: Reindent
  /** Default `neighbour`. */
  endings?: EndingPolicy
  /** Edits see LF endings only. Then changed lines get the file's most frequent ending, and others their own; reported places refer to the text with LF. */
  endingsByLine?: boolean
  /** Whether line numbers refer to the text as left by the edit before (default), or to the original text. */
  lineNumbers?: 'current' | 'original'
  counting?: LineCounting
  /** Whether a literal may replace itself; refused by default. */
  identical?: 'refuse' | 'allow'
  /** Whether an edit that fails makes all fail (default), or is skipped and reports why. */
  failures?: 'refuse' | 'skip'
  /** Earlier versions of the text, newest first, to recognise an edit that was meant for one of them. */
  earlierVersions?: readonly string[]
}

/** Why an edit is invalid. */
export type EditFault =
  | 'empty-search'
  | 'malformed-text'
  | 'missing-group'
  | 'line-break-in-line'
  | 'splits-character'
  | 'overlaps-earlier-edit'
  | 'too-many-places'
  | 'too-long-result'

/** The facts of an `FsError` of the same code, except the path and the number of the edit. */
export type EditFailure =
  | { code: 'NO_MATCH'; explanation: EditExplanation }
  | { code: 'AMBIGUOUS_MATCH'; rule: MatchRule; count: number; lines: readonly number[] }
  | { code: 'NO_CHANGE' }
  | { code: 'INVALID_EDIT'; reason: EditFault; group?: { reference: number; count: number } }
  | { code: 'LINE_OUT_OF_RANGE'; line: number; lineCount: number }

/** A range of text. Lines count from 1; `endLine` contains the last character. */
export interface TextRange {
  start: number
  end: number
  line: number
  endLine: number
}

/** One changed place: its range before and after the edit. */
export interface EditPlace {
  before: TextRange
  after: TextRange
  /** How many lines more, or fewer if negative. */
  lineDelta: number
}

export interface AppliedEdit {
  /** How the place was found; absent when an optional edit found nothing. */
  rule?: MatchRule | 'regex' | 'lines'
  places: readonly EditPlace[]
  /** Why it was skipped. */
  failure?: EditFailure
}

export type EditOutcome =
  | { ended: 'applied'; text: string; edits: readonly AppliedEdit[] }
  /** `edit` counts from 0. */
  | { ended: 'refused'; edit: number; failure: EditFailure }
