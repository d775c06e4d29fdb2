import { foldLineEndings, type Span } from './fold.js'

/** More are refused by edits: each place takes time and memory, and a file of millions would take all there is. */
export const mostPlaces = 200_000

/** The places of `find`, in order, without overlaps; of more than `mostPlaces` the first and one more. */
export function occurrences(text: string, find: string, { caseInsensitive = false } = {}): Span[] {
  const spans: Span[] = []
  if (find === '') return spans
  if (caseInsensitive) {
    const pattern = new RegExp(find.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gi')
    for (const { index, 0: found } of text.matchAll(pattern)) {
      if (spans.push({ start: index, end: index + found.length }) > mostPlaces) break
    }
    return spans
  }
  for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + find.length)) {
    if (spans.push({ start: at, end: at + find.length }) > mostPlaces) break
  }
  return spans
}

/** The raw places of `find` when line endings are not told apart. */
export function occurrencesAnyEnding(text: string, find: string, { caseInsensitive = false } = {}): Span[] {
  const folded = foldLineEndings(text)
  const spans = occurrences(folded.text, foldLineEndings(find).text, { caseInsensitive })
  return spans.flatMap((span) => folded.raw(span) ?? [])
}
