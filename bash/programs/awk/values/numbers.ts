/** Numbers as the C library's `printf` writes them. */

const exactDigits = 40
const mostDigits = 100

/** The digits of `%.{precision}f` without a sign. Halves round to even, as the exact binary value decides. */
export function fixed(value: number, precision: number): string {
  const size = Math.abs(value)
  if (size >= 1e21) return BigInt(size).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '')
  if (precision > mostDigits) return fixed(value, mostDigits) + '0'.repeat(precision - mostDigits)
  const rounded = size.toFixed(precision)
  if (precision >= mostDigits) return rounded
  const more = size.toFixed(precision + 1)
  if (
    !more.endsWith('5') ||
    !/^50*$/.test(size.toFixed(Math.min(mostDigits, precision + exactDigits)).slice(more.length - 1))
  ) {
    return rounded
  }
  const down = precision === 0 ? more.slice(0, -2) : more.slice(0, -1)
  return isEven(down) ? down : rounded
}

/** The digits of `%.{precision}e` without a sign. */
export function exponential(value: number, precision: number): string {
  const size = Math.abs(value)
  if (precision > mostDigits) {
    const [mantissa, exponent] = exponential(value, mostDigits).split('e')
    return `${mantissa}${'0'.repeat(precision - mostDigits)}e${exponent}`
  }
  const [mantissa = '', exponent = ''] = roundedExponential(size, precision).split('e')
  const digits = exponent.slice(1)
  return `${mantissa}e${exponent[0]}${digits.length < 2 ? `0${digits}` : digits}`
}

function roundedExponential(size: number, precision: number): string {
  const rounded = size.toExponential(precision)
  if (precision >= mostDigits) return rounded
  const [more = '', exponent = ''] = size.toExponential(precision + 1).split('e')
  if (!more.endsWith('5')) return rounded
  const [exact = ''] = size.toExponential(Math.min(mostDigits, precision + exactDigits)).split('e')
  if (!/^50*$/.test(exact.slice(more.length - 1))) return rounded
  const down = precision === 0 ? more.slice(0, -2) : more.slice(0, -1)
  return isEven(down) ? `${down}e${exponent}` : rounded
}

/** The digits of `%.{precision}g` without a sign; `alternate` keeps the zeros at the end. */
export function general(value: number, precision: number, alternate = false): string {
  const digits = precision === 0 ? 1 : precision
  if (value === 0) return alternate ? `0.${'0'.repeat(digits - 1)}` : '0'
  const written = exponential(value, digits - 1)
  const [mantissa = '', exponentText = ''] = written.split('e')
  const exponent = Number(exponentText)
  if (exponent < -4 || exponent >= digits)
    return alternate ? withPoint(written) : `${withoutZeros(mantissa)}e${exponentText}`
  const text = fixed(value, digits - 1 - exponent)
  return alternate ? withPoint(text) : withoutZeros(text)
}

function withPoint(text: string): string {
  return text.includes('.') ? text : text.replace(/(?=e|$)/, '.')
}

function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

function isEven(digits: string): boolean {
  return (digits.charCodeAt(digits.length - 1) & 1) === 0
}

/** As gawk writes what is not a number. */
export function notFinite(value: number): string {
  if (Number.isNaN(value)) return '-nan'
  return value > 0 ? '+inf' : '-inf'
}

/** The digits of `%a` without a sign. */
export function hexadecimal(value: number, precision: number | undefined): string {
  let size = Math.abs(value)
  let exponent = 0
  if (size === 0) return `0x0${precision ? `.${'0'.repeat(precision)}` : ''}p+0`
  while (size >= 2) {
    size /= 2
    exponent += 1
  }
  while (size < 1 && exponent > -1022) {
    size *= 2
    exponent -= 1
  }
  const digits = precision === undefined ? 13 : Math.min(13, precision)
  let scaled = BigInt(size * 2 ** 52)
  const dropped = BigInt(4 * (13 - digits))
  const half = dropped === 0n ? 0n : 1n << (dropped - 1n)
  const rest = scaled & ((1n << dropped) - 1n)
  scaled >>= dropped
  if (dropped > 0n && (rest > half || (rest === half && (scaled & 1n) === 1n))) scaled += 1n
  const whole = scaled >> BigInt(4 * digits)
  let tail = (scaled - (whole << BigInt(4 * digits))).toString(16).padStart(digits, '0')
  if (digits === 0) tail = ''
  if (precision === undefined) tail = tail.replace(/0+$/, '')
  else tail = tail.padEnd(precision, '0')
  return `0x${whole}${tail === '' ? '' : `.${tail}`}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`
}
