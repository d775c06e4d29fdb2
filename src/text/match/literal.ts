import { foldLineEndings, type Span } from './fold.js'

/** More are refused by edits: each place takes time and memory, and a file of millions would take all there is. */
export const mostPlaces = 200_000

/** The places of `find`, in order, without overlaps; of more than `mostPlaces` the first and one more. */
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
 * Upper case, character by character, as long as the text is: a letter that would become several stays, and so does one that would
 * become ASCII and is not, as in regular expressions. Those themselves can't be as long as a text to find.
 */
function foldCase(text: string): string {
  const upper = text.toUpperCase()
  if (upper.length === text.length && !/[\u0131\u017f]/.test(text)) return upper
  return text.replace(/[a-z]+|[^\0-\x7f]/gu, (part) => {
    const folded = part.toUpperCase()
    return folded.length === part.length && !/[\u0131\u017f]/.test(part) ? folded : part
  })
}

/** The raw places of `find` when line endings are not told apart. */
export function occurrencesAnyEnding(text: string, find: string, { caseInsensitive = false } = {}): Span[] {
  const folded = foldLineEndings(text)
  const spans = occurrences(folded.text, foldLineEndings(find).text, { caseInsensitive })
  return spans.flatMap((span) => folded.raw(span) ?? [])
}
