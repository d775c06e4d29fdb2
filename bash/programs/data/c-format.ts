/** One conversion of C's `printf`, for the programs that take a format. */

export interface Conversion {
  flags: string
  width: number
  precision: number | undefined
  letter: string
}

export function formatInteger(value: bigint, { flags, width, precision, letter }: Conversion): string {
  const isSigned = letter === 'd' || letter === 'i'
  const size = value < 0n ? -value : value
  const radix = letter === 'o' ? 8 : letter === 'x' || letter === 'X' ? 16 : 10
  let digits = size.toString(radix)
  if (precision === 0 && size === 0n) digits = ''
  digits = digits.padStart(precision ?? 0, '0')
  if (flags.includes('#') && letter === 'o' && !digits.startsWith('0')) digits = `0${digits}`
  const prefix = flags.includes('#') && radix === 16 && size !== 0n ? '0x' : ''
  const text = (isSigned ? signOf(value < 0n, flags) : '') + prefix
  const zero = precision === undefined && flags.includes('0')
  return padded(text, letter === 'X' ? digits.toUpperCase() : digits, flags, width, zero, letter === 'X')
}

export function formatFloat(value: number, { flags, width, precision = 6, letter }: Conversion): string {
  const size = Math.abs(value)
  const sign = signOf(value < 0 || Object.is(value, -0), flags)
  const finite = Number.isFinite(value)
  const digits = finite ? floatDigits(size, precision, letter, flags) : Number.isNaN(value) ? 'nan' : 'inf'
  return padded(sign, digits, flags, width, finite && flags.includes('0'), /[EFGA]/.test(letter))
}

export function formatText(text: string, { flags, width, precision }: Conversion): string {
  const shown = precision === undefined ? text : text.slice(0, precision)
  return flags.includes('-') ? shown.padEnd(width) : shown.padStart(width)
}

function signOf(isNegative: boolean, flags: string): string {
  if (isNegative) return '-'
  return flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
}

function padded(prefix: string, digits: string, flags: string, width: number, zero: boolean, upper: boolean): string {
  const start = upper ? prefix.toUpperCase() : prefix
  const body = upper ? digits.toUpperCase() : digits
  if (flags.includes('-')) return (start + body).padEnd(width)
  return zero ? start + body.padStart(width - start.length, '0') : (start + body).padStart(width)
}

function floatDigits(size: number, precision: number, letter: string, flags: string): string {
  const kind = letter.toLowerCase()
  if (kind === 'f') return fixed(size, precision)
  if (kind === 'e') return exponential(size, precision)
  if (kind === 'a') return hexadecimal(size)
  const digits = precision === 0 ? 1 : precision
  const exponent = size === 0 ? 0 : Number(size.toExponential(Math.min(digits - 1, 100)).split('e')[1])
  const text = exponent < -4 || exponent >= digits ? exponential(size, digits - 1) : fixed(size, digits - 1 - exponent)
  return flags.includes('#') ? text : trimZeros(text)
}

function trimZeros(text: string): string {
  const [mantissa = '', exponent] = text.split('e')
  const trimmed = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa
  return exponent === undefined ? trimmed : `${trimmed}e${exponent}`
}

function exponential(size: number, precision: number): string {
  const [mantissa = '', exponent = '+0'] = size.toExponential(Math.min(precision, 100)).split('e')
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`
}

/** `toFixed` without its limits. */
function fixed(size: number, precision: number): string {
  if (size < 1e21) return size.toFixed(Math.min(precision, 100))
  const whole = BigInt(size).toString()
  return precision === 0 ? whole : `${whole}.${'0'.repeat(precision)}`
}

function hexadecimal(size: number): string {
  if (size === 0) return '0x0p+0'
  let exponent = Math.floor(Math.log2(size))
  let fraction = size / 2 ** exponent
  if (fraction >= 2) {
    fraction /= 2
    exponent += 1
  }
  return `0x${fraction.toString(16)}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`
}
