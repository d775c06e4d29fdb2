/** `printf` of awk. Formats are parsed once and kept. */
import { decodeText, encodeText } from '../../../io/byte-text.js'
import { AwkFatal } from '../syntax/awk-error.js'
import { numberIn } from './non-decimal.js'
import { exponential, fixed, general, hexadecimal, notFinite } from './numbers.js'
import { comparesAs, IndexText, numberOf, RegexText, type Scalar, toNumber, UserText } from './values.js'

interface Directive {
  /** Such as `d`. */
  letter: string
  flags: string
  /** Such as `l`, which says nothing here. */
  modifier: string
  /** `*` takes an argument; `*2$` the second one. */
  width: number | StarArgument | undefined
  precision: number | StarArgument | undefined
  /** The argument's number when it was given, as in `%2$s`. */
  position: number | undefined
  start: number
  /** Where it ends in the format. */
  end: number
}

interface StarArgument {
  position: number | undefined
}

type Piece = string | Directive

const directive = /%(?:(\d+)\$)?([-+ #0']*)(\*(?:(\d+)\$)?|\d+)?(?:\.(\*(?:(\d+)\$)?|-?\d+)?)?([hlLjtz]?)([a-zA-Z%])/y
const known = 'diouxXeEfFgGaAcs%'
const cache = new Map<string, Piece[]>()
const cacheSize = 200

function parseFormat(format: string): Piece[] {
  const kept = cache.get(format)
  if (kept !== undefined) return kept
  const pieces: Piece[] = []
  let text = ''
  let at = 0
  while (at < format.length) {
    const next = format.indexOf('%', at)
    if (next === -1) break
    text += format.slice(at, next)
    directive.lastIndex = next
    const found = directive.exec(format)
    const letter = found?.[8] ?? ''
    if (found === null || !known.includes(letter)) {
      // What is not a directive is printed as it is.
      text += found?.[0] ?? '%'
      at = next + (found?.[0].length ?? 1)
      continue
    }
    at = directive.lastIndex
    if (letter === '%') {
      text += '%'
      continue
    }
    if (text !== '') pieces.push(text)
    text = ''
    const hasPrecision = /\./.test(found[0])
    pieces.push({
      letter,
      flags: found[2] ?? '',
      modifier: found[7] ?? '',
      width: sizeOf(found[3], found[4]),
      precision: hasPrecision ? (sizeOf(found[5], found[6]) ?? 0) : undefined,
      position: found[1] === undefined ? undefined : Number(found[1]),
      start: next,
      end: at,
    })
  }
  text += format.slice(at)
  if (text !== '') pieces.push(text)
  const counted = pieces.filter((piece) => typeof piece === 'object')
  if (new Set(counted.map(({ position }) => position === undefined)).size > 1) {
    throw new AwkFatal("must use `count$' on all formats or none")
  }
  if (cache.size >= cacheSize) cache.clear()
  cache.set(format, pieces)
  return pieces
}

function sizeOf(written: string | undefined, position: string | undefined): number | StarArgument | undefined {
  if (written === undefined) return undefined
  if (!written.startsWith('*')) return Number(written)
  return { position: position === undefined ? undefined : Number(position) }
}

interface FormatSettings {
  /** Every byte is a character. */
  isBytes?: boolean
  /** Refuse what POSIX or the first awk do not have. */
  posix?: boolean
  /** Text can be a hexadecimal or octal number. */
  nonDecimal?: boolean
  traditional?: boolean
}

export function formatText(
  format: string,
  args: readonly Scalar[],
  text: (value: Scalar) => string,
  { isBytes = false, posix = false, traditional = false, nonDecimal = false }: FormatSettings = {},
): string {
  let result = ''
  let used = 0

  function argument(position: number | undefined, end: number): Scalar {
    const index = position === undefined ? used++ : position - 1
    if (index < args.length && index >= 0) return args[index]
    if (position === 0) throw new AwkFatal("argument index with `$' must be > 0")
    if (position !== undefined)
      throw new AwkFatal(`argument index ${position} greater than total number of supplied arguments`)
    const pointer = ' '.repeat(Math.max(0, [...format.slice(0, end)].length - 1))
    throw new AwkFatal(
      `not enough arguments to satisfy format string\n\t\`${format}'\n\t${pointer}^ ran out for this one`,
    )
  }

  function size(given: number | StarArgument | undefined, end: number): number | undefined {
    if (typeof given !== 'object') return given
    return Math.trunc(toNumber(argument(given.position, end)))
  }

  for (const piece of parseFormat(format)) {
    if (typeof piece === 'string') {
      result += piece
      continue
    }
    if (posix && piece.modifier !== '') throw new AwkFatal(`\`${piece.modifier}' is not permitted in POSIX awk formats`)
    if (traditional && piece.position !== undefined) throw new AwkFatal("`$' is not permitted in awk formats")
    let { flags } = piece
    if (piece.position !== undefined && piece.position > args.length) argument(piece.position, piece.end)
    const star = format.indexOf('*', piece.start) + 1
    let width = size(piece.width, star) ?? 0
    const precision = size(piece.precision, format.lastIndexOf('*', piece.end) + 1)
    if (width < 0) {
      flags += '-'
      width = -width
    }
    const value = argument(piece.position, piece.end)
    result += formatOne(
      piece.letter,
      flags,
      width,
      precision === undefined || precision < 0 ? undefined : precision,
      value,
      text,
      { isBytes, posix, nonDecimal },
    )
  }
  return result
}

function formatOne(
  letter: string,
  flags: string,
  width: number,
  precision: number | undefined,
  value: Scalar,
  text: (value: Scalar) => string,
  { isBytes, posix, nonDecimal }: { isBytes: boolean; posix: boolean; nonDecimal: boolean },
): string {
  if (letter === 's') return padded(firstCharacters(text(value), precision), width, flags)
  if (letter === 'c') {
    const character = characterOf(value, text, isBytes)
    // The width of a character that is given by its number counts bytes.
    const extra = typeof value === 'number' ? encodeText(character).length - 1 : 0
    return padded(character, Math.max(0, width - extra), flags)
  }
  const number = numberIn({ posix, nonDecimal }, value)
  if (!Number.isFinite(number)) {
    const sign = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
    const text = /[A-Z]/.test(letter) ? notFinite(number).toUpperCase() : notFinite(number)
    // Otherwise gawk writes its own signs, and has no width for it.
    return posix ? padded(text.replace('+', sign), width, flags.replaceAll('0', '')) : text
  }
  return formatNumber(letter, flags, width, precision, number)
}

function formatNumber(
  letter: string,
  flags: string,
  width: number,
  precision: number | undefined,
  value: number,
): string {
  const unsigned = 'oxXu'.includes(letter)
  // What does not fit into 64 bits is written as `%g` writes it.
  if (unsigned && (value >= 2 ** 64 || value <= -(2 ** 63) - 1))
    return formatNumber('g', flags, width, precision, value)
  const isWhole = unsigned || letter === 'd' || letter === 'i'
  let body = isWhole ? wholeDigits(letter, flags, precision, value) : fraction(letter, flags, precision, value)
  const minus = isWhole ? !unsigned && Math.trunc(value) < 0 : value < 0 || Object.is(value, -0)
  const plus = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  let sign = minus ? '-' : unsigned || body === '' ? '' : plus
  if (flags.includes('#') && value !== 0 && (letter === 'x' || letter === 'X')) sign += `0${letter}`
  if (flags.includes('0') && !flags.includes('-') && !(isWhole && precision !== undefined)) {
    body = body.padStart(width - sign.length, '0')
  }
  return padded(sign + body, width, flags)
}

function wholeDigits(letter: string, flags: string, precision: number | undefined, value: number): string {
  const whole = Math.trunc(value)
  const isSigned = letter === 'd' || letter === 'i'
  let digits: string
  if (isSigned) digits = digitsOf(Math.abs(whole), 10)
  else {
    const base = letter === 'o' ? 8 : letter === 'u' ? 10 : 16
    digits = whole < 0 ? BigInt.asUintN(64, BigInt(whole)).toString(base) : digitsOf(whole, base)
    if (letter === 'X') digits = digits.toUpperCase()
  }
  if (precision === 0 && (isSigned ? whole : value) === 0) return flags.includes('#') && !isSigned ? '0' : ''
  const filled = precision === undefined ? digits : digits.padStart(precision, '0')
  // gawk puts the mark of an octal number before its zeros.
  return letter === 'o' && flags.includes('#') && value !== 0 ? `0${filled}` : filled
}

function digitsOf(value: number, base: number): string {
  return value <= Number.MAX_SAFE_INTEGER ? value.toString(base) : BigInt(value).toString(base)
}

function fraction(letter: string, flags: string, given: number | undefined, value: number): string {
  const precision = given ?? 6
  const alternate = flags.includes('#')
  const pointed = (text: string) => (alternate && precision === 0 ? text.replace('e', '.e') : text)
  switch (letter) {
    case 'f':
    case 'F':
      return fixed(value, precision) + (alternate && precision === 0 ? '.' : '')
    case 'e':
      return pointed(exponential(value, precision))
    case 'E':
      return pointed(exponential(value, precision)).toUpperCase()
    case 'g':
      return general(value, precision, alternate)
    case 'G':
      return general(value, precision, alternate).toUpperCase()
    case 'a':
      return hexadecimal(value, given)
    default:
      return hexadecimal(value, given).toUpperCase()
  }
}

function padded(text: string, width: number, flags: string): string {
  if (width <= text.length && !hasPairs(text)) return text
  const missing = width - characterCount(text)
  if (missing <= 0) return text
  return flags.includes('-') ? text + ' '.repeat(missing) : ' '.repeat(missing) + text
}

function characterOf(value: Scalar, text: (value: Scalar) => string, isBytes: boolean): string {
  if (value === undefined || value === '' || (value instanceof UserText && value.text === '')) return '\0'
  const isNumber = typeof value === 'number' || (value instanceof UserText && comparesAs(value) !== undefined)
  if (!isNumber || value instanceof RegexText || value instanceof IndexText) return firstCharacters(text(value), 1)
  const code = Math.trunc(typeof value === 'number' ? value : numberOf((value as UserText).text))
  if (!isBytes && code >= 0 && code < 0x110000 && !(code >= 0xd800 && code <= 0xdfff)) return String.fromCodePoint(code)
  return decodeText(Uint8Array.of(code & 255))
}

const pairs = /[\ud800-\udbff]/

/** True when characters take two units of a string. */
export function hasPairs(text: string): boolean {
  return pairs.test(text)
}

export function characterCount(text: string): number {
  if (!hasPairs(text)) return text.length
  let count = 0
  for (const _ of text) count += 1
  return count
}

function firstCharacters(text: string, count: number | undefined): string {
  if (count === undefined) return text
  return hasPairs(text) ? [...text].slice(0, count).join('') : text.slice(0, count)
}
