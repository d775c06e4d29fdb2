/** Parses arithmetic expressions. */
import { ArithmeticFault, type Expression, type Node } from './expression.js'
import { readTokens, type Token } from './tokens.js'

/** The binary operators from the loosest to the tightest, each with its level. */
const levels: ReadonlyMap<string, number> = new Map(
  [
    ['||'],
    ['&&'],
    ['|'],
    ['^'],
    ['&'],
    ['==', '!='],
    ['<', '<=', '>', '>='],
    ['<<', '>>'],
    ['+', '-'],
    ['*', '/', '%'],
  ].flatMap((operators, level) => operators.map((operator) => [operator, level] as const)),
)
const assignments = new Set(['=', '+=', '-=', '*=', '/=', '%=', '<<=', '>>=', '&=', '|=', '^='])
const signs = new Set(['+', '-', '!', '~'])
const deepest = 200
const cacheSize = 2000
const cache = new Map<string, Expression>()

interface Reader {
  text: string
  tokens: Token[]
  index: number
  depth: number
}

/** Parses an expression. Throws an `ArithmeticFault`. */
export function parseArithmetic(text: string): Expression {
  const known = cache.get(text)
  if (known !== undefined) return known
  const expression = parse(text)
  if (cache.size >= cacheSize) cache.clear()
  if (text.length < 1000) cache.set(text, expression)
  return expression
}

function parse(text: string): Expression {
  const reader: Reader = { text, tokens: readTokens(text), index: 0, depth: 0 }
  if (reader.tokens.length === 0) return { text, root: undefined }
  const root = readComma(reader)
  if (reader.index < reader.tokens.length) throw fault(reader, 'syntax error in expression')
  return { text, root }
}

/** The error token is the one that is next, or the last. */
function fault({ text, tokens, index }: Reader, problem: string): ArithmeticFault {
  const token = tokens[Math.min(index, tokens.length - 1)]
  return new ArithmeticFault(text, problem, token?.at ?? text.length)
}

function peek({ tokens, index }: Reader): string | undefined {
  const token = tokens[index]
  return token?.type === 'operator' ? token.text : undefined
}

function position({ text, tokens, index }: Reader): number {
  return tokens[index]?.at ?? text.length
}

function nested(reader: Reader, read: (reader: Reader) => Node): Node {
  reader.depth += 1
  if (reader.depth > deepest) throw fault(reader, 'expression recursion level exceeded')
  const node = read(reader)
  reader.depth -= 1
  return node
}

function readComma(reader: Reader): Node {
  let left = readAssignment(reader)
  while (peek(reader) === ',') {
    reader.index += 1
    const at = position(reader)
    left = { type: 'binary', operator: ',', left, right: readAssignment(reader), at }
  }
  return left
}

function readAssignment(reader: Reader): Node {
  const target = readCondition(reader)
  const operator = peek(reader)
  if (operator === undefined || !assignments.has(operator)) return target
  if (target.type !== 'variable') throw fault(reader, 'attempted assignment to non-variable')
  reader.index += 1
  const at = position(reader)
  return { type: 'assign', target, operator: operator.slice(0, -1), value: nested(reader, readAssignment), at }
}

function readCondition(reader: Reader): Node {
  const test = readBinary(reader, 0)
  if (peek(reader) !== '?') return test
  reader.index += 1
  if (reader.index >= reader.tokens.length || peek(reader) === ':') throw fault(reader, 'expression expected')
  const yes = nested(reader, readComma)
  if (peek(reader) !== ':') throw fault(reader, "`:' expected for conditional expression")
  reader.index += 1
  if (reader.index >= reader.tokens.length) throw fault(reader, 'expression expected')
  return { type: 'condition', test, yes, no: nested(reader, readCondition) }
}

/** Operators of this level and tighter ones. Few calls nest, because the stack of a worker in a page is small. */
function readBinary(reader: Reader, loosest: number): Node {
  let left = readPower(reader)
  for (;;) {
    const operator = peek(reader) ?? ''
    const level = levels.get(operator) ?? -1
    if (level < loosest) return left
    reader.index += 1
    const at = position(reader)
    const right = readBinary(reader, level + 1)
    if (operator === '&&' || operator === '||') left = { type: operator === '&&' ? 'and' : 'or', left, right }
    else left = { type: 'binary', operator, left, right, at }
  }
}

/** `**` groups to the right, and signs bind tighter. */
function readPower(reader: Reader): Node {
  const left = readUnary(reader)
  if (peek(reader) !== '**') return left
  reader.index += 1
  const at = position(reader)
  return { type: 'binary', operator: '**', left, right: nested(reader, readPower), at }
}

function readUnary(reader: Reader): Node {
  const operator = peek(reader)
  if (operator === undefined || !signs.has(operator)) return readPrimary(reader)
  reader.index += 1
  return { type: 'unary', operator: operator as '-', operand: nested(reader, readUnary) }
}

function readPrimary(reader: Reader): Node {
  const token = reader.tokens[reader.index]
  if (token === undefined) throw fault(reader, 'syntax error: operand expected')
  if (token.type === 'number') {
    reader.index += 1
    return { type: 'number', value: token.value }
  }
  if (token.type === 'name') return readVariable(reader, token)
  if (token.text === '(') return readGroup(reader)
  if (token.text === '++' || token.text === '--') return readPrefixStep(reader, token.text)
  throw fault(reader, 'syntax error: operand expected')
}

function readGroup(reader: Reader): Node {
  reader.index += 1
  const node = nested(reader, readComma)
  if (peek(reader) !== ')') throw fault(reader, "missing `)'")
  reader.index += 1
  // A variable in brackets cannot be assigned to.
  return node.type === 'variable' ? { type: 'unary', operator: '+', operand: node } : node
}

function readPrefixStep(reader: Reader, operator: string): Node {
  reader.index += 1
  const token = reader.tokens[reader.index]
  if (token?.type !== 'name') throw fault(reader, 'syntax error: operand expected')
  reader.index += 1
  const next = peek(reader)
  if (next === '++' || next === '--') throw fault(reader, `${next}: assignment requires lvalue`)
  return { type: 'step', target: variableOf(token), by: operator === '++' ? 1 : -1, isPrefix: true }
}

function readVariable(reader: Reader, token: Token & { type: 'name' }): Node {
  reader.index += 1
  const target = variableOf(token)
  const next = peek(reader)
  if (next !== '++' && next !== '--') return target
  reader.index += 1
  return { type: 'step', target, by: next === '++' ? 1 : -1, isPrefix: false }
}

function variableOf({ name, subscript }: Token & { type: 'name' }): {
  type: 'variable'
  name: string
  subscript?: string
} {
  return { type: 'variable', name, ...(subscript !== undefined && { subscript }) }
}
