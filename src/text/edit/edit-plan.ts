/** The changes of one edit: spans in order, without overlaps, and their replacements. */

import type { EditExplanation } from '../../errors.js'
import { type EndingPolicy, endingsOf, fitEndings, type LineEnding } from '../lines/line-endings.js'
import type { LineTable } from '../lines/lines.js'
import type { EditBuffer } from './edit-buffer.js'
import type {
  Edit,
  EditCount,
  EditFailure,
  EditOptions,
  InsertEdit,
  LinesEdit,
  LiteralEdit,
  RegexEdit,
} from './edit-types.js'
import { explainNoMatch } from './explain-no-match.js'
import { foldLineEndings, type Span } from './match/fold.js'
import { mostPlaces, occurrencesAnyEnding } from './match/literal.js'
import { expand, missingGroup, type RegexMatch, type RegexSearch } from './match/regex.js'
import { reindent } from './match/reindent.js'
import { findMatches, isStrict, type Match, type MatchRule } from './match/rules.js'
import { near, similarity } from './similar.js'

export interface Change extends Span {
  replacement: string
}

export interface PlanOptions extends EditOptions {
  /** The most frequent ending before the first edit. */
  usualEnding?: () => LineEnding | undefined
}

export interface Planned {
  rule?: MatchRule | 'regex' | 'lines'
  changes: readonly Change[]
}

/** The places of an edit and their replacements, or why it fails. */
export function changesOf(buffer: EditBuffer, edit: Edit, options: PlanOptions): Planned | EditFailure {
  switch (edit.kind) {
    case 'literal':
      return literal(buffer, edit, options)
    case 'regex':
      return regex(buffer, edit, options)
    case 'lines':
      return lines(buffer, edit, options)
    case 'insert':
      return insert(buffer, edit, options)
  }
}

function literal(buffer: EditBuffer, edit: LiteralEdit, options: PlanOptions): Planned | EditFailure {
  const { find, replace, count = 'only', caseInsensitive = false, perLine = false } = edit
  const region = regionOf(buffer, edit, options)
  if (find === '') {
    if (!edit.optional) return { code: 'INVALID_EDIT', reason: 'empty-search' }
    return 'code' in region ? region : { changes: [] }
  }
  if (!find.isWellFormed() || !replace.isWellFormed()) return { code: 'INVALID_EDIT', reason: 'malformed-text' }
  if (find === replace && options.identical !== 'allow') return { code: 'NO_CHANGE' }
  if ('code' in region) return region

  const rules = (options.rules ?? ['exact', 'line-endings']).filter(
    (rule) => isStrict(rule) || (count === 'only' && !caseInsensitive && !perLine),
  )
  const found =
    perLine && hasBreak(find, options)
      ? undefined
      : findMatches(buffer, find, {
          rules,
          caseInsensitive,
          accept: (span) => isInside(span, region),
          lines: buffer.linesOf,
        })
  if (!found) {
    if (edit.optional) return { changes: [] }
    const { earlierVersions = [] } = options
    return { code: 'NO_MATCH', explanation: explainNoMatch(buffer.text, { find, replace }, { earlierVersions }) }
  }
  const { rule, matches } = found
  if (matches.length > mostPlaces) return tooManyPlaces
  if (count === 'only' && matches.length > 1) {
    const table = buffer.linesOf(options.counting)
    const at = matches.map(({ start }) => table.lineAt(start))
    return { code: 'AMBIGUOUS_MATCH', rule, count: matches.length, lines: at }
  }
  // If the search text has CR endings and the file too, those of the replacement are taken as sent.
  const policy = rule === 'exact' && find.includes('\r') ? 'verbatim' : policyOf(edit, options)
  const placed = placer(buffer, policy, options)
  return {
    rule,
    changes: chosen(matches, count).map((match) => replaceMatch(buffer, edit, match, rule, options, placed)),
  }
}

function policyOf(edit: LiteralEdit | RegexEdit, options: PlanOptions): EndingPolicy {
  return edit.endings ?? options.endings ?? 'neighbour'
}

type Placer = (span: Span, replacement: string, policy?: EndingPolicy) => Change

/** Makes changes with line endings that fit the place. */
function placer(buffer: EditBuffer, usual: EndingPolicy, { counting, usualEnding }: PlanOptions): Placer {
  const { slice } = buffer
  const endings = endingsOf(buffer, counting, usualEnding)
  return ({ start, end }, replacement, policy = usual) => {
    return { start, end, replacement: fitEndings(replacement, { slice, start, end, policy, endings, counting }) }
  }
}

function replaceMatch(
  text: EditBuffer,
  { find, replace }: LiteralEdit,
  match: Match,
  rule: MatchRule,
  options: PlanOptions,
  placed: Placer,
): Change {
  const { reindent: policy = 'steps' } = options
  if (match.first !== undefined && match.last !== undefined) {
    const { start, end } = match
    const terminated = { start, end: end + (/^(?:\r\n|\n|\r)/.exec(text.slice(end, end + 2))?.[0].length ?? 0) }
    const wholeLines = /[\r\n]$/.test(find)
    if (policy === 'none') return placed(wholeLines ? terminated : match, replace)
    if (replace === '' && wholeLines) return { ...terminated, replacement: '' }
    const matched = text.slice(start, end).split(/\r\n|\n|\r/)
    const fresh = reindent(replace, { lines: matched, find, policy, sample: text.slice(0, sampleLength) })
    return placed(match, fresh, policyFor(options))
  }
  if (rule === 'trimmed-substring' && policy !== 'none') return placed(match, trimAlike(replace, find))
  return placed(match, replace)
}

/** Enough of a file to detect its indentation. */
const sampleLength = 100_000

/** The new text without the surrounding white space that the search text has and the file has not. */
function trimAlike(replace: string, find: string): string {
  const before = find.slice(0, find.length - find.trimStart().length)
  const after = find.slice(find.trimEnd().length)
  const start = replace.startsWith(before) ? before.length : 0
  const rest = replace.slice(start)
  return after !== '' && rest.endsWith(after) ? rest.slice(0, -after.length) : rest
}

function regex(buffer: EditBuffer, edit: RegexEdit, options: PlanOptions): Planned | EditFailure {
  const { replace, tokens, count = { first: 1 } } = edit
  if (!replace.isWellFormed()) return { code: 'INVALID_EDIT', reason: 'malformed-text' }
  const table = buffer.linesOf(options.counting)
  const region = regionOf(buffer, edit, options)
  if ('code' in region) return region

  const found = edit.perLine ? matchLines(buffer, edit.find, table) : matchText(buffer, edit)
  const changes: Change[] = []
  const spelt = tokens === 'sed' && replace.includes('\\r')
  const placed = placer(buffer, spelt ? 'verbatim' : policyOf(edit, options), options)
  const wanted = typeof count === 'object' ? count.first : Infinity
  let units = 0
  const elsewhere: number[] = []
  for (const { match, span, context, raw } of found) {
    if (changes.length >= wanted) break
    if (!isInside(span, region)) {
      if (elsewhere.length < mostElsewhere) elsewhere.push(table.lineAt(span.start))
      continue
    }
    if (span.start === span.end && isAfterLastLine(buffer, span.start, options)) continue
    const missing = missingGroup(replace, tokens, match.groups.length - 1)
    if (missing) return { code: 'INVALID_EDIT', reason: 'missing-group', group: missing }
    if (splitsPair(buffer, span.start) || splitsPair(buffer, span.end)) {
      return { code: 'INVALID_EDIT', reason: 'splits-character' }
    }
    const change = placed(span, expand(replace, match, context, tokens), raw ? 'verbatim' : undefined)
    units += change.replacement.length
    if (units > mostUnits) return tooLongResult
    if (changes.push(change) > mostPlaces) return tooManyPlaces
  }
  if (changes.length === 0 && !edit.optional) {
    const explanation = elsewhere.length > 0 ? { cause: 'other-lines', lines: elsewhere } : { cause: 'absent' }
    return { code: 'NO_MATCH', explanation } as EditFailure
  }
  if (count === 'only' && changes.length > 1) {
    const at = changes.map(({ start }) => table.lineAt(start))
    return { code: 'AMBIGUOUS_MATCH', rule: 'exact', count: changes.length, lines: at }
  }
  return changes.length === 0 ? { changes } : { rule: 'regex', changes }
}

/** Lines outside the range to search, up to a limit. */
const mostElsewhere = 100

const tooManyPlaces: EditFailure = { code: 'INVALID_EDIT', reason: 'too-many-places' }

/** Longer results are refused: a replacement that repeats its surroundings could exceed the memory. */
export const mostUnits = 1 << 26
export const tooLongResult: EditFailure = { code: 'INVALID_EDIT', reason: 'too-long-result' }

interface RegexPlace {
  match: RegexMatch
  /** Offsets in the raw text. */
  span: Span
  /** The text that was searched. */
  context: string
  /** The raw text was searched, because the pattern needs its endings. */
  raw?: boolean
}

function* matchText(buffer: EditBuffer, edit: RegexEdit): Generator<RegexPlace> {
  let any = false
  for (const place of matchNeedleLines(buffer, edit) ?? []) {
    yield place
    any = true
  }
  if (any) return
  const { find } = edit
  const { text } = buffer
  const folded = foldLineEndings(text)
  for (const match of find(folded.text)) {
    const span = folded.raw(match)
    if (span) yield { match, span, context: folded.text }
    any = true
  }
  if (any || folded.text === text) return
  for (const match of find(text))
    yield { match, span: { start: match.start, end: match.end }, context: text, raw: true }
}

/** More lines are slower to search one by one than the whole text. */
const mostNeedleLines = 2000

/** The matches of a pattern that needs no more than single lines, in those that can have one; undefined if all of the text must be searched. */
function matchNeedleLines(buffer: EditBuffer, { find, replace }: RegexEdit): Iterable<RegexPlace> | undefined {
  // The text before and after a match, in replacements of ECMAScript.
  if (find.inLines === undefined || /\$[`']/.test(replace)) return undefined
  const table = buffer.linesOf()
  const lines = new Set<number>()
  for (const needle of find.inLines) {
    for (const start of buffer.startsOf(needle, needle.length)) {
      if (lines.add(table.lineAt(start)).size > mostNeedleLines) return undefined
    }
  }
  const inOrder = [...lines].sort((a, b) => a - b)
  return matchLines(buffer, find, table, inOrder)
}

function* matchLines(
  text: EditBuffer,
  find: RegexSearch,
  table: LineTable,
  lines: Iterable<number> = numbersTo(table.count),
): Generator<RegexPlace> {
  for (const line of lines) {
    const start = table.start(line)
    const context = text.slice(start, table.contentEnd(line))
    for (const match of find(context))
      yield { match, span: { start: start + match.start, end: start + match.end }, context }
  }
}

function* numbersTo(last: number): Generator<number> {
  for (let number = 1; number <= last; number += 1) yield number
}

/** The position after a final line ending is not a line, although `^` and `$` match there. */
function isAfterLastLine(text: EditBuffer, offset: number, { counting }: EditOptions): boolean {
  return offset === text.length && counting?.finalEmptyLine !== true && /[\r\n]$/.test(text.slice(offset - 1, offset))
}

function splitsPair(text: EditBuffer, offset: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, offset - 1), offset + 1))
}

function lines(buffer: EditBuffer, edit: LinesEdit, options: PlanOptions): Planned | EditFailure {
  const { first, last, expected } = edit
  const table = buffer.linesOf(options.counting)
  const fault = faultOf(edit.lines, options)
  if (fault) return fault
  if (first < 1 || first > table.count) return { code: 'LINE_OUT_OF_RANGE', line: first, lineCount: table.count }
  if (last < first || last > table.count) return { code: 'LINE_OUT_OF_RANGE', line: last, lineCount: table.count }

  const whole = { start: table.start(first), end: table.contentEnd(last) }
  if (expected) {
    const sent = (line: string) => (options.counting?.breaks === 'bare-line-feed' ? line : line.replace(/\r$/, ''))
    const comparable = (line: string) => (expected.compare === 'trimmed' ? line.trim() : sent(line))
    const actual = Array.from({ length: last - first + 1 }, (_, index) =>
      buffer.slice(table.start(first + index), table.contentEnd(first + index)),
    )
    const same =
      actual.length === expected.lines.length &&
      actual.every((line, index) => comparable(line) === comparable(expected.lines[index]!))
    if (!same) {
      const find = expected.lines.join('\n')
      const elsewhere = occurrencesAnyEnding(buffer, find).map(({ start }) => table.lineAt(start))
      const there = buffer.slice(whole.start, whole.end)
      const { suggestion: _, ...why } =
        elsewhere.length > 0 ? otherLines(elsewhere) : explainNoMatch(buffer.text, { find })
      const nearest = { line: first, endLine: last, text: there, similarity: similarity(find, there) }
      return {
        code: 'NO_MATCH',
        explanation: { ...why, nearest, ...(nearest.similarity >= near && { suggestion: there }) },
      }
    }
  }
  if (edit.lines.length === 0) {
    return { rule: 'lines', changes: [{ ...removal(table, first, last, options), replacement: '' }] }
  }
  return { rule: 'lines', changes: [placer(buffer, policyFor(options), options)(whole, edit.lines.join('\n'))] }
}

/**
 * The span of lines with their endings. At the end of a file without a final line ending it has the ending before instead, unless the line
 * before is empty.
 */
function removal(table: LineTable, first: number, last: number, { counting }: EditOptions): Span {
  const unterminated = table.contentEnd(last) === table.end(last)
  const before = first - 1
  const isKept = counting?.finalEmptyLine !== true && table.start(before) === table.contentEnd(before)
  if (unterminated && before > 0 && !isKept) return { start: table.contentEnd(before), end: table.end(last) }
  return { start: table.start(first), end: table.end(last) }
}

function insert(buffer: EditBuffer, { before: given, lines }: InsertEdit, options: PlanOptions): Planned | EditFailure {
  const table = buffer.linesOf(options.counting)
  const fault = faultOf(lines, options)
  if (fault) return fault
  const before = given === 'end' ? table.count + 1 : given
  if (before < 1 || before > table.count + 1) {
    return { code: 'LINE_OUT_OF_RANGE', line: before, lineCount: table.count }
  }
  if (lines.length === 0) return { rule: 'lines', changes: [] }

  const appended = before > table.count
  const at = appended ? buffer.length : table.start(before)
  const joined = lines.join('\n')
  const unterminated = appended && table.count > 0 && table.contentEnd(table.count) === buffer.length
  // An empty text gets no final line ending, unless the last line is empty.
  const block = unterminated
    ? `\n${joined}`
    : buffer.length === 0 && appended && lines.at(-1) !== ''
      ? joined
      : `${joined}\n`
  // The neighbour is the line before; for a first line the one after it.
  const near = before > 1 ? table.start(before - 1) : 0
  const endings = endingsOf(buffer, options.counting, options.usualEnding)
  const ending = policyFor(options) === 'dominant' ? endings.dominant() : endings.near(near)
  return { rule: 'lines', changes: [{ start: at, end: at, replacement: block.replaceAll('\n', ending ?? '\n') }] }
}

/** Given lines have no endings of their own. */
function policyFor({ endings }: EditOptions): 'neighbour' | 'dominant' {
  return endings === 'dominant' ? 'dominant' : 'neighbour'
}

function faultOf(lines: readonly string[], options: PlanOptions): EditFailure | undefined {
  if (lines.some((line) => !line.isWellFormed())) return { code: 'INVALID_EDIT', reason: 'malformed-text' }
  if (lines.some((line) => hasBreak(line, options))) return { code: 'INVALID_EDIT', reason: 'line-break-in-line' }
  return undefined
}

/** Whether a line has a line break in it. A CR counts unless CR never ends a line. */
function hasBreak(text: string, { counting }: EditOptions): boolean {
  return counting?.breaks === 'bare-line-feed' ? text.includes('\n') : /[\r\n]/.test(text)
}

function regionOf(
  buffer: EditBuffer,
  { within }: LiteralEdit | RegexEdit,
  { counting }: EditOptions,
): Span | EditFailure {
  if (!within) return { start: 0, end: Infinity }
  const table = buffer.linesOf(counting)
  const { first, last } = within
  if (first < 1 || (first > 1 && first > table.count)) {
    return { code: 'LINE_OUT_OF_RANGE', line: first, lineCount: table.count }
  }
  if (last < 1) return { code: 'LINE_OUT_OF_RANGE', line: last, lineCount: table.count }
  return { start: table.start(first), end: last >= table.count ? Infinity : table.end(last) }
}

function isInside({ start, end }: Span, region: Span): boolean {
  return start >= region.start && end <= region.end && start < region.end
}

function chosen(matches: readonly Match[], count: EditCount): readonly Match[] {
  return typeof count === 'object' ? matches.slice(0, count.first) : matches
}

function otherLines(lines: readonly number[]): EditExplanation {
  return { cause: 'other-lines', lines }
}
