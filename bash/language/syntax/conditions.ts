/** Reads `[[ … ]]`. */
import type { Condition, Test, Word } from './ast.js'
import { SyntaxFault } from './fault.js'
import { takeNewline } from './heredocs.js'
import {
  type Input,
  isMeta,
  lineOf,
  nested,
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
  const extglob = input.extglob
  // Patterns may be extended ones here, whatever the option says.
  input.extglob = undefined
  const test = nested(input, () => readOr(input))
  input.extglob = extglob
  skipLines(input)
  if (peekReserved(input) !== ']]') throw wrongToken(input)
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
  if (peekReserved(input) === '!') {
    input.at += 1
    return { type: 'not', test: nested(input, () => readNot(input)) }
  }
  if (!take(input, '(')) return readTerm(input)
  const test = nested(input, () => readOr(input))
  skipLines(input)
  if (!take(input, ')')) throw wrongToken(input)
  return test
}

function readTerm(input: Input): Test {
  if (peekReserved(input) === ']]') throw wrongToken(input)
  const left = readOperand(input, wordMode)
  if (left === undefined) throw wrongToken(input)
  const operator = plainText(left)
  skipBlanks(input)
  if (operator !== undefined && unaryOperator.test(operator) && !startsBinary(input)) {
    if (atEndOfTerm(input)) {
      if (peekReserved(input) === ']]' || input.at >= input.text.length) {
        throw new SyntaxFault(`unexpected argument \`${tokenAt(input)}' to conditional unary operator`, lineOf(input))
      }
      return { type: 'unary', operator: '-n', operand: left }
    }
    const operand = readOperand(input, wordMode)
    if (operand === undefined) throw wrongToken(input)
    return { type: 'unary', operator, operand }
  }
  return readBinary(input, left)
}

function readBinary(input: Input, left: Word): Test {
  if (atEndOfTerm(input)) return { type: 'unary', operator: '-n', operand: left }
  const operator = takeBinaryOperator(input)
  if (operator === undefined) {
    const what = startsWith(input, '\n') ? "unexpected token `newline', " : ''
    throw new SyntaxFault(`${what}conditional binary operator expected`, lineOf(input))
  }
  skipBlanks(input)
  const right = operator === '=~' ? readOperand(input, regexMode) : readOperand(input, wordMode)
  if (right === undefined || right.source === ']]') {
    throw new SyntaxFault(
      `unexpected argument \`${right?.source ?? tokenAt(input)}' to conditional binary operator`,
      lineOf(input),
    )
  }
  return { type: 'binary', operator, left, right }
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

function tokenAt({ text, at }: Input): string {
  return /^(?:\n|[^\s;&|<>()]+|.)/.exec(text.slice(at, at + 100))?.[0]?.replace('\n', 'newline') ?? 'EOF'
}

function wrongToken(input: Input): SyntaxFault {
  const line = lineOf(input)
  if (input.at >= input.text.length) {
    return wantingMore(new SyntaxFault("unexpected EOF while looking for `]]'", line))
  }
  return new SyntaxFault(`syntax error in conditional expression: unexpected token \`${tokenAt(input)}'`, line)
}
