import { type EditedText, plainText } from '../edited-text.js'
import { foldLineEndings, type Span } from './fold.js'

/** Edits refuse more places: each takes time and memory, and millions would exhaust both. */
export const mostPlaces = 200_000

/** The places of `find`, in order and without overlaps; at most one more than `mostPlaces`. */
export function occurrences(text: string, find: string, { caseInsensitive = false } = {}): Span[] {
  if (caseInsensitive) return occurrences(foldCase(text), foldCase(find))
  const spans: Span[] = []
  if (find === '') return spans
  for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + find.length)) {
    if (spans.push({ start: at, end: at + find.length }) > mostPlaces) break
  }
  return spans
}

/**
 * Upper case of the same length: a letter that would become several stays, and so does one beyond ASCII that would become ASCII, as in
 * regular expressions. Those can't be used, as their length is limited.
 */
function foldCase(text: string): string {
  const upper = text.toUpperCase()
  if (upper.length === text.length && !/[\u0131\u017f]/.test(text)) return upper
  return text.replace(/[a-z]+|[^\0-\x7f]/gu, (part) => {
    const folded = part.toUpperCase()
    return folded.length === part.length && !/[\u0131\u017f]/.test(part) ? folded : part
  })
}

/** The same in a text that may be stored in pieces. */
export function occurrencesIn(text: EditedText, find: string, { caseInsensitive = false } = {}): Span[] {
  if (caseInsensitive) return occurrences(text.text, find, { caseInsensitive })
  const spans: Span[] = []
  if (find === '') return spans
  for (const start of text.startsOf(find, find.length)) {
    if (spans.push({ start, end: start + find.length }) > mostPlaces) break
  }
  return spans
}

/** The places of `find` in the raw text, with all line endings treated as equal. */
export function occurrencesAnyEnding(
  given: string | EditedText,
  find: string,
  { caseInsensitive = false } = {},
): Span[] {
  const text = typeof given === 'string' ? plainText(given) : given
  const wanted = foldLineEndings(find).text
  if (!text.hasReturns) return occurrencesIn(text, wanted, { caseInsensitive })
  const near = caseInsensitive ? undefined : aroundLongestLine(text, wanted)
  if (near !== undefined) return near
  const folded = foldLineEndings(text.text)
  return occurrences(folded.text, wanted, { caseInsensitive }).flatMap((span) => folded.raw(span) ?? [])
}

/** A line with more occurrences than this is not used to find the others. */
const mostHits = 400

/** The same without folding the whole text: compares only around the longest line of `wanted`. Undefined when that occurs too often. */
function aroundLongestLine(text: EditedText, wanted: string): Span[] | undefined {
  const { before, anchor, after } = longestLineOf(wanted)
  if (anchor === '') return undefined
  // An ending has two units at most.
  const reach = wanted.length + before.length + after.length
  const spans: Span[] = []
  let hits = 0
  for (const at of text.startsOf(anchor, 1)) {
    hits += 1
    if (hits > mostHits) return undefined
    const from = Math.max(0, at - reach)
    const around = text.slice(from, at + reach)
    const start = linesBefore(around, at - from, before)
    const end = linesAfter(around, at - from + anchor.length, after)
    if (start === undefined || end === undefined || from + start < (spans.at(-1)?.end ?? 0)) continue
    spans.push({ start: from + start, end: from + end })
  }
  return spans
}

/** The longest line of a text, and the lines around it. */
export function longestLineOf(text: string): { before: string[]; anchor: string; after: string[] } {
  const lines = text.split('\n')
  const longest = lines.reduce((best, line, index) => (line.length > lines[best]!.length ? index : best), 0)
  return { before: lines.slice(0, longest), anchor: lines[longest]!, after: lines.slice(longest + 1) }
}

/** The start of the lines that end right before `at`, the last one with its ending. */
function linesBefore(text: string, at: number, lines: readonly string[]): number | undefined {
  let start = at
  for (const line of [...lines].reverse()) {
    const length = text[start - 1] === '\n' ? (text[start - 2] === '\r' ? 2 : 1) : text[start - 1] === '\r' ? 1 : 0
    start -= length + line.length
    if (length === 0 || start < 0 || !text.startsWith(line, start)) return undefined
  }
  return start
}

/** The end of the lines that start at `at`, each after a line ending. */
function linesAfter(text: string, at: number, lines: readonly string[]): number | undefined {
  let end = at
  for (const line of lines) {
    const length = text[end] === '\r' ? (text[end + 1] === '\n' ? 2 : 1) : text[end] === '\n' ? 1 : 0
    if (length === 0 || !text.startsWith(line, end + length)) return undefined
    end += length + line.length
  }
  return end
}
