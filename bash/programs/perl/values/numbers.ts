/** Numbers and their text, as perl converts one to the other, with whole numbers of 64 bits. */
import { general } from '../../awk/values/numbers.js'
import { Unsupported } from '../syntax/perl-error.js'
import { addressOf, Both, isReference, kindOf, no, RegexValue, type Value } from './values.js'

export type Numeric = number | bigint

const digitsOfFraction = 1e15
const exact = 2 ** 53
const smallest = -(1n << 63n)
const largest = (1n << 64n) - 1n

/** As a value: a bigint where a number would be taken for a fraction. Beyond 64 bits it is one. */
export function whole(value: bigint): Numeric {
  if (value > -1_000_000_000_000_000n && value < 1_000_000_000_000_000n) return Number(value)
  return value >= smallest && value <= largest ? value : Number(value)
}

/** The whole number that perl takes it for; undefined for a fraction, and for what is too large. */
export function wholeOf(value: Numeric): bigint | undefined {
  if (typeof value === 'bigint') return value
  return Number.isInteger(value) && value > -exact && value < exact ? BigInt(value) : undefined
}

export function numberText(value: Numeric): string {
  if (typeof value === 'bigint') return value.toString()
  if (Number.isInteger(value) && value < digitsOfFraction && value > -digitsOfFraction) {
    return value === 0 ? '0' : String(value)
  }
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf'
  return (value < 0 ? '-' : '') + general(Math.abs(value), 15)
}

export function textOf(value: Value): string {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint') return numberText(value)
  if (value instanceof Both) return value.text
  if (value instanceof RegexValue) return value.toText()
  return `${kindOf(value)}(0x${addressOf(value).toString(16)})`
}

const start = /^[ \t\n\r\f\v]*([-+]?)(?:(\d+)(\.\d*)?|(\.\d+))((?:[eE][-+]?\d+)?)(?:[ \t\n\r\f\v]*($)|)/
const notFinite = /^[ \t\n\r\f\v]*([-+]?)(inf(?:inity)?|nan)/i

export function numberOfText(text: string): Numeric {
  const found = start.exec(text)
  if (found === null) {
    const named = notFinite.exec(text)
    if (named === null) return 0
    if (named[2]?.toLowerCase() === 'nan') return Number.NaN
    return named[1] === '-' ? -Infinity : Infinity
  }
  const [, sign = '', digits = '', point = '', fraction = '', exponent = '', end] = found
  const isWhole = point === '' && fraction === '' && exponent === ''
  if (isWhole && digits.length <= 15) return Number(digits) * (sign === '-' ? -1 : 1)
  if (isWhole && end !== undefined) return whole(BigInt(digits) * (sign === '-' ? -1n : 1n))
  const value = Number(`${sign}${digits || '0'}${point === '.' ? '' : point}${fraction}${exponent}`)
  if (Math.abs(value) < digitsOfFraction || !Number.isFinite(value)) return value
  // Perl takes it for a whole number in one operator and for a fraction in the next.
  if (end === undefined) throw new Unsupported('a number of more than 15 digits before other text')
  if (exponent === '' && Number.isInteger(value)) throw new Unsupported('a number of more than 15 digits with a point')
  return exponent !== '' && Number.isInteger(value) ? whole(BigInt(value)) : value
}

export function numberOf(value: Value): Numeric {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value === 'string') return numberOfText(value)
  if (value === undefined) return 0
  if (value instanceof Both) return value.number
  return addressOf(value)
}

/** As a number of the platform. */
export function plainNumber(value: Value): number {
  return typeof value === 'number' ? value : Number(numberOf(value))
}

/** Whole, as an index is. */
export function indexOf(value: Value): number {
  const number = plainNumber(value)
  return Number.isNaN(number) ? 0 : Math.trunc(number)
}

export function isTrue(value: Value): boolean {
  if (typeof value === 'string') return value !== '' && value !== '0'
  if (typeof value === 'number') return value !== 0
  if (value === no) return false
  if (value === undefined) return false
  if (value instanceof Both) return value.text !== '' && value.text !== '0'
  return typeof value === 'bigint' || value !== null
}

export function truth(value: boolean): Value {
  return value ? 1 : no
}

export function looksLikeNumber(value: Value): boolean {
  if (value === undefined) return false
  if (typeof value !== 'string') return !isReference(value)
  return /^\s*[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan)\s*$/i.test(value)
}
