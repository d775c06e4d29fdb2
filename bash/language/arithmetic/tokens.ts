/** Splits an arithmetic expression into tokens. */
import { findClosing } from '../syntax/matching.js'
import { ArithmeticFault } from './expression.js'
import { type Integer, parseDigits } from './integers.js'

export type Token =
  | { type: 'number'; value: Integer; at: number }
  | { type: 'name'; name: string; subscript?: string; at: number }
  | { type: 'operator'; text: string; at: number }

const blank = /\s*/y
const name = /[A-Za-z_][A-Za-z0-9_]*/y
const number = /[0-9][0-9A-Za-z#@_]*/y
const operator = /\*\*|<<=|>>=|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|<<|>>|\+\+|--|[-+*/%&|^~!<>?:=,()]/y

export function readTokens(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    blank.lastIndex = at
    at += (blank.exec(text)?.[0] ?? '').length
    if (at >= text.length) return tokens
    const token = readToken(text, at, tokens[tokens.length - 1])
    tokens.push(token.token)
    at = token.end
  }
}

function readToken(text: string, at: number, before: Token | undefined): { token: Token; end: number } {
  name.lastIndex = at
  const [word] = name.exec(text) ?? []
  if (word !== undefined) return readName(text, at, word)
  number.lastIndex = at
  const [digits] = number.exec(text) ?? []
  if (digits !== undefined) {
    return {
      token: { type: 'number', value: parseNumber(text.slice(0, at + digits.length), digits, at), at },
      end: at + digits.length,
    }
  }
  operator.lastIndex = at
  const [found] = operator.exec(text) ?? []
  if (found === undefined) {
    const problem = isOperand(before) ? 'invalid arithmetic operator' : 'operand expected'
    throw new ArithmeticFault(text, `syntax error: ${problem}`, at)
  }
  const kept = (found === '++' || found === '--') && !isStep(text, at, before) ? (found[0] as string) : found
  return { token: { type: 'operator', text: kept, at }, end: at + kept.length }
}

function isOperand(token: Token | undefined): boolean {
  return token !== undefined && (token.type !== 'operator' || token.text === ')')
}

/** `++` counts only next to a name; otherwise it is two signs. */
function isStep(text: string, at: number, before: Token | undefined): boolean {
  if (before?.type === 'name') return true
  blank.lastIndex = at + 2
  const next = at + 2 + (blank.exec(text)?.[0] ?? '').length
  return /[A-Za-z_]/.test(text[next] ?? '')
}

function readName(text: string, at: number, word: string): { token: Token; end: number } {
  const open = at + word.length
  if (text[open] !== '[') return { token: { type: 'name', name: word, at }, end: open }
  const end = findClosing(text, open + 1, '[', ']')
  if (end < 0) throw new ArithmeticFault(text, 'bad array subscript', at)
  return { token: { type: 'name', name: word, subscript: text.slice(open + 1, end), at }, end: end + 1 }
}

/** `text` ends with the digits: so do the messages. */
function parseNumber(text: string, digits: string, at: number): Integer {
  const mark = digits.indexOf('#')
  if (mark >= 0) {
    const base = parseDigits(digits.slice(0, mark), 10)
    if (base === undefined || digits.startsWith('0')) throw new ArithmeticFault(text, 'invalid number', at)
    if (base < 2 || base > 64) throw new ArithmeticFault(text, 'invalid arithmetic base', at)
    if (mark === digits.length - 1) throw new ArithmeticFault(text, 'invalid integer constant', at)
    return inBase(text, digits.slice(mark + 1), Number(base), at)
  }
  if (/^0[xX]/.test(digits)) return inBase(text, digits.slice(2), 16, at)
  return inBase(text, digits, digits.startsWith('0') ? 8 : 10, at)
}

function inBase(text: string, digits: string, base: number, at: number): Integer {
  const value = parseDigits(digits, base)
  if (value === undefined) throw new ArithmeticFault(text, 'value too great for base', at)
  return value
}
