/** Parses jq programs: definitions, and operators by how strongly they bind. */
import { CompileError, type FunctionDefinition, type Node } from '../syntax.js'
import { entryKeyParser, objectParser } from './objects.js'
import { patternParser } from './patterns.js'
import { stringParser } from './strings.js'
import { termParser } from './terms.js'
import { reserved, tokenReader } from './token-reader.js'

const assignments = new Set(['=', '|=', '+=', '-=', '*=', '/=', '%=', '//='])
const comparisons = new Set(['==', '!=', '<', '<=', '>', '>='])
const additions = new Set(['+', '-'])
const multiplications = new Set(['*', '/', '%'])

export interface ParsedProgram {
  definitions: FunctionDefinition[]
  body: Node
}

export function parseProgram(source: string): ParsedProgram {
  const tokens = tokenReader(source)
  const { accept, expect, expectWord, isSymbol, isWord, line, peek, take, unexpected, variableName } = tokens
  const string = stringParser(source, tokens, pipe)
  const entryKey = entryKeyParser(tokens, string, pipe)
  const patterns = patternParser(tokens, entryKey)
  const object = objectParser(tokens, { string, entryKey, operand })
  const term = termParser(tokens, { pipe, suffixed, operand, string, object, patterns })

  const definitions: FunctionDefinition[] = []
  if (isWord('import') || isWord('include')) {
    throw new CompileError('modules are not supported by this shell', line())
  }
  while (isWord('def')) definitions.push(functionDefinition())
  const body: Node = peek().kind === 'end' ? { kind: 'identity' } : pipe()
  if (peek().kind !== 'end') unexpected(peek())
  return { definitions, body }

  function functionDefinition(): FunctionDefinition {
    expectWord('def')
    const token = take()
    if (token.kind !== 'word' || reserved.has(token.text)) return unexpected(token)
    const parameters: string[] = []
    if (accept('(')) {
      do {
        const parameter = take()
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

  /** What reaches to the end of the expression, wherever in it it begins. */
  function toTheEnd(): Node | undefined {
    if (isWord('def')) {
      const definition = functionDefinition()
      return { kind: 'define', definition, body: pipe() }
    }
    if (!isWord('label')) return undefined
    take()
    const name = variableName()
    expect('|')
    return { kind: 'label', name, body: pipe() }
  }

  function pipe(): Node {
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
    const operator = takeOneOf(assignments)
    if (operator === undefined) return left
    const right = disjunction()
    refuseOneOf(assignments)
    return { kind: 'assign', operator, left, right }
  }

  function disjunction(): Node {
    let left = conjunction()
    while (isWord('or')) {
      take()
      left = { kind: 'or', left, right: conjunction() }
    }
    return left
  }

  function conjunction(): Node {
    let left = comparison()
    while (isWord('and')) {
      take()
      left = { kind: 'and', left, right: comparison() }
    }
    return left
  }

  function comparison(): Node {
    const left = sum()
    const operator = takeOneOf(comparisons)
    if (operator === undefined) return left
    const right = sum()
    refuseOneOf(comparisons)
    return { kind: 'binary', operator, left, right }
  }

  function sum(): Node {
    let left = signed(product)
    for (;;) {
      const operator = takeOneOf(additions)
      if (operator === undefined) return left
      left = binary(operator, left, signed(product))
    }
  }

  function product(): Node {
    let left = postfix()
    for (;;) {
      const operator = takeOneOf(multiplications)
      if (operator === undefined) return left
      left = binary(operator, left, operand())
    }
  }

  function takeOneOf(operators: ReadonlySet<string>): string | undefined {
    const token = peek()
    if (token.kind !== 'symbol' || !operators.has(token.text)) return undefined
    take()
    return token.text
  }

  /** These operators do not associate. */
  function refuseOneOf(operators: ReadonlySet<string>): void {
    const token = peek()
    if (token.kind === 'symbol' && operators.has(token.text)) unexpected(token)
  }

  function signed(part: () => Node): Node {
    return accept('-') ? { kind: 'negate', of: part() } : part()
  }

  function operand(): Node {
    return signed(postfix)
  }

  /** Constants are computed at once, which is when a division by zero is refused. */
  function binary(operator: string, left: Node, right: Node): Node {
    if (left.kind === 'literal' && right.kind === 'literal' && right.value === 0 && typeof left.value === 'number') {
      if (operator === '/' && left.value === 0) return { kind: 'literal', value: Number.NaN }
      if (operator === '/') throw new CompileError('Division by zero?', line())
    }
    return { kind: 'binary', operator, left, right }
  }

  function postfix(): Node {
    const whole = toTheEnd()
    if (whole !== undefined) return whole
    const node = suffixed()
    return isWord('as') ? binding(node) : node
  }

  function binding(bound: Node): Node {
    expectWord('as')
    const found = patterns()
    expect('|')
    return { kind: 'bind', source: bound, patterns: found, body: pipe() }
  }

  /** A term and what is taken of it. */
  function suffixed(): Node {
    let node = term()
    for (;;) {
      const token = peek()
      if (token.kind === 'field') {
        take()
        node = { kind: 'index', of: node, key: { kind: 'literal', value: token.text } }
      } else if (accept('.')) {
        node = peek().kind === 'quote' ? { kind: 'index', of: node, key: string() } : brackets(node)
      } else if (isSymbol('[')) node = brackets(node)
      else if (accept('?')) node = { kind: 'try', body: node, handler: undefined }
      else return node
    }
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
}
