/** Tells JSON from other text. Objects and lists may end with a comma, as `file` allows. */

const maxDepth = 500

/** `one`: a single object or list. `lines`: several, each on its own line. */
export function jsonKind(text: string): 'one' | 'lines' | undefined {
  let at = 0
  let depth = 0

  function skipSpace(): void {
    while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1
  }

  function value(): boolean {
    skipSpace()
    const character = text.charAt(at)
    if (character === '{') return members('}', member)
    if (character === '[') return members(']', value)
    if (character === '"') return string()
    return scalar(/(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)/y)
  }

  function scalar(pattern: RegExp): boolean {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match === null) return false
    at += match[0].length
    return true
  }

  function string(): boolean {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none in strings.
    return scalar(/"(?:[^"\\\u0000-\u001f]|\\.)*"/y)
  }

  function member(): boolean {
    skipSpace()
    if (!string()) return false
    skipSpace()
    if (text.charAt(at) !== ':') return false
    at += 1
    return value()
  }

  function members(end: string, one: () => boolean): boolean {
    at += 1
    depth += 1
    if (depth > maxDepth) return false
    for (;;) {
      skipSpace()
      if (text.charAt(at) === end) break
      if (!one()) return false
      skipSpace()
      if (text.charAt(at) === ',') at += 1
      else if (text.charAt(at) !== end) return false
    }
    at += 1
    depth -= 1
    return true
  }

  let count = 0
  for (skipSpace(); at < text.length; skipSpace()) {
    if (!'{['.includes(text.charAt(at)) || !value()) return undefined
    count += 1
  }
  if (count === 0) return undefined
  return count === 1 ? 'one' : 'lines'
}
