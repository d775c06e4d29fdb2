/** Finds the end of a bracketed stretch of text without parsing it. */

/** The offset of the `close` that matches an `open` before `at`, or -1. Quotes and nested expansions are skipped. */
export function findClosing(text: string, at: number, open: string, close: string): number {
  const closers: string[] = [close]
  for (let index = at; index < text.length; index += 1) {
    const character = text[index] as string
    const wanted = closers[closers.length - 1] as string
    if (character === '\\') {
      index += 1
    } else if (character === wanted) {
      closers.pop()
      if (closers.length === 0) return index
    } else if (wanted === '`') {
      // Only its end matters.
    } else if (character === '$' && (text[index + 1] === '(' || text[index + 1] === '{')) {
      index += 1
      closers.push(text[index] === '(' ? ')' : '}')
    } else if (character === '`' || character === '"') {
      closers.push(character)
    } else if (wanted === '"') {
      // Other characters have no meaning in double quotes.
    } else if (character === "'") {
      index = text.indexOf("'", index + 1)
      if (index < 0) return -1
    } else if ((character === open && wanted === close) || (character === '(' && wanted === ')')) {
      closers.push(wanted)
    }
  }
  return -1
}
