/** Numbers under `--non-decimal-data`, where text can also be hexadecimal or octal. */
import { numberOf, posixNumberOf, type Scalar, toNumber, UserText } from './values.js'

interface Reading {
  number: number
  /** Nothing comes after the number. */
  isWhole: boolean
}

const none: Reading = { number: 0, isWhole: false }
const magic = /^[-+](inf|nan)/i
const decimal = /^[-+]?(?:0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[-+]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)/i

function read(given: string): Reading {
  const text = given.replace(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, '')
  if (text === '' || /^[a-z]/i.test(text)) return none
  if (magic.test(text)) return text.length === 4 ? { number: numberOf(text), isWhole: true } : none
  if (/^0x/i.test(text)) return digits(text, /^[0-9a-f]*/i, 16, 2)
  // A point or an exponent after its digits makes it decimal, and so do digits that are not octal.
  if (/^0[0-7]/.test(text) && !/^\d+[.e]/i.test(text) && !/^[0-7]*[89]/.test(text)) return digits(text, /^[0-7]*/, 8, 0)
  const [found] = decimal.exec(text) ?? []
  if (found === undefined) return none
  return { number: posixNumberOf(found), isWhole: found === text }
}

function digits(text: string, expression: RegExp, base: number, start: number): Reading {
  const [found = ''] = expression.exec(text.slice(start)) ?? []
  const isWhole = found !== '' && start + found.length === text.length
  return { number: [...found].reduce((value, digit) => value * base + Number.parseInt(digit, base), 0), isWhole }
}

/** A value as a number, where text can be one in more ways than usual. */
export function numberIn({ posix, nonDecimal }: { posix: boolean; nonDecimal: boolean }, value: Scalar): number {
  if (typeof value !== 'string') return toNumber(value)
  if (posix) return posixNumberOf(value)
  return nonDecimal ? nonDecimalNumberOf(value) : numberOf(value)
}

/** The number that text begins with, or 0. */
export function nonDecimalNumberOf(text: string): number {
  return read(text).number
}

/** Text from outside. */
export class NonDecimalText extends UserText {
  override get number(): number | null {
    const { number, isWhole } = read(this.text)
    return isWhole ? number : null
  }

  override get leading(): number {
    return nonDecimalNumberOf(this.text)
  }
}
