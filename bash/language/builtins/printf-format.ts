/** The formats of `printf`. */
import { decodeText, encodeText } from '../../io/byte-text.js'
import { strftime } from '../../programs/data/format-date.js'
import { timeZone } from '../../programs/data/time-zone.js'
import { quoteBackslash } from '../expand/quote.js'
import { decodeEscapes } from './escapes.js'
import { formatFixed, formatGeneral, formatScientific, type LongDouble, parseLongDouble } from './long-double.js'

export interface PrintfClock {
  nowMs: number
  startMs: number
  /** The variable `TZ`. */
  zone: string | undefined
}

export interface Printed {
  text: string
  /** Messages, and how much of the text was printed before each. */
  errors: Array<{ message: string; at: number }>
  /** The format is wrong: nothing more is printed. */
  stops: boolean
}

interface Directive {
  flags: string
  width: number | undefined
  precision: number | undefined
  conversion: string
}

const directivePattern = /^%([-+ #0']*)(\*|\d+)?(?:\.(\*|-?\d*))?(?:hh|ll|[hlLjzt])?(\(([^)]*)\)T|.)?/su

/** Prints a format with its arguments; it is used again as long as arguments are left. */
export function printFormat(format: string, args: readonly string[], clock: PrintfClock): Printed {
  const found: Printed['errors'] = []
  const pieces = parseFormat(format)
  let at = 0
  let text = ''
  const errors = (message: string) => found.push({ message, at: text.length })
  const next = () => {
    const value = args[at]
    at += 1
    return value
  }
  do {
    const before = at
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        text += piece
        continue
      }
      if (piece.wrong !== undefined) {
        errors(piece.wrong)
        return { text, errors: found, stops: true }
      }
      const { text: printed, stops } = printOne(piece, next, errors, clock)
      text += printed
      if (stops) return { text, errors: found, stops: false }
    }
    if (at === before) break
  } while (at < args.length)
  return { text, errors: found, stops: false }
}

/** Larger pieces of text are more likely a mistake than wanted. */
const maxWidth = 100_000_000

type Tell = (message: string) => void

interface ParsedDirective {
  flags: string
  width: string | undefined
  precision: string | undefined
  conversion: string
  timeFormat?: string | undefined
  wrong?: string
}

function parseFormat(format: string): Array<string | ParsedDirective> {
  const pieces: Array<string | ParsedDirective> = []
  let rest = format
  for (;;) {
    const percent = rest.indexOf('%')
    if (percent < 0) break
    if (percent > 0) pieces.push(decodeEscapes(rest.slice(0, percent), 'format').text)
    rest = rest.slice(percent)
    if (rest[1] === '%') {
      pieces.push('%')
      rest = rest.slice(2)
      continue
    }
    const [whole = '', flags = '', width, precision, conversion, timeFormat] = directivePattern.exec(rest) ?? []
    rest = rest.slice(whole.length)
    if (conversion === undefined) {
      pieces.push({
        flags,
        width,
        precision,
        conversion: '',
        wrong: `\`${whole || '%'}': missing format character`,
      })
    } else if (!'sdiouxXcbqQeEfFgGaAn'.includes(conversion) && timeFormat === undefined) {
      pieces.push({ flags, width, precision, conversion, wrong: `\`${conversion}': invalid format character` })
    } else if ('naA'.includes(conversion)) {
      pieces.push({
        flags,
        width,
        precision,
        conversion,
        wrong: `format '%${conversion}' is not supported by this shell`,
      })
    } else pieces.push({ flags, width, precision, conversion: timeFormat === undefined ? conversion : 'T', timeFormat })
  }
  if (rest !== '') pieces.push(decodeEscapes(rest, 'format').text)
  return pieces
}

function printOne(
  parsed: ParsedDirective,
  next: () => string | undefined,
  errors: Tell,
  clock: PrintfClock,
): { text: string; stops: boolean } {
  let { flags } = parsed
  let width =
    parsed.width === '*'
      ? Number(integer(next() ?? '0', errors))
      : parsed.width === undefined
        ? undefined
        : Number(parsed.width)
  if (width !== undefined && width < 0) {
    flags += '-'
    width = -width
  }
  const given =
    parsed.precision === '*'
      ? Number(integer(next() ?? '0', errors))
      : parsed.precision === undefined
        ? undefined
        : Number(parsed.precision)
  if ((width ?? 0) > maxWidth || (given ?? 0) > maxWidth) {
    errors(`${Math.max(width ?? 0, given ?? 0)}: width is not supported by this shell`)
    return { text: '', stops: true }
  }
  const directive: Directive = {
    flags,
    width,
    precision: given === undefined || given < 0 ? undefined : given,
    conversion: parsed.conversion,
  }
  const done = (text: string) => ({ text, stops: false })
  switch (parsed.conversion) {
    case 's':
      return done(padText(next() ?? '', directive))
    case 'c':
      return done(padText(firstByte(next() ?? ''), { ...directive, precision: undefined }))
    case 'q':
    case 'Q':
      return done(padText(quoteBackslash(next() ?? ''), directive))
    case 'b': {
      const { text, stops } = decodeEscapes(next() ?? '', 'argument')
      return { text: padText(text, directive), stops }
    }
    case 'T':
      return done(padText(timeOf(next(), parsed.timeFormat ?? '', errors, clock), directive))
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return done(printInteger(integer(next() ?? '0', errors, parsed.conversion), directive))
    default:
      return done(printFloat(float(next() ?? '0', errors), directive))
  }
}

/** `%c` prints one byte in bash. */
function firstByte(text: string): string {
  if (text === '') return '\0'
  return decodeText(encodeText(text).slice(0, 1))
}

/** Widths and precisions count bytes, as in bash. */
function padText(text: string, { flags, width, precision }: Directive): string {
  let shown = text
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it asks for ASCII
  const isAscii = /^[\u0000-\u007f]*$/.test(text)
  if (precision !== undefined) {
    shown = isAscii ? text.slice(0, precision) : decodeText(encodeText(text).slice(0, precision))
  }
  if (width === undefined) return shown
  const size = isAscii ? shown.length : encodeText(shown).length
  const padding = ' '.repeat(Math.max(0, width - size))
  return flags.includes('-') ? shown + padding : padding + shown
}

const maxInteger = 2n ** 63n - 1n
const maxUnsigned = 2n ** 64n - 1n
const minInteger = -(2n ** 63n)

/** The value of an argument as `strtoimax` reads it, and `strtoumax` for conversions without a sign. */
function integer(text: string, errors: Tell, conversion = 'd'): bigint {
  if (text.startsWith("'") || text.startsWith('"')) return BigInt(codeOf(text.slice(1)))
  const [, sign = '', digits = '', rest = ''] = /^[ \t\n]*([-+]?)(0[xX][0-9a-fA-F]+|\d+)?(.*)$/s.exec(text) ?? []
  if (digits === '') {
    if (text !== '') errors(`${text}: invalid number`)
    return 0n
  }
  const isOctal = /^0\d/.test(digits)
  const [octal = ''] = /^0[0-7]*/.exec(digits) ?? []
  if (rest !== '' || (isOctal && octal.length < digits.length)) errors(`${text}: invalid number`)
  const size = isOctal ? BigInt(octal.length > 1 ? `0o${octal.slice(1)}` : 0) : BigInt(digits)
  const value = sign === '-' ? -size : size
  if ('ouxX'.includes(conversion)) {
    if (size <= maxUnsigned) return BigInt.asUintN(64, value)
    errors(`warning: ${text}: Numerical result out of range`)
    return maxUnsigned
  }
  if (value > maxInteger || value < minInteger) {
    errors(`warning: ${text}: Numerical result out of range`)
    return value > 0n ? maxInteger : minInteger
  }
  return value
}

function codeOf(text: string): number {
  const code = text.codePointAt(0)
  if (code === undefined) return 0
  return code >= 0xdc80 && code <= 0xdcff ? code - 0xdc00 : code
}

function printInteger(value: bigint, { flags, width, precision, conversion }: Directive): string {
  const isSigned = conversion === 'd' || conversion === 'i'
  const unsigned = value < 0n ? BigInt.asUintN(64, value) : value
  const radix = conversion === 'o' ? 8 : conversion === 'x' || conversion === 'X' ? 16 : 10
  let digits = isSigned ? (value < 0n ? -value : value).toString() : unsigned.toString(radix)
  if (conversion === 'X') digits = digits.toUpperCase()
  if (precision === 0 && value === 0n) digits = ''
  if (precision !== undefined) digits = digits.padStart(precision, '0')
  if (flags.includes('#') && conversion === 'o' && !digits.startsWith('0')) digits = `0${digits}`
  let prefix = flags.includes('#') && radix === 16 && value !== 0n ? `0${conversion}` : ''
  if (isSigned) prefix = value < 0n ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  const zeros = flags.includes('0') && precision === undefined
  return pad(prefix, digits, width, flags, zeros)
}

function pad(prefix: string, digits: string, width: number | undefined, flags: string, zeros: boolean): string {
  const missing = Math.max(0, (width ?? 0) - prefix.length - digits.length)
  if (flags.includes('-')) return prefix + digits + ' '.repeat(missing)
  if (zeros) return prefix + '0'.repeat(missing) + digits
  return ' '.repeat(missing) + prefix + digits
}

function float(text: string, errors: Tell): LongDouble {
  if (text.startsWith("'") || text.startsWith('"')) return parseLongDouble(String(codeOf(text.slice(1)))).value
  const { value, rest } = parseLongDouble(text)
  if (rest !== '') errors(`${text}: invalid number`)
  return value
}

function printFloat(value: LongDouble, { flags, width, precision = 6, conversion }: Directive): string {
  const sign = value.negative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  const isUpper = conversion >= 'A' && conversion <= 'Z'
  const change = (text: string) => (isUpper ? text.toUpperCase() : text)
  if (value.special !== undefined) return pad(sign, change(value.special), width, flags, false)
  const alternative = flags.includes('#')
  const kind = conversion.toLowerCase()
  const digits =
    kind === 'f'
      ? formatFixed(value, precision, alternative)
      : kind === 'e'
        ? formatScientific(value, precision, alternative)
        : formatGeneral(value, precision, alternative)
  return pad(sign, change(digits), width, flags, flags.includes('0'))
}

function timeOf(text: string | undefined, format: string, errors: Tell, { nowMs, startMs, zone }: PrintfClock): string {
  const given = text === undefined ? -1n : integer(text, errors)
  const ms = given === -1n ? nowMs : given === -2n ? startMs : Number(given) * 1000
  return strftime(format === '' ? '%X' : format, Math.floor(ms / 1000), timeZone(zone))
}
