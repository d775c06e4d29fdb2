import { foldLineEndings, type Span } from './fold.js'

/** All places of `find`, in order, without overlaps. */
export function occurrences(text: string, find: string, { caseInsensitive = false } = {}): Span[] {
  const spans: Span[] = []
  if (find === '') return spans
  if (caseInsensitive) {
    const pattern = new RegExp(find.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gi')
    for (const { index, 0: found } of text.matchAll(pattern)) spans.push({ start: index, end: index + found.length })
    return spans
  }
  for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + find.length)) {
    spans.push({ start: at, end: at + find.length })
  }
  return spans
}

/** All raw places of `find` when line endings are not told apart. */
export function occurrencesAnyEnding(text: string, find: string, { caseInsensitive = false } = {}): Span[] {
  const folded = foldLineEndings(text)
  const spans = occurrences(folded.text, foldLineEndings(find).text, { caseInsensitive })
  return spans.flatMap((span) => folded.raw(span) ?? [])
}
