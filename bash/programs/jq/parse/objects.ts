/** What braces enclose. */
import { CompileError, type Node } from '../syntax.js'
import type { ParseString } from './strings.js'
import { reserved, type TokenReader } from './token-reader.js'

/** The keys of objects and of their patterns. */
export function entryKeyParser(tokens: TokenReader, string: ParseString, pipe: () => Node): () => Node {
  const { expect, line, peek, take, unexpected } = tokens

  return () => {
    const token = peek()
    if (token.kind === 'quote') return string()
    if (token.kind === 'word') {
      take()
      return { kind: 'literal', value: token.text }
    }
    if (token.kind !== 'symbol' || token.text !== '(') return unexpected(token)
    take()
    const key = pipe()
    expect(')')
    if (key.kind === 'literal' && typeof key.value !== 'string') {
      const type = key.value === null ? 'null' : typeof key.value
      throw new CompileError(`Cannot use ${type} (${String(key.value)}) as object key`, line())
    }
    return key
  }
}

/** `operand`: a term with its sign. */
export function objectParser(
  tokens: TokenReader,
  { string, entryKey, operand }: { string: ParseString; entryKey(): Node; operand(): Node },
): () => Node {
  const { accept, expect, isSymbol, line, peek, take, unexpected } = tokens

  /** The brace is taken. */
  return () => {
    const entries: Array<{ key: Node; value: Node }> = []
    if (accept('}')) return { kind: 'object', entries }
    do {
      if (isSymbol('}') && entries.length > 0) break
      entries.push(entry())
    } while (accept(','))
    expect('}')
    return { kind: 'object', entries }
  }

  function entry(): { key: Node; value: Node } {
    const token = peek()
    if (token.kind === 'variable') {
      take()
      const value: Node =
        token.text === '__loc__'
          ? { kind: 'location', line: line() }
          : { kind: 'variable', name: token.text, line: line() }
      return { key: { kind: 'literal', value: token.text }, value }
    }
    if (token.kind === 'format') {
      take()
      const key = peek().kind === 'quote' ? string(token.text) : unexpected(peek())
      return { key, value: accept(':') ? entryValue() : partOfInput(key) }
    }
    if (token.kind === 'number') {
      take()
      return unexpected(token)
    }
    const key = entryKey()
    if (accept(':')) return { key, value: entryValue() }
    const isPlain = token.kind === 'quote' || (token.kind === 'word' && !reserved.has(token.text))
    if (!isPlain) unexpected(peek())
    return { key, value: partOfInput(key) }
  }

  /** Values are terms, with signs and pipes only. */
  function entryValue(): Node {
    const left = operand()
    return accept('|') ? { kind: 'pipe', left, right: entryValue() } : left
  }
}

function partOfInput(key: Node): Node {
  return { kind: 'index', of: { kind: 'identity' }, key }
}
