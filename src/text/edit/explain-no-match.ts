/** Explains why a text was not found, and what the file has instead. */
import type { EditExplanation, EditFailureCause } from '../../errors.js'
import { diffLines, type LineDiff } from '../diff/diff-lines.js'
import { type LineTable, lazyLineTable, lineTable } from '../lines/lines.js'
import { blockLines, indentOf, isBlank } from './match/blocks.js'
import { foldLineEndings, type Span } from './match/fold.js'
import { regardlessOfWhitespace } from './match/ignoring-whitespace.js'
import { occurrences, occurrencesAnyEnding } from './match/literal.js'
import { findMatches, type MatchRule } from './match/rules.js'
import { nearestLine } from './nearest-line.js'
import { lineDistance, maxCells, mostSimilar, near, type Similar, similarity } from './similar.js'

export interface FailedEdit {
  find: string
  replace?: string
}

/** The first cause that explains the failure, most specific first; `suggestion` is text of the file that would have matched. */
export function explainNoMatch(
  text: string,
  edit: FailedEdit,
  { earlierVersions = [] }: { earlierVersions?: readonly string[] } = {},
): EditExplanation {
  // Finding similar text takes time for every line, and would not help with a text this long.
  if (edit.find.length > longestExplained) return { cause: 'absent' }
  const lines = lazyLineTable(text)
  const applied = placesOfReplacement(text, edit)
  for (const { cause, search } of attempts) {
    const places = search({ text, lines }, edit.find)
    if (places.length === 0) continue
    if (places.every((place) => applied.some((other) => other.start <= place.start && place.end <= other.end))) {
      return { cause: 'already-applied', lines: numbersOf(applied, lines) }
    }
    const { start, end } = places[0]!
    const found = text.slice(start, end)
    const suggestion = found + endingAfter(text, end, { found, find: edit.find })
    return { cause: cause(edit.find, found), suggestion, lines: numbersOf(places, lines) }
  }

  const numbered = withoutLineNumbers(edit.find).find(({ certain }) => certain)
  const similar = mostSimilarOf(text, numbered?.text ?? edit.find, lines)
  const nearestOf = (nearest: Similar | undefined) =>
    describeNearest(nearest, { text, lines }, edit.find, numbered !== undefined)
  const earlier = earlierVersions.find((version) => occurrencesAnyEnding(version, edit.find).length > 0)
  if (isApplied(edit, { applied, similar, earlier, lines })) {
    return { cause: 'already-applied', lines: numbersOf(applied, lines) }
  }
  if (earlier !== undefined && numbered === undefined) {
    return { cause: 'matches-earlier-version', ...nearestOf(currentLines(earlier, text, edit.find)), earlier }
  }
  if (numbered) return { cause: 'line-number-prefixes', ...nearestOf(similar) }
  return { cause: similar && similar.similarity >= alike ? 'similar-text' : 'absent', ...nearestOf(similar) }
}

const longestExplained = 200_000

function mostSimilarOf(text: string, find: string, lines: () => LineTable): Similar | undefined {
  const isLine = blockLines(find).length === 1
  return (isLine ? nearestLine(text, find, lines()) : undefined) ?? mostSimilar(text, find, lines)
}

/** The similarity from which the nearest text is reported, and from which it is called similar. Only what is `near` is suggested. */
const reportable = 0.4
const alike = 0.6

function describeNearest(
  similar: Similar | undefined,
  { text, lines }: File,
  find: string,
  isNumbered: boolean,
): Pick<EditExplanation, 'nearest' | 'suggestion'> {
  if (similar === undefined || similar.similarity < reportable) return {}
  const { isWhole: _, ...nearest } = similar
  const found = isNumbered ? wholeLines(similar) : nearPart(similar, find)
  if (found === undefined) return { nearest }
  return { nearest, suggestion: found + endingAfter(text, lines().contentEnd(nearest.endLine), { found, find }) }
}

/** Lines that were sent with numbers are whole lines. */
function wholeLines({ text, similarity }: Similar): string | undefined {
  return similarity < near ? undefined : text
}

/** What was meant by the search text; undefined where that is not sure. Never a part of a line for a line. */
function nearPart(similar: Similar, find: string): string | undefined {
  const isLine = blockLines(find).length === 1
  if (isLine && !similar.isWhole) return undefined
  const found = samePart(similar, find)
  return isLine || (found !== undefined && similarity(find, found) >= near) ? found : undefined
}

/** The line ending after the found text, if the search text ends with one. */
function endingAfter(text: string, end: number, { found, find }: { found: string; find: string }): string {
  if (!/[\r\n]$/.test(find) || /[\r\n]$/.test(found)) return ''
  return /^(?:\r\n|\n|\r)/.exec(text.slice(end, end + 2))?.[0] ?? ''
}

/** The found text, reduced to the same part of its first and last line as the search text, so that the replacement fits; undefined where it is not clear which part that is. */
function samePart({ text, isWhole }: Similar, find: string): string | undefined {
  const first = /^[^\r\n]*/.exec(find)![0]
  const last = blockLines(find).at(-1) ?? ''
  const startsLine = /^\s/.test(first) || first === ''
  if (isWhole) return startsLine ? text.trimEnd() : text.trim()
  const firstEnd = /[\r\n]/.exec(text)?.index ?? text.length
  const lastStart = /[^\r\n]*$/.exec(text)!.index
  const start = startOf(text.slice(0, firstEnd), first, startsLine)
  const end = endOf(text.slice(lastStart), last)
  return start === undefined || end === undefined || start >= lastStart + end
    ? undefined
    : text.slice(start, lastStart + end)
}

/** Where in the line that stands there the text begins: `first` may be its end. */
function startOf(line: string, first: string, startsLine: boolean): number | undefined {
  if (first.trim() !== '' && line.endsWith(first)) return line.length - first.length
  if (!isNear(line, first)) return undefined
  return startsLine ? 0 : indentOf(line).length
}

/** Where in the line that stands there the text ends: `last` may be its beginning. */
function endOf(line: string, last: string): number | undefined {
  if (last.trim() !== '' && line.startsWith(last)) return last.length
  return isNear(line, last) ? line.length : undefined
}

function isNear(line: string, sent: string): boolean {
  const [one, other] = [line.trim(), sent.trim()]
  return lineDistance(one, other, { cells: maxCells }) <= (1 - alike) * Math.max(one.length, other.length)
}

interface Evidence {
  applied: readonly Span[]
  similar: Similar | undefined
  earlier: string | undefined
  lines: () => LineTable
}

/** Whether the edit was made already. The new text may occur for other reasons: it has to occur more often than before, or be the most similar text. */
function isApplied({ find, replace = '' }: FailedEdit, { applied, similar, earlier, lines }: Evidence): boolean {
  if (applied.length === 0) return false
  if (earlier !== undefined) return applied.length > occurrencesAnyEnding(earlier, replace).length
  if (similar === undefined || similar.similarity < alike) return true
  const isThere = applied.some(
    ({ start, end }) => lines().lineAt(start) <= similar.endLine && similar.line <= lines().lineAt(end - 1),
  )
  return isThere || similarity(find, replace) >= similar.similarity
}

/** The current lines in place of those that had `find` in an earlier version; undefined if they were removed. */
function currentLines(earlier: string, text: string, find: string): Similar | undefined {
  const counting = { breaks: 'line-feed' } as const
  const [then, now] = [lineTable(earlier, counting), lineTable(text, counting)]
  const [{ start, end }] = occurrencesAnyEnding(earlier, find) as [Span]
  const [first, stop] = linesAfter(diffLines(earlier, text), then.lineAt(start) - 1, then.lineAt(end - 1))
  if (first >= stop) return undefined
  const there = text.slice(now.start(first + 1), now.contentEnd(stop))
  const lines = lineTable(text)
  const [line, endLine] = [lines.lineAt(now.start(first + 1)), lines.lineAt(now.contentEnd(stop))]
  return { line, endLine, text: there, similarity: similarity(find, there) }
}

/** Converts lines `[first, end)` of the old text to lines of the new one. */
function linesAfter({ skipped, changes }: LineDiff, first: number, end: number): [first: number, end: number] {
  let now: [number, number] = [first, end]
  for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
    const [from, to] = [oldStart + skipped, oldEnd + skipped]
    if (to <= first) now = [first + newEnd - oldEnd, end + newEnd - oldEnd]
    else if (from < end) now = [from <= first ? newStart + skipped : now[0], newEnd + skipped + Math.max(0, end - to)]
  }
  return now
}

interface Attempt {
  cause: (find: string, found: string) => EditFailureCause
  search: (file: File, find: string) => Span[]
}

interface File {
  text: string
  lines: () => LineTable
}

const attempts: readonly Attempt[] = [
  { cause: () => 'other-lines', search: ({ text }, find) => occurrences(text, find) },
  {
    cause: () => 'byte-order-mark',
    search: (file, find) => (find.includes('\ufeff') ? tolerantly(file, find.replaceAll('\ufeff', '')) : []),
  },
  { cause: () => 'line-endings', search: ({ text }, find) => occurrencesAnyEnding(text, find) },
  {
    cause: (find, found) => (find.includes('\t') === found.includes('\t') ? 'whitespace' : 'tabs-and-spaces'),
    search: (file, find) => orElse(places(file, find, whitespaceRules), () => regardlessOfWhitespace(file.text, find)),
  },
  {
    cause: () => 'line-number-prefixes',
    search: (file, find) =>
      firstFound(
        file,
        withoutLineNumbers(find).map((variant) => variant.text),
      ),
  },
  { cause: () => 'escaped-text', search: (file, find) => firstFound(file, unescapedVariants(find)) },
  { cause: () => 'look-alike-characters', search: (file, find) => places(file, find, ['look-alikes']) },
  {
    cause: () => 'letter-case',
    search: ({ text }, find) => occurrencesAnyEnding(text, find, { caseInsensitive: true }),
  },
]

const whitespaceRules = ['indentation', 'trimmed-lines', 'collapsed-whitespace', 'trimmed-substring'] as const

function places({ text, lines }: File, find: string, rules: readonly MatchRule[]): Span[] {
  return findMatches(text, find, { rules, lines })?.matches ?? []
}

function tolerantly(file: File, find: string): Span[] {
  return places(file, find, ['exact', 'line-endings', ...whitespaceRules])
}

function firstFound(file: File, variants: readonly string[]): Span[] {
  for (const variant of variants) {
    const found = isBlank(variant) ? [] : tolerantly(file, variant)
    if (found.length > 0) return found
  }
  return []
}

function orElse(found: Span[], next: () => Span[]): Span[] {
  return found.length > 0 ? found : next()
}

/** Line numbers as tools print them: `     1⇥`, `1→`, `1 | `, `12: `, and `12:` or `12-` in search results. For an empty line only the number may be left. */
const linePrefixes = [/^\s*\d+\t/, /^\s*\d+→/, /^\s*\d+ ?\| ?/, /^\s*(?:>\s*)?\d+: /, /^\s*\d+[:-]/]
const bareNumber = /^\s*\d+$/

/** `certain`: the numbers are consecutive, so that they must be line numbers. A text that begins within a line may have none there. */
function withoutLineNumbers(find: string): { text: string; certain: boolean }[] {
  const [first = '', ...rest] = foldLineEndings(find).text.split('\n')
  return [[first, ...rest], rest].flatMap((numbered) =>
    linePrefixes.flatMap((prefix) => {
      const written = numbered.filter((line) => !isBlank(line))
      if (!written.some((line) => prefix.test(line))) return []
      if (!written.every((line) => prefix.test(line) || bareNumber.test(line))) return []
      const numbers = written.map((line) => Number(/\d+/.exec(line)?.[0]))
      const certain =
        numbers.length > 1 && numbers.every((number, index) => index === 0 || number === numbers[index - 1]! + 1)
      const bare = numbered.map((line) => line.replace(prefix.test(line) ? prefix : bareNumber, ''))
      return [{ text: (numbered === rest ? [first, ...bare] : bare).join('\n'), certain }]
    }),
  )
}

/** The text with escapes replaced by characters, and with characters replaced by escapes. */
function unescapedVariants(find: string): string[] {
  const variants = [
    find.replace(/\\([nrt"'`\\/$])/g, (_, name: string) => ({ n: '\n', r: '\r', t: '\t' })[name] ?? name),
    find.replace(/\\(["'`$])/g, '$1'),
    find.replace(/\\([^\p{L}\p{N}\s])/gu, '$1'),
    find.replace(/&(lt|gt|amp|quot|apos|#39);/g, (_, name: string) => entities[name] ?? ''),
    find
      .replaceAll('\\', '\\\\')
      .replace(/["\n\t]/g, (character) => ({ '\n': '\\n', '\t': '\\t' })[character] ?? '\\"'),
    find.replace(/[\n\t]/g, (character) => (character === '\n' ? '\\n' : '\\t')),
    find.replaceAll('"', '\\"'),
  ]
  return [...new Set(variants)].filter((variant) => variant !== find)
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", '#39': "'" }

/** Places of the new text, unless it is too short or part of the search text: then it does not show that the edit was made. */
function placesOfReplacement(text: string, { find, replace = '' }: FailedEdit): Span[] {
  if (replace.trim().length < 4 || find.includes(replace)) return []
  return occurrencesAnyEnding(text, replace)
}

function numbersOf(spans: readonly Span[], lines: () => LineTable): number[] {
  return spans.map(({ start }) => lines().lineAt(start))
}
