/** Terms: what operators and suffixes apply to. */
import type { Node, Pattern } from '../syntax.js'
import type { ParseString } from './strings.js'
import { reserved, type TokenReader } from './token-reader.js'
import type { Token } from './tokens.js'

/** What terms contain. */
export interface TermParts {
  pipe(): Node
  /** A term with its suffixes. */
  suffixed(): Node
  /** The same with a sign, or as the source of a binding. */
  operand(): Node
  string: ParseString
  /** The brace is taken. */
  object(): Node
  patterns(): Pattern[]
}

export function termParser(tokens: TokenReader, parts: TermParts): () => Node {
  const { accept, expect, expectWord, isWord, line, peek, take, unexpected, variableName } = tokens
  const { pipe, suffixed, operand, string, object, patterns } = parts
  const identity: Node = { kind: 'identity' }

  return () => {
    if (peek().kind === 'quote') return string()
    const token = take()
    switch (token.kind) {
      case 'number':
        return { kind: 'literal', value: token.value }
      case 'format':
        return peek().kind === 'quote' ? string(token.text) : { kind: 'format', name: token.text }
      case 'field':
        return { kind: 'index', of: identity, key: { kind: 'literal', value: token.text } }
      case 'variable':
        if (token.text === '__loc__') return { kind: 'location', line: line() }
        return { kind: 'variable', name: token.text, line: line() }
      case 'word':
        return word(token)
      case 'symbol':
        return symbol(token)
      default:
        return unexpected(token)
    }
  }

  function symbol(token: Token & { kind: 'symbol' }): Node {
    switch (token.text) {
      case '.':
        return peek().kind === 'quote' ? { kind: 'index', of: identity, key: string() } : identity
      case '..':
        return { kind: 'recurse' }
      case '(': {
        const node = pipe()
        expect(')')
        return node
      }
      case '[': {
        if (accept(']')) return { kind: 'array', items: undefined }
        const items = pipe()
        expect(']')
        return { kind: 'array', items }
      }
      case '{':
        return object()
      default:
        return unexpected(token)
    }
  }

  function word(token: Token & { kind: 'word' }): Node {
    switch (token.text) {
      case 'if':
        return conditional()
      case 'try': {
        const body = operand()
        if (!isWord('catch')) return { kind: 'try', body, handler: undefined }
        take()
        return { kind: 'try', body, handler: operand() }
      }
      case 'reduce':
      case 'foreach':
        return loop(token.text)
      case 'break':
        return { kind: 'break', name: variableName() }
      case 'null':
        return { kind: 'literal', value: null }
      case 'true':
        return { kind: 'literal', value: true }
      case 'false':
        return { kind: 'literal', value: false }
      default:
        if (reserved.has(token.text)) return unexpected(token)
        return call(token.text)
    }
  }

  function conditional(): Node {
    const condition = pipe()
    expectWord('then')
    const then = pipe()
    if (isWord('elif')) {
      take()
      return { kind: 'if', condition, then, otherwise: conditional() }
    }
    expectWord('else')
    const otherwise = pipe()
    expectWord('end')
    return { kind: 'if', condition, then, otherwise }
  }

  function loop(kind: 'reduce' | 'foreach'): Node {
    const source = suffixed()
    expectWord('as')
    const found = patterns()
    expect('(')
    const start = pipe()
    expect(';')
    const update = pipe()
    const extract = kind === 'foreach' && accept(';') ? pipe() : undefined
    expect(')')
    const common = { source, patterns: found, start, update }
    return kind === 'reduce' ? { kind, ...common } : { kind, ...common, extract }
  }

  function call(name: string): Node {
    const at = line()
    const args: Node[] = []
    if (accept('(')) {
      do args.push(pipe())
      while (accept(';'))
      expect(')')
    }
    return { kind: 'call', name, args, line: at }
  }
}
