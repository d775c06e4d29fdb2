/** Edits of one text: several in order on one buffer, all or nothing. Characters outside the edited spans stay as they are. */
import type { EditExplanation } from '../../errors.js'
import { dominantEnding, type EndingPolicy, endingsByLine } from '../lines/line-endings.js'
import { type LineCounting, type LineTable, lineBreaks, lineTable } from '../lines/lines.js'
import { editBuffer } from './edit-buffer.js'
import { type Change, changesOf, mostUnits, type Planned, tooLongResult } from './edit-plan.js'
import { type CountedChange, type LineMoves, lineMoves, lineNow } from './line-moves.js'
import { foldLineEndings } from './match/fold.js'
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

/** Applies the edits one after the other, each to what the one before it left. If one fails, nothing is applied, unless it may be left out. */
export function applyEdits(text: string, edits: readonly Edit[], options: EditOptions = {}): EditOutcome {
  const steps = applyInSteps(text, edits, options)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The same, yielding after each edit, where the caller may pause. */
export function* applyInSteps(
  text: string,
  edits: readonly Edit[],
  options: EditOptions = {},
): Generator<undefined, EditOutcome> {
  if (!options.endingsByLine || !text.includes('\r')) return yield* applyInOrder(text, edits, options)
  const outcome = yield* applyInOrder(foldLineEndings(text).text, edits, options)
  return outcome.ended === 'applied' ? { ...outcome, text: endingsByLine(text, outcome.text) } : outcome
}

function* applyInOrder(text: string, edits: readonly Edit[], options: EditOptions): Generator<undefined, EditOutcome> {
  const applied: AppliedEdit[] = []
  const moves: LineMoves[] = []
  const { counting } = options
  const isOriginal = options.lineNumbers === 'original'
  const originalLines = once(() => lineTable(text, counting).count)
  const usualEnding = once(() => dominantEnding(text, counting))
  const buffer = editBuffer(text)
  for (const [index, edit] of edits.entries()) {
    const numbered = fromStart(edit, isOriginal ? originalLines : () => buffer.linesOf(counting).count)
    const current = isOriginal ? renumber(numbered, moves) : numbered
    const earlierVersions = [...(index > 0 ? [text] : []), ...(options.earlierVersions ?? [])]
    const planned: Planned | EditFailure = current
      ? changesOf(buffer, current, { ...options, earlierVersions, usualEnding })
      : { code: 'INVALID_EDIT', reason: 'overlaps-earlier-edit' }
    if ('code' in planned) {
      if (options.failures !== 'skip') return { ended: 'refused', edit: index, failure: planned }
      applied.push({ places: [], failure: planned })
      yield
      continue
    }

    if (lengthAfter(buffer.text, planned.changes) > mostUnits) {
      return { ended: 'refused', edit: index, failure: tooLongResult }
    }
    const changes = planned.changes.map((change) => ({ ...change, delta: lineDelta(change, buffer.text, counting) }))
    const oldLines = buffer.linesOf(counting)
    const before = changes.map(({ start, end }) => rangeOf(oldLines, start, end))
    if (isOriginal) moves.push(lineMoves(changes, oldLines, current))
    buffer.replace(changes)
    applied.push(describe({ ...planned, changes }, before, buffer.linesOf(counting)))
    yield
  }
  return { ended: 'applied', text: buffer.text, edits: applied }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function lengthAfter(text: string, changes: readonly Change[]): number {
  return changes.reduce(
    (length, { start, end, replacement }) => length + replacement.length - (end - start),
    text.length,
  )
}

function describe(
  { rule, changes }: Omit<Planned, 'changes'> & { changes: readonly CountedChange[] },
  before: readonly TextRange[],
  lines: LineTable,
): AppliedEdit {
  let shift = 0
  const places = changes.map(({ start, end, replacement, delta }, index) => {
    const newStart = start + shift
    shift += replacement.length - (end - start)
    return {
      before: before[index] as TextRange,
      after: rangeOf(lines, newStart, newStart + replacement.length),
      lineDelta: delta,
    }
  })
  return rule === undefined ? { places } : { rule, places }
}

function rangeOf(table: LineTable, start: number, end: number): TextRange {
  return { start, end, line: table.lineAt(start), endLine: table.lineAt(Math.max(start, end - 1)) }
}

function lineDelta({ start, end, replacement }: Change, text: string, counting?: LineCounting): number {
  const breaks = (part: string) => part.match(lineBreaks(counting?.breaks))?.length ?? 0
  return breaks(replacement) - breaks(text.slice(start, end))
}

/** The edit with line numbers that count from the start; one before the first line stays as it is. */
function fromStart(edit: Edit, lineCount: () => number): Edit {
  const positive = (line: number) => {
    const counted = line < 0 ? lineCount() + 1 + line : line
    return counted < 1 ? line : counted
  }
  if (edit.kind === 'insert') return edit.before === 'end' ? edit : { ...edit, before: positive(edit.before) }
  if (edit.kind === 'lines') return { ...edit, first: positive(edit.first), last: positive(edit.last) }
  if (!edit.within) return edit
  return { ...edit, within: { first: positive(edit.within.first), last: positive(edit.within.last) } }
}

/**
 * The edit with line numbers of the original turned into those of now; absent when its lines are not what they were. Lines to look at
 * take in what became of them.
 */
function renumber(edit: Edit, moves: readonly LineMoves[]): Edit | undefined {
  if (edit.kind === 'insert') {
    if (edit.before === 'end') return edit
    const before = lineNow(edit.before, moves)
    return before === undefined ? undefined : { ...edit, before }
  }
  if (edit.kind === 'lines') {
    const [first, last] = [lineNow(edit.first, moves), lineNow(edit.last, moves)]
    if (first === undefined || last === undefined) return undefined
    // What an earlier edit put between them was not meant to go.
    return last - first === edit.last - edit.first ? { ...edit, first, last } : undefined
  }
  if (!edit.within) return edit
  const first = lineNow(edit.within.first, moves, ({ touched }) => touched)
  const last = lineNow(edit.within.last, moves, ({ from, delta }) => from - 1 + delta)
  return { ...edit, within: { first, last } }
}
