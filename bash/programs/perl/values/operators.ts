/** The operators on numbers and text. */
import { Unsupported } from '../syntax/perl-error.js'
import { indexOf, looksLikeNumber, type Numeric, numberOf, textOf, truth, whole, wholeOf } from './numbers.js'
import { PerlDie } from './perl-die.js'
import type { Value } from './values.js'

type Operator = (left: Value, right: Value) => Value

const limit = 1e15

function add(left: Value, right: Value): Value {
  const [a, b] = [numberOf(left), numberOf(right)]
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (sum < limit && sum > -limit) return sum
  }
  return exactly(a, b, (x, y) => x + y) ?? Number(a) + Number(b)
}

function subtract(left: Value, right: Value): Value {
  const [a, b] = [numberOf(left), numberOf(right)]
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (difference < limit && difference > -limit) return difference
  }
  return exactly(a, b, (x, y) => x - y) ?? Number(a) - Number(b)
}

function multiply(left: Value, right: Value): Value {
  const [a, b] = [numberOf(left), numberOf(right)]
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (product < limit && product > -limit) return product
  }
  return exactly(a, b, (x, y) => x * y) ?? Number(a) * Number(b)
}

function exactly(a: Numeric, b: Numeric, compute: (x: bigint, y: bigint) => bigint): Numeric | undefined {
  const x = wholeOf(a)
  const y = wholeOf(b)
  return x === undefined || y === undefined ? undefined : whole(compute(x, y))
}

function divide(left: Value, right: Value): Value {
  const [a, b] = [numberOf(left), numberOf(right)]
  if (Number(b) === 0) throw new PerlDie('Illegal division by zero')
  const x = wholeOf(a)
  const y = wholeOf(b)
  if (x !== undefined && y !== undefined && (typeof a === 'bigint' || typeof b === 'bigint')) {
    const [size, by] = [x < 0n ? -x : x, y < 0n ? -y : y]
    if (size >= by && size > 1n << 53n && size % by === 0n) return whole(x / y)
  }
  return Number(a) / Number(b)
}

/** Whole as perl makes it of an operand of `%` and of bits: within 64 bits, towards zero. */
function wholeOperand(value: Numeric): bigint {
  if (typeof value === 'bigint') return value
  if (Number.isNaN(value)) return 0n
  if (value >= 2 ** 64) return (1n << 64n) - 1n
  if (value <= -(2 ** 63)) return -(1n << 63n)
  return BigInt(Math.trunc(value))
}

function modulo(left: Value, right: Value): Value {
  const [a, b] = [numberOf(left), numberOf(right)]
  if (
    typeof a === 'number' &&
    typeof b === 'number' &&
    Number.isInteger(a) &&
    Number.isInteger(b) &&
    a >= 0 &&
    b > 0 &&
    a < limit &&
    b < limit
  ) {
    return a % b
  }
  if (!Number.isFinite(Number(a)) || !Number.isFinite(Number(b)))
    throw new Unsupported('% of a number that is not finite')
  const y = typeof b === 'bigint' ? b : BigInt(Math.trunc(b))
  const x = typeof a === 'bigint' ? a : BigInt(Math.trunc(a))
  if (y === 0n) throw new PerlDie('Illegal modulus zero')
  let rest = x % y
  if (rest !== 0n && rest < 0n !== y < 0n) rest += y
  return whole(rest)
}

function power(left: Value, right: Value): Value {
  const [a, b] = [numberOf(left), numberOf(right)]
  const x = wholeOf(a)
  const y = wholeOf(b)
  if (x !== undefined && y !== undefined && y >= 0n && y < 64n) {
    const exactPower = x ** y
    const size = exactPower < 0n ? -exactPower : exactPower
    const bits = (x < 0n ? -x : x).toString(2).length
    if (size < 1n << 53n || (bits * Number(y) <= 64 && !isPowerOfTwo(x))) return whole(exactPower)
    return Number(exactPower)
  }
  if (Number(a) === 1) return 1
  return Number(a) ** Number(b)
}

function isPowerOfTwo(value: bigint): boolean {
  const size = value < 0n ? -value : value
  return (size & (size - 1n)) === 0n
}

function bits(compute: (x: bigint, y: bigint) => bigint): Operator {
  return (left, right) => {
    if (typeof left === 'string' && typeof right === 'string') {
      throw new Unsupported('an operator on the bits of two texts')
    }
    const x = BigInt.asUintN(64, wholeOperand(numberOf(left)))
    const y = BigInt.asUintN(64, wholeOperand(numberOf(right)))
    return whole(BigInt.asUintN(64, compute(x, y)))
  }
}

function shift(isLeft: boolean): Operator {
  return (left, right) => {
    let count = indexOf(right)
    let toLeft = isLeft
    if (count < 0) {
      count = -count
      toLeft = !toLeft
    }
    const value = BigInt.asUintN(64, wholeOperand(numberOf(left)))
    if (count >= 64) return 0
    return whole(toLeft ? BigInt.asUintN(64, value << BigInt(count)) : value >> BigInt(count))
  }
}

export function complement(value: Value): Value {
  if (typeof value === 'string') throw new Unsupported('~ of text')
  return whole(BigInt.asUintN(64, ~wholeOperand(numberOf(value))))
}

/** Of numbers: -1, 0 or 1, or undefined beside what is none. */
export function compareNumbers(left: Value, right: Value): number | undefined {
  const a = typeof left === 'number' ? left : numberOf(left)
  const b = typeof right === 'number' ? right : numberOf(right)
  if (a < b) return -1
  if (a > b) return 1
  return a >= b ? 0 : undefined
}

export function compareTexts(left: Value, right: Value): number {
  const a = textOf(left)
  const b = textOf(right)
  return a < b ? -1 : a > b ? 1 : 0
}

export const mostText = 1 << 28

export function repeated(text: string, count: number): string {
  if (!(count > 0)) return ''
  if (text.length * count > mostText) throw new PerlDie('Out of memory!')
  return text.repeat(count)
}

export const operators: Readonly<Record<string, Operator>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': modulo,
  '**': power,
  '.': (left, right) => textOf(left) + textOf(right),
  x: (left, right) => repeated(textOf(left), indexOf(right)),
  '&': bits((x, y) => x & y),
  '|': bits((x, y) => x | y),
  '^': bits((x, y) => x ^ y),
  '<<': shift(true),
  '>>': shift(false),
  '==': (left, right) => truth(compareNumbers(left, right) === 0),
  '!=': (left, right) => truth(compareNumbers(left, right) !== 0),
  '<': (left, right) => truth(compareNumbers(left, right) === -1),
  '>': (left, right) => truth(compareNumbers(left, right) === 1),
  '<=': (left, right) => truth((compareNumbers(left, right) ?? 1) <= 0),
  '>=': (left, right) => truth((compareNumbers(left, right) ?? -1) >= 0),
  '<=>': compareNumbers,
  eq: (left, right) => truth(textOf(left) === textOf(right)),
  ne: (left, right) => truth(textOf(left) !== textOf(right)),
  lt: (left, right) => truth(compareTexts(left, right) < 0),
  gt: (left, right) => truth(compareTexts(left, right) > 0),
  le: (left, right) => truth(compareTexts(left, right) <= 0),
  ge: (left, right) => truth(compareTexts(left, right) >= 0),
  cmp: compareTexts,
}

/** `-$x`: of text that begins with a letter or sign, that text with the other sign. */
export function negative(value: Value): Value {
  if (typeof value === 'string' && !looksLikeNumber(value)) {
    if (/^[A-Za-z_]/.test(value)) return `-${value}`
    if (/^-[A-Za-z_]/.test(value)) return `+${value.slice(1)}`
    if (/^\+[A-Za-z_]/.test(value)) return `-${value.slice(1)}`
  }
  const number = numberOf(value)
  return typeof number === 'bigint' ? whole(-number) : 0 - number
}

/** `++` of text such as `az` or `Zz9` goes on with the next of its kind. */
export function nextOf(value: Value): Value {
  if (value === '') return 1
  const isPlain = typeof value !== 'string' || /^(?:0|[1-9][0-9]{0,14})$/.test(value)
  return isPlain || !/^[A-Za-z]*[0-9]*$/.test(value) ? add(value, 1) : nextText(value)
}

/** The next text of letters and digits. */
export function nextText(value: string): string {
  const letters = [...value]
  for (let at = letters.length - 1; at >= 0; at -= 1) {
    const letter = letters[at] as string
    const first = letter === 'z' ? 'a' : letter === 'Z' ? 'A' : letter === '9' ? '0' : undefined
    if (first === undefined) {
      letters[at] = String.fromCharCode(letter.charCodeAt(0) + 1)
      return letters.join('')
    }
    letters[at] = first
  }
  const [first = ''] = letters
  return (first === '0' ? '1' : first) + letters.join('')
}

export function roundedDown(value: Value): Value {
  const number = numberOf(value)
  if (typeof number === 'bigint') return number
  const cut = Math.trunc(number)
  if (Math.abs(cut) >= limit && Math.abs(cut) < 2 ** 63) return whole(BigInt(cut))
  return cut + 0
}
