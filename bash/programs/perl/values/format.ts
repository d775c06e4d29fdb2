/** `sprintf`. */
import { exponential, fixed, general } from '../../awk/values/numbers.js'
import { Unsupported } from '../syntax/perl-error.js'
import { indexOf, numberOf, plainNumber, textOf } from './numbers.js'
import type { Value } from './values.js'

const directive = /%([-+ 0#]*)(\*|\d+)?(?:\.(\*|\d*))?(?:hh|h|ll|l|q|L|V|z|t|j)?([a-zA-Z%])/y

/** Looks at what a format takes. */
export interface FormatWatch {
  taken(at: number, as: 'text' | 'number'): void
  /** Some values were not taken. */
  left(): void
}

/** The first value is the format. */
export function formatText(values: readonly Value[], watch?: FormatWatch): string {
  let highest = 1
  const take = (as: 'text' | 'number'): Value => {
    watch?.taken(highest, as)
    return values[highest++]
  }
  watch?.taken(0, 'text')
  const text = formatted(values, take)
  if (highest < values.length) watch?.left()
  return text
}

function formatted(values: readonly Value[], take: (as: 'text' | 'number') => Value): string {
  const format = textOf(values[0])
  let result = ''
  for (let at = 0; at < format.length; ) {
    const next = format.indexOf('%', at)
    if (next < 0) return result + format.slice(at)
    result += format.slice(at, next)
    directive.lastIndex = next
    const found = directive.exec(format)
    if (found === null) throw new Unsupported(`the format ${format.slice(next, next + 8)}`)
    at = directive.lastIndex
    const [, given = '', widthText, precisionText, letter = ''] = found
    if (letter === '%') {
      if (found[0] !== '%%') throw new Unsupported(`the format ${found[0]}`)
      result += '%'
      continue
    }
    let flags = given
    let width = widthText === '*' ? indexOf(take('number')) : Number(widthText ?? 0)
    if (width < 0) {
      flags += '-'
      width = -width
    }
    let precision: number | undefined =
      precisionText === undefined ? undefined : precisionText === '*' ? indexOf(take('number')) : Number(precisionText)
    if (precision !== undefined && precision < 0) precision = undefined
    if (width > 1 << 26 || (precision ?? 0) > 1 << 26) throw new Unsupported('a width of this size')
    result += one(letter, flags, width, precision, take(letter === 's' ? 'text' : 'number'))
  }
  return result
}

function one(letter: string, flags: string, width: number, precision: number | undefined, value: Value): string {
  switch (letter) {
    case 's': {
      const text = textOf(value)
      return padded(precision === undefined ? text : text.slice(0, precision), width, flags, '')
    }
    case 'c': {
      const code = indexOf(value)
      if (code < 0 || code > 255) throw new Unsupported('a character beyond \\xff')
      return padded(String.fromCharCode(code).slice(0, precision), width, flags, '')
    }
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'b':
    case 'B':
      return wholeText(letter, flags, width, precision, value)
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return fraction(letter, flags, width, precision, plainNumber(value))
    default:
      throw new Unsupported(`the format %${letter}`)
  }
}

function wholeText(letter: string, flags: string, width: number, precision: number | undefined, value: Value): string {
  const number = numberOf(value)
  const plain = Number(number)
  if (!Number.isFinite(plain)) {
    if (letter !== 'd' && letter !== 'i') throw new Unsupported(`%${letter} of what is no number`)
    return padded(
      Number.isNaN(plain) ? 'NaN' : plain < 0 ? '-Inf' : flags.includes('+') ? '+Inf' : 'Inf',
      width,
      flags.replace('0', ''),
      '',
    )
  }
  const isSigned = letter === 'd' || letter === 'i'
  let exact = typeof number === 'bigint' ? number : BigInt(Math.trunc(number))
  const [low, high] = isSigned ? [-(1n << 63n), (1n << 63n) - 1n] : [-(1n << 63n), (1n << 64n) - 1n]
  if (exact > high) exact = isSigned ? BigInt.asIntN(64, exact >= 1n << 64n ? -1n : exact) : high
  if (exact < low) exact = low
  if (!isSigned) exact = BigInt.asUintN(64, exact)
  const base = letter === 'o' ? 8 : letter === 'x' || letter === 'X' ? 16 : letter === 'b' || letter === 'B' ? 2 : 10
  let digits = (exact < 0n ? -exact : exact).toString(base)
  if (precision === 0 && exact === 0n) digits = ''
  if (precision !== undefined) digits = digits.padStart(precision, '0')
  let prefix = ''
  if (isSigned) prefix = exact < 0n ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  if (flags.includes('#') && exact !== 0n) {
    if (letter === 'o' && !digits.startsWith('0')) digits = `0${digits}`
    else if (base === 16 || base === 2) prefix = `0${letter}`
  }
  if (letter === 'X') digits = digits.toUpperCase()
  return padded(digits, width, precision === undefined ? flags : flags.replaceAll('0', ''), prefix)
}

function fraction(letter: string, flags: string, width: number, given: number | undefined, value: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  if (Number.isNaN(value)) return padded('NaN', width, flags.replaceAll('0', ''), '')
  if (!Number.isFinite(value)) return padded('Inf', width, flags.replaceAll('0', ''), sign)
  const precision = given ?? 6
  const alternate = flags.includes('#')
  if (alternate && !/g/i.test(letter)) throw new Unsupported(`the format %#${letter}`)
  const size = Math.abs(value)
  const kind = letter.toLowerCase()
  let text =
    kind === 'f'
      ? fixed(size, precision)
      : kind === 'e'
        ? exponential(size, precision)
        : general(size, precision, alternate)
  if (letter === 'E' || letter === 'G') text = text.toUpperCase()
  return padded(text, width, flags, sign)
}

function padded(text: string, width: number, flags: string, prefix: string): string {
  const missing = width - text.length - prefix.length
  if (missing <= 0) return prefix + text
  if (flags.includes('-')) return prefix + text + ' '.repeat(missing)
  if (flags.includes('0')) return prefix + '0'.repeat(missing) + text
  return ' '.repeat(missing) + prefix + text
}
