/** What is known of an object whose JSON is still being written; a string that is not complete is as long as it is so far. */
export function partialObject(text: string): Record<string, unknown> {
  for (const end of endings(text)) {
    try {
      const value: unknown = JSON.parse(end)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
    } catch {
      // The next one drops more.
    }
  }
  return {}
}

/** The text with its open strings, lists and objects closed; then without what follows the last complete value. */
function* endings(text: string): Generator<string> {
  const closers: string[] = []
  let isInString = false
  let lastComma = -1
  let closersAtComma: string[] = []
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (isInString) {
      if (character === '\\') at += 1
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === '{') closers.push('}')
    else if (character === '[') closers.push(']')
    else if (character === '}' || character === ']') closers.pop()
    else if (character === ',') {
      lastComma = at
      closersAtComma = [...closers]
    }
  }
  const close = (open: readonly string[]) => [...open].reverse().join('')
  yield text
  yield (isInString ? `${text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, '')}"` : text) + close(closers)
  if (lastComma >= 0) yield text.slice(0, lastComma) + close(closersAtComma)
}
