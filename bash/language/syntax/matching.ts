/** Finds the end of a bracketed stretch of text without parsing it. */

/**
 * The offset of the `close` that matches an `open` before `at`, or -1. Quotes and nested expansions are skipped.
 * `known` takes the offsets of all that is closed on the way, by where it begins.
 */
export function findClosing(
  text: string,
  at: number,
  open: string,
  close: string,
  known?: Map<number, number>,
): number {
  const before = known?.get(at)
  if (before !== undefined) return before
  const closers: string[] = [close]
  const starts: number[] = [at]
  for (let index = at; index < text.length; index += 1) {
    const character = text[index] as string
    const wanted = closers[closers.length - 1] as string
    if (character === '\\') {
      index += 1
    } else if (character === wanted) {
      closers.pop()
      const start = starts.pop() as number
      if (character === ')') known?.set(start, index)
      if (closers.length === 0) return index
    } else if (wanted === '`') {
      // Only its end matters.
    } else if (character === '$' && (text[index + 1] === '(' || text[index + 1] === '{')) {
      index += 1
      closers.push(text[index] === '(' ? ')' : '}')
      starts.push(index + 1)
    } else if (character === '`' || character === '"') {
      closers.push(character)
      starts.push(index + 1)
    } else if (wanted === '"') {
      // Other characters have no meaning in double quotes.
    } else if (character === "'") {
      index = endOfQuotes(text, index)
      if (index < 0) return -1
    } else if ((character === open && wanted === close) || (character === '(' && wanted === ')')) {
      closers.push(wanted)
      starts.push(index + 1)
    }
  }
  return -1
}

/** Where single quotes end that begin at `at`, or -1. Those of `$'…'` may have escaped ones inside. */
function endOfQuotes(text: string, at: number): number {
  if (text[at - 1] !== '$') return text.indexOf("'", at + 1)
  let end = at + 1
  while (end < text.length && text[end] !== "'") end += text[end] === '\\' ? 2 : 1
  return end < text.length ? end : -1
}
