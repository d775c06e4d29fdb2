/** Stretches of a text that are replaced, counted in its units. In ascending order, none in another. */
export interface Span {
  start: number
  end: number
  /** What comes in its place. */
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
