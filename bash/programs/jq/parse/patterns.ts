/** The patterns behind `as`. */
import type { Node, Pattern } from '../syntax.js'
import type { TokenReader } from './token-reader.js'

export function patternParser(tokens: TokenReader, entryKey: () => Node): () => Pattern[] {
  const { accept, expect, peek, take, unexpected } = tokens

  return () => {
    const found = [pattern()]
    while (accept('?//')) found.push(pattern())
    return found
  }

  function pattern(): Pattern {
    const token = take()
    if (token.kind === 'variable') return { kind: 'variable', name: token.text }
    if (token.kind !== 'symbol') return unexpected(token)
    if (token.text === '[') {
      const items = [pattern()]
      while (accept(',')) items.push(pattern())
      expect(']')
      return { kind: 'array', items }
    }
    if (token.text !== '{') return unexpected(token)
    const entries = [patternEntry()]
    while (accept(',')) entries.push(patternEntry())
    expect('}')
    return { kind: 'object', entries }
  }

  function patternEntry(): { variable: string | undefined; key: Node; pattern: Pattern | undefined } {
    const token = peek()
    if (token.kind === 'variable') {
      take()
      const inner = accept(':') ? pattern() : undefined
      return { variable: token.text, key: { kind: 'literal', value: token.text }, pattern: inner }
    }
    const key = entryKey()
    expect(':')
    return { variable: undefined, key, pattern: pattern() }
  }
}
