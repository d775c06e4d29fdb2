/** Evaluates an expression given as arguments. */
import { compileRegex, RegexError } from '../../../regex/index.js'
import { rawProgram } from '../../define-program.js'
import { ProgramError, UsageError } from '../../program-error.js'

export const expr = rawProgram({
  name: 'expr',
  usage: 'EXPRESSION\nOPTION',
  async run(io) {
    const args = io.args[0] === '--' ? io.args.slice(1) : io.args
    if (args.length === 0) throw new UsageError('missing operand', 2)
    const value = evaluate(args)
    await io.stdout.write(`${value}\n`)
    return isNull(value) ? 1 : 0
  },
})

const isNumber = (text: string) => /^-?\d+$/.test(text)
const isNull = (text: string) => text === '' || /^-?0+$/.test(text)

const levels: ReadonlyArray<readonly string[]> = [
  ['|'],
  ['&'],
  ['<', '<=', '=', '==', '!=', '>=', '>'],
  ['+', '-'],
  ['*', '/', '%'],
  [':'],
]

function evaluate(args: readonly string[]): string {
  let at = 0

  /** `skip`: the value is not needed, so errors of arithmetic do not matter. */
  function binary(level: number, skip: boolean): string {
    const operators = levels[level]
    if (operators === undefined) return primary(skip)
    let left = binary(level + 1, skip)
    for (;;) {
      const operator = args[at]
      if (operator === undefined || !operators.includes(operator)) return left
      at += 1
      const skipsRight = skip || (operator === '|' && !isNull(left)) || (operator === '&' && isNull(left))
      const right = binary(level + 1, skipsRight)
      left = skip ? '' : apply(operator, left, right)
    }
  }

  function operand(): string {
    const text = args[at]
    if (text === undefined) throw new ProgramError(`syntax error: missing argument after ‘${args[at - 1]}’`, 2)
    at += 1
    return text
  }

  function primary(skip: boolean): string {
    const text = operand()
    switch (text) {
      case '+':
        return operand()
      case '(': {
        const value = binary(0, skip)
        if (args[at] === undefined) throw new ProgramError(`syntax error: expecting ')' after ‘${args[at - 1]}’`, 2)
        if (args[at] !== ')') throw new ProgramError(`syntax error: expecting ')' instead of ‘${args[at]}’`, 2)
        at += 1
        return value
      }
      case ')':
        throw new ProgramError("syntax error: unexpected ')'", 2)
      case 'length':
        return String([...primary(skip)].length)
      case 'match': {
        const subject = primary(skip)
        return match(subject, primary(skip))
      }
      case 'index': {
        const subject = [...primary(skip)]
        const wanted = new Set(primary(skip))
        return String(subject.findIndex((character) => wanted.has(character)) + 1)
      }
      case 'substr': {
        const subject = [...primary(skip)]
        const start = primary(skip)
        const length = primary(skip)
        if (!isNumber(start) || !isNumber(length) || Number(start) < 1 || Number(length) < 1) return ''
        return subject.slice(Number(start) - 1, Number(start) - 1 + Number(length)).join('')
      }
      default:
        return text
    }
  }

  const value = binary(0, false)
  if (at < args.length) throw new ProgramError(`syntax error: unexpected argument ‘${args[at]}’`, 2)
  return value
}

function apply(operator: string, left: string, right: string): string {
  if (operator === '|') return isNull(left) ? (isNull(right) ? '0' : right) : left
  if (operator === '&') return isNull(left) || isNull(right) ? '0' : left
  if (operator === ':') return match(left, right)
  if (levels[2]?.includes(operator)) return compare(operator, left, right) ? '1' : '0'
  if (!isNumber(left) || !isNumber(right)) throw new ProgramError('non-integer argument', 2)
  const one = BigInt(left)
  const other = BigInt(right)
  if (operator === '+') return String(one + other)
  if (operator === '-') return String(one - other)
  if (operator === '*') return String(one * other)
  if (other === 0n) throw new ProgramError('division by zero', 2)
  return String(operator === '/' ? one / other : one % other)
}

function compare(operator: string, left: string, right: string): boolean {
  const order = isNumber(left) && isNumber(right) ? sign(BigInt(left) - BigInt(right)) : textOrder(left, right)
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  if (operator === '=' || operator === '==') return order === 0
  if (operator === '!=') return order !== 0
  return operator === '>=' ? order >= 0 : order > 0
}

const sign = (value: bigint) => (value < 0n ? -1 : value > 0n ? 1 : 0)

/** By code points. */
function textOrder(left: string, right: string): number {
  const one = [...left]
  const other = [...right]
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const difference = (one[at]?.codePointAt(0) ?? 0) - (other[at]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** The first group of a match at the start, or the number of characters that match. */
function match(subject: string, pattern: string): string {
  try {
    const regex = compileRegex(pattern, { syntax: 'basic' })
    const leftmost = regex.exec(subject)
    const found = leftmost?.start === 0 ? leftmost : undefined
    if (regex.groups > 0) {
      const group = found?.groups[0]
      return group === undefined ? '' : subject.slice(...group)
    }
    return found === undefined ? '0' : String([...subject.slice(0, found.end)].length)
  } catch (error) {
    if (error instanceof RegexError) throw new ProgramError(error.message, 2)
    throw error
  }
}
