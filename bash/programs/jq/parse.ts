/** Parses jq programs. */
import { CompileError, type FunctionDefinition, type Node, type Pattern } from './syntax.js'
import { createLexer, type Token } from './tokens.js'
import type { Json } from './values.js'

const keywords = new Set([
  'def',
  'if',
  'then',
  'elif',
  'else',
  'end',
  'and',
  'or',
  'not',
  'as',
  'reduce',
  'foreach',
  'try',
  'catch',
  'label',
  'import',
  'include',
  '__loc__',
])
const reserved = new Set([...keywords].filter((word) => word !== 'not'))
const assignments = new Set(['=', '|=', '+=', '-=', '*=', '/=', '%=', '//='])
const comparisons = new Set(['==', '!=', '<', '<=', '>', '>='])
const stringEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

export interface ParsedProgram {
  definitions: FunctionDefinition[]
  body: Node
}

export function parseProgram(source: string): ParsedProgram {
  const lexer = createLexer(source)
  const identity: Node = { kind: 'identity' }

  function unexpected(token: Token): never {
    const shown =
      token.kind === 'end'
        ? '$end'
        : token.kind === 'symbol'
          ? `'${token.text}'`
          : token.kind === 'word'
            ? reserved.has(token.text)
              ? token.text
              : 'IDENT'
            : token.kind === 'quote'
              ? 'QQSTRING_START'
              : token.kind === 'number'
                ? 'LITERAL'
                : token.kind === 'variable'
                  ? "'$'"
                  : token.kind.toUpperCase()
    throw new CompileError(`syntax error, unexpected ${shown}`, lexer.line())
  }

  function isSymbol(text: string): boolean {
    const token = lexer.peek()
    return token.kind === 'symbol' && token.text === text
  }

  function isWord(text: string): boolean {
    const token = lexer.peek()
    return token.kind === 'word' && token.text === text
  }

  function accept(text: string): boolean {
    if (!isSymbol(text)) return false
    lexer.take()
    return true
  }

  function expect(text: string): void {
    if (!accept(text)) unexpected(lexer.peek())
  }

  function expectWord(text: string): void {
    if (!isWord(text)) unexpected(lexer.peek())
    lexer.take()
  }

  function variableName(): string {
    const token = lexer.take()
    return token.kind === 'variable' ? token.text : unexpected(token)
  }

  function pipe(): Node {
    if (isWord('def')) {
      const definition = functionDefinition()
      return { kind: 'define', definition, body: pipe() }
    }
    if (isWord('label')) {
      lexer.take()
      const name = variableName()
      expect('|')
      return { kind: 'label', name, body: pipe() }
    }
    const left = comma()
    return accept('|') ? { kind: 'pipe', left, right: pipe() } : left
  }

  function comma(): Node {
    let left = alternative()
    while (accept(',')) left = { kind: 'comma', left, right: alternative() }
    return left
  }

  /** `//` binds weaker than assignments and to the right. */
  function alternative(): Node {
    const left = assignment()
    return accept('//') ? { kind: 'alternative', left, right: alternative() } : left
  }

  function assignment(): Node {
    const left = disjunction()
    const token = lexer.peek()
    if (token.kind !== 'symbol' || !assignments.has(token.text)) return left
    lexer.take()
    const right = disjunction()
    const after = lexer.peek()
    if (after.kind === 'symbol' && assignments.has(after.text)) unexpected(after)
    return { kind: 'assign', operator: token.text, left, right }
  }

  function disjunction(): Node {
    let left = conjunction()
    while (isWord('or')) {
      lexer.take()
      left = { kind: 'or', left, right: conjunction() }
    }
    return left
  }

  function conjunction(): Node {
    let left = comparison()
    while (isWord('and')) {
      lexer.take()
      left = { kind: 'and', left, right: comparison() }
    }
    return left
  }

  function comparison(): Node {
    const left = sum()
    const token = lexer.peek()
    if (token.kind !== 'symbol' || !comparisons.has(token.text)) return left
    lexer.take()
    const node: Node = { kind: 'binary', operator: token.text, left, right: sum() }
    const after = lexer.peek()
    if (after.kind === 'symbol' && comparisons.has(after.text)) unexpected(after)
    return node
  }

  function sum(): Node {
    let left: Node = accept('-') ? { kind: 'negate', of: product() } : product()
    for (;;) {
      const token = lexer.peek()
      if (token.kind !== 'symbol' || (token.text !== '+' && token.text !== '-')) return left
      lexer.take()
      const right: Node = accept('-') ? { kind: 'negate', of: product() } : product()
      left = binary(token.text, left, right)
    }
  }

  function product(): Node {
    let left = postfix()
    for (;;) {
      const token = lexer.peek()
      if (token.kind !== 'symbol' || !['*', '/', '%'].includes(token.text)) return left
      lexer.take()
      const right: Node = accept('-') ? { kind: 'negate', of: postfix() } : postfix()
      left = binary(token.text, left, right)
    }
  }

  /** Constants are computed at once, which is when a division by zero is refused. */
  function binary(operator: string, left: Node, right: Node): Node {
    if (left.kind === 'literal' && right.kind === 'literal' && right.value === 0 && typeof left.value === 'number') {
      if (operator === '/') throw new CompileError('Division by zero?', lexer.line())
    }
    return { kind: 'binary', operator, left, right }
  }

  function postfix(): Node {
    let node = term()
    if (isWord('as')) return binding(node)
    for (;;) {
      const token = lexer.peek()
      if (token.kind === 'field') {
        lexer.take()
        node = { kind: 'index', of: node, key: { kind: 'literal', value: token.text } }
      } else if (isSymbol('.')) {
        lexer.take()
        if (lexer.peek().kind === 'quote') node = { kind: 'index', of: node, key: string(undefined) }
        else if (isSymbol('[')) node = brackets(node)
        else unexpected(lexer.peek())
      } else if (isSymbol('[')) node = brackets(node)
      else if (accept('?')) node = { kind: 'try', body: node, handler: undefined }
      else break
      if (isWord('as')) return binding(node)
    }
    return node
  }

  function brackets(of: Node): Node {
    expect('[')
    if (accept(']')) return { kind: 'iterate', of }
    if (accept(':')) {
      const to = pipe()
      expect(']')
      return { kind: 'slice', of, from: undefined, to }
    }
    const key = pipe()
    if (accept(':')) {
      const to = isSymbol(']') ? undefined : pipe()
      expect(']')
      return { kind: 'slice', of, from: key, to }
    }
    expect(']')
    return { kind: 'index', of, key }
  }

  function binding(source: Node): Node {
    expectWord('as')
    const found = patterns()
    expect('|')
    return { kind: 'bind', source, patterns: found, body: pipe() }
  }

  function patterns(): Pattern[] {
    const found = [destructuring()]
    while (accept('?//')) found.push(destructuring())
    return found
  }

  function destructuring(): Pattern {
    const token = lexer.take()
    if (token.kind === 'variable') return { kind: 'variable', name: token.text }
    if (token.kind !== 'symbol') return unexpected(token)
    if (token.text === '[') {
      const items = [destructuring()]
      while (accept(',')) items.push(destructuring())
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
    const token = lexer.peek()
    if (token.kind === 'variable') {
      lexer.take()
      const pattern = accept(':') ? destructuring() : undefined
      return { variable: token.text, key: { kind: 'literal', value: token.text }, pattern }
    }
    const key = entryKey()
    expect(':')
    return { variable: undefined, key, pattern: destructuring() }
  }

  function entryKey(): Node {
    const token = lexer.peek()
    if (token.kind === 'quote') return string(undefined)
    if (token.kind === 'word') {
      lexer.take()
      return { kind: 'literal', value: token.text }
    }
    if (token.kind === 'symbol' && token.text === '(') {
      lexer.take()
      const key = pipe()
      expect(')')
      if (key.kind === 'literal' && typeof key.value !== 'string') {
        const type = key.value === null ? 'null' : typeof key.value
        throw new CompileError(`Cannot use ${type} (${String(key.value)}) as object key`, lexer.line())
      }
      return key
    }
    return unexpected(token)
  }

  function term(): Node {
    const token = lexer.take()
    switch (token.kind) {
      case 'number':
        return { kind: 'literal', value: token.value }
      case 'quote':
        return stringBody(undefined)
      case 'format':
        return lexer.peek().kind === 'quote' ? string(token.text) : { kind: 'format', name: token.text }
      case 'field':
        return { kind: 'index', of: identity, key: { kind: 'literal', value: token.text } }
      case 'variable':
        if (token.text === '__loc__') return { kind: 'location', line: lexer.line() }
        return { kind: 'variable', name: token.text, line: lexer.line() }
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
        if (lexer.peek().kind === 'quote') return { kind: 'index', of: identity, key: string(undefined) }
        return identity
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

  function object(): Node {
    const entries: Array<{ key: Node; value: Node }> = []
    if (accept('}')) return { kind: 'object', entries }
    do {
      if (isSymbol('}') && entries.length > 0) break
      entries.push(objectEntry())
    } while (accept(','))
    expect('}')
    return { kind: 'object', entries }
  }

  function objectEntry(): { key: Node; value: Node } {
    const token = lexer.peek()
    if (token.kind === 'variable') {
      lexer.take()
      const value: Node =
        token.text === '__loc__'
          ? { kind: 'location', line: lexer.line() }
          : { kind: 'variable', name: token.text, line: lexer.line() }
      return { key: { kind: 'literal', value: token.text }, value }
    }
    if (token.kind === 'format') {
      lexer.take()
      const key = lexer.peek().kind === 'quote' ? string(token.text) : unexpected(lexer.peek())
      return { key, value: accept(':') ? objectValue() : { kind: 'index', of: identity, key } }
    }
    if (token.kind === 'number') {
      lexer.take()
      unexpected(token)
    }
    const key = entryKey()
    if (accept(':')) return { key, value: objectValue() }
    const isPlain = token.kind === 'quote' || (token.kind === 'word' && !reserved.has(token.text))
    if (!isPlain) unexpected(lexer.peek())
    return { key, value: { kind: 'index', of: identity, key } }
  }

  /** Values are terms, with signs and pipes only. */
  function objectValue(): Node {
    const left: Node = accept('-') ? { kind: 'negate', of: postfix() } : postfix()
    return accept('|') ? { kind: 'pipe', left, right: objectValue() } : left
  }

  function word(token: Token & { kind: 'word' }): Node {
    switch (token.text) {
      case 'if':
        return conditional()
      case 'try': {
        const body = postfixTry()
        if (!isWord('catch')) return { kind: 'try', body, handler: undefined }
        lexer.take()
        return { kind: 'try', body, handler: postfixTry() }
      }
      case 'reduce': {
        const source = postfixSource()
        const found = patterns()
        expect('(')
        const start = pipe()
        expect(';')
        const update = pipe()
        expect(')')
        return { kind: 'reduce', source, patterns: found, start, update }
      }
      case 'foreach': {
        const source = postfixSource()
        const found = patterns()
        expect('(')
        const start = pipe()
        expect(';')
        const update = pipe()
        const extract = accept(';') ? pipe() : undefined
        expect(')')
        return { kind: 'foreach', source, patterns: found, start, update, extract }
      }
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

  /** The body of `try` is one term. */
  function postfixTry(): Node {
    return accept('-') ? { kind: 'negate', of: postfix() } : postfix()
  }

  /** A term, followed by `as`, which belongs to the caller. */
  function postfixSource(): Node {
    let node = term()
    for (;;) {
      const token = lexer.peek()
      if (token.kind === 'field') {
        lexer.take()
        node = { kind: 'index', of: node, key: { kind: 'literal', value: token.text } }
      } else if (isSymbol('.')) {
        lexer.take()
        if (lexer.peek().kind === 'quote') node = { kind: 'index', of: node, key: string(undefined) }
        else node = brackets(node)
      } else if (isSymbol('[')) node = brackets(node)
      else if (accept('?')) node = { kind: 'try', body: node, handler: undefined }
      else break
    }
    expectWord('as')
    return node
  }

  function call(name: string): Node {
    const line = lexer.line()
    const args: Node[] = []
    if (accept('(')) {
      do args.push(pipe())
      while (accept(';'))
      expect(')')
    }
    return { kind: 'call', name, args, line }
  }

  function conditional(): Node {
    const condition = pipe()
    expectWord('then')
    const then = pipe()
    if (isWord('elif')) {
      lexer.take()
      return { kind: 'if', condition, then, otherwise: conditional() }
    }
    if (!isWord('else')) unexpected(lexer.peek())
    lexer.take()
    const otherwise = pipe()
    expectWord('end')
    return { kind: 'if', condition, then, otherwise }
  }

  function string(format: string | undefined): Node {
    lexer.take()
    return stringBody(format)
  }

  /** The lexer stands behind the opening quote. */
  function stringBody(format: string | undefined): Node {
    const parts: Array<string | Node> = []
    let text = ''
    let at = lexer.position()
    for (;;) {
      const character = source[at]
      if (character === undefined) unexpected({ kind: 'end' })
      at += 1
      if (character === '"') break
      if (character !== '\\') {
        text += character
        continue
      }
      const letter = source[at] ?? ''
      at += 1
      if (letter === '(') {
        parts.push(text)
        text = ''
        lexer.moveTo(at)
        parts.push(pipe())
        expect(')')
        at = lexer.position()
      } else if (letter === 'u') {
        const digits = /^[0-9a-fA-F]{4}/.exec(source.slice(at))?.[0]
        if (digits === undefined) throw new CompileError('syntax error, unexpected INVALID_CHARACTER', lexer.line())
        text += String.fromCharCode(Number.parseInt(digits, 16))
        at += 4
      } else {
        const known = stringEscapes[letter]
        if (known === undefined) throw new CompileError('syntax error, unexpected INVALID_CHARACTER', lexer.line())
        text += known
      }
    }
    lexer.moveTo(at)
    if (parts.length === 0) return { kind: 'literal', value: wellFormed(text) }
    parts.push(text)
    return { kind: 'string', format, parts }
  }

  function functionDefinition(): FunctionDefinition {
    expectWord('def')
    const token = lexer.take()
    if (token.kind !== 'word' || reserved.has(token.text)) return unexpected(token)
    const parameters: string[] = []
    if (accept('(')) {
      do {
        const parameter = lexer.take()
        if (parameter.kind === 'variable') parameters.push(`$${parameter.text}`)
        else if (parameter.kind === 'word') parameters.push(parameter.text)
        else unexpected(parameter)
      } while (accept(';'))
      expect(')')
    }
    expect(':')
    const body = pipe()
    expect(';')
    return { name: token.text, parameters, body }
  }

  const definitions: FunctionDefinition[] = []
  if (isWord('import') || isWord('include')) {
    throw new CompileError('modules are not supported by this shell', lexer.line())
  }
  while (isWord('def')) definitions.push(functionDefinition())
  const body = lexer.peek().kind === 'end' ? identity : pipe()
  if (lexer.peek().kind !== 'end') unexpected(lexer.peek())
  return { definitions, body }
}

/** Lone surrogates become U+FFFD. */
function wellFormed(text: string): Json {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}
