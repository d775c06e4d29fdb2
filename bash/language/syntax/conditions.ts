/** Reads `[[ … ]]`. */
import type { Condition, Test, Word } from './ast.js'
import { SyntaxFault } from './fault.js'
import { takeNewline } from './heredocs.js'
import {
  type Input,
  isMeta,
  lineOf,
  nested,
  peekOperator,
  peekReserved,
  plainText,
  readWord,
  skipBlanks,
  startsWith,
  take,
} from './input.js'
import { regexMode, wordMode } from './modes.js'
import { wantingMore } from './unexpected.js'

const unaryOperator = /^-[a-hknoprstuvwxzGLNORS]$/
const longest = 500
const binaryOperators = new Set(['=', '==', '!=', '=~', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef'])

/** Reads from after `[[` to after `]]`. */
export function readCondition(input: Input, line: number): Condition {
  const test = nested(input, () => readOr(input))
  skipLines(input)
  if (peekReserved(input) !== ']]') {
    if (input.at >= input.text.length) throw wantingMore(fault(input, "unexpected EOF while looking for `]]'"))
    const token = tokenAt(input)
    throw fault(input, `syntax error in conditional expression${token && `: unexpected token \`${token}'`}`)
  }
  input.at += 2
  return { type: 'condition', test, redirections: [], line }
}

function readOr(input: Input): Test {
  let left = readAnd(input)
  let count = 0
  for (skipLines(input); take(input, '||'); skipLines(input)) {
    left = { type: 'or', left, right: readAnd(input) }
    checkLength(input, (count += 1))
  }
  return left
}

function readAnd(input: Input): Test {
  let left = readNot(input)
  let count = 0
  for (skipLines(input); take(input, '&&'); skipLines(input)) {
    left = { type: 'and', left, right: readNot(input) }
    checkLength(input, (count += 1))
  }
  return left
}

/** The tree of a chain is as deep as the chain is long. */
function checkLength(input: Input, count: number): void {
  if (count > longest)
    throw new SyntaxFault('a condition of so many parts is not supported by this shell', lineOf(input))
}

function readNot(input: Input): Test {
  skipLines(input)
  const negates = peekReserved(input) === '!' && !(startsWith(input, '!(') && input.extglob?.())
  if (negates) {
    input.at += 1
    return { type: 'not', test: nested(input, () => readNot(input)) }
  }
  if (!take(input, '(')) return readTerm(input)
  const test = nested(input, () => readOr(input))
  skipLines(input)
  if (take(input, ')')) return test
  if (input.at >= input.text.length) throw wantingMore(fault(input, "expected `)'"))
  const token = tokenAt(input)
  throw fault(input, `${token && `unexpected token \`${token}', `}expected \`)'`)
}

function readTerm(input: Input): Test {
  // As in bash, there is no message.
  if (peekReserved(input) === ']]') throw fault(input, '')
  const left = readOperand(input, wordMode)
  if (left === undefined) {
    if (input.at >= input.text.length) throw wantingMore(fault(input, "unexpected EOF while looking for `]]'"))
    throw fault(input, `unexpected token \`${tokenAt(input)}' in conditional command`)
  }
  const operator = plainText(left)
  skipBlanks(input)
  if (operator !== undefined && unaryOperator.test(operator) && !startsBinary(input)) {
    const operand = peekReserved(input) === ']]' ? undefined : readOperand(input, wordMode)
    if (operand === undefined) throw unexpectedArgument(input, 'unary')
    return { type: 'unary', operator, operand }
  }
  return readBinary(input, left)
}

function readBinary(input: Input, left: Word): Test {
  if (atEndOfTerm(input)) return { type: 'unary', operator: '-n', operand: left }
  const operator = takeBinaryOperator(input)
  if (operator === undefined) {
    const token = tokenAt(input)
    throw fault(input, `${token && `unexpected token \`${token}', `}conditional binary operator expected`)
  }
  skipBlanks(input)
  const right = peekReserved(input) === ']]' ? undefined : readPattern(input, operator === '=~' ? regexMode : wordMode)
  if (right === undefined) throw unexpectedArgument(input, 'binary')
  return { type: 'binary', operator, left, right }
}

function unexpectedArgument(input: Input, kind: string): SyntaxFault {
  const token = peekReserved(input) === ']]' ? ']]' : tokenAt(input)
  return fault(input, `unexpected argument \`${token || 'newline'}' to conditional ${kind} operator`)
}

/** Patterns may be extended ones, whatever the option says. */
function readPattern(input: Input, mode: typeof wordMode): Word | undefined {
  const { extglob } = input
  input.extglob = undefined
  const word = readOperand(input, mode)
  input.extglob = extglob
  return word
}

function readOperand(input: Input, mode: typeof wordMode): Word | undefined {
  const start = input.at
  const word = readWord(input, mode)
  return input.at === start ? undefined : word
}

/** A word such as `-f` on the left of `==` is a text. */
function startsBinary(input: Input): boolean {
  const start = input.at
  const operator = takeBinaryOperator(input)
  skipBlanks(input)
  const isBinary = operator !== undefined && !atEndOfTerm(input)
  input.at = start
  return isBinary
}

function takeBinaryOperator(input: Input): string | undefined {
  const { text, at } = input
  if (text[at] === '<' || text[at] === '>') {
    if (text[at + 1] === '(') return undefined
    input.at += 1
    return text[at]
  }
  let end = at
  while (!isMeta(text[end])) end += 1
  const operator = text.slice(at, end)
  if (!binaryOperators.has(operator)) return undefined
  input.at = end
  return operator
}

function atEndOfTerm(input: Input): boolean {
  if (input.at >= input.text.length || peekReserved(input) === ']]') return true
  return startsWith(input, '&&') || startsWith(input, '||') || startsWith(input, ')')
}

function skipLines(input: Input): void {
  for (skipBlanks(input); input.text[input.at] === '\n'; skipBlanks(input)) takeNewline(input)
}

/** The operator that is next; nothing at a word. */
function tokenAt(input: Input): string {
  if (input.at >= input.text.length || input.text[input.at] === '\n') return 'newline'
  if (peekReserved(input) === ']]') return ']]'
  return peekOperator(input) ?? ''
}

function fault(input: Input, message: string): SyntaxFault {
  const found = new SyntaxFault(message, lineOf(input))
  found.inCondition = true
  found.atEnd = input.text.slice(input.at).trim() === ''
  return found
}
