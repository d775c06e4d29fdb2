/** Replaced ranges of a text, in UTF-16 units. In ascending order, without overlaps. */
export interface Span {
  start: number
  end: number
  text: string
}

export function replaceSpans(text: string, spans: readonly Span[]): string {
  let result = ''
  let at = 0
  for (const { start, end, text: replacement } of spans) {
    result += text.slice(at, start) + replacement
    at = end
  }
  return result + text.slice(at)
}
