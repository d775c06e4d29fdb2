/** Numbers as `printf` of bash has them: with 64 bits of precision. */

export interface LongDouble {
  negative: boolean
  /** The value is `mantissa * 2 ** exponent`. */
  mantissa: bigint
  exponent: number
  special?: 'inf' | 'nan'
}

const precisionBits = 64
const maxDecimalExponent = 5000

/** Reads the longest number at the beginning; `rest` is what follows it. */
export function parseLongDouble(text: string): { value: LongDouble; rest: string } {
  const [blanks = ''] = /^[ \t\n]*/.exec(text) ?? []
  const [sign = ''] = /^[-+]?/.exec(text.slice(blanks.length)) ?? []
  const body = text.slice(blanks.length + sign.length)
  const negative = sign === '-'
  const [word] = /^(?:infinity|inf|nan)/i.exec(body) ?? []
  if (word !== undefined) {
    const special = word[0]?.toLowerCase() === 'i' ? 'inf' : 'nan'
    return { value: { negative, mantissa: 0n, exponent: 0, special }, rest: body.slice(word.length) }
  }
  const hex = /^0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([-+]?\d+))?/.exec(body)
  if (hex !== null && `${hex[1]}${hex[2] ?? ''}` !== '') {
    const [whole, digits = '', fraction = '', power = '0'] = hex
    const mantissa = BigInt(`0x${digits}${fraction}`)
    const value = round(mantissa, 1n, Number(power) - 4 * fraction.length, negative)
    return { value, rest: body.slice(whole.length) }
  }
  const decimal = /^(\d*)(?:\.(\d*))?/.exec(body)
  const [whole = '', digits = '', fraction = ''] = decimal ?? []
  if (digits + fraction === '') return { value: { negative, mantissa: 0n, exponent: 0 }, rest: text }
  const [exponentText = '', power = '0'] = /^[eE]([-+]?\d+)/.exec(body.slice(whole.length)) ?? []
  const rest = body.slice(whole.length + exponentText.length)
  const places = Number(power) - fraction.length
  if (Math.abs(places) > maxDecimalExponent) {
    return { value: { negative, mantissa: 0n, exponent: 0, ...(places > 0 && { special: 'inf' as const }) }, rest }
  }
  const number = BigInt(digits + fraction)
  const value =
    places >= 0
      ? round(number * 10n ** BigInt(places), 1n, 0, negative)
      : round(number, 10n ** BigInt(-places), 0, negative)
  return { value, rest }
}

/** `numerator / denominator * 2 ** exponent` with the bits of a long double. */
function round(numerator: bigint, denominator: bigint, exponent: number, negative: boolean): LongDouble {
  if (numerator === 0n) return { negative, mantissa: 0n, exponent: 0 }
  const shift = precisionBits - (bitLength(numerator) - bitLength(denominator)) + 1
  const [up, down] = shift >= 0 ? [numerator << BigInt(shift), denominator] : [numerator, denominator << BigInt(-shift)]
  let mantissa = up / down
  let remainder = up % down === 0n ? 0n : 1n
  let scale = exponent - shift
  // One or two bits too many: drop them, to the even neighbour.
  while (bitLength(mantissa) > precisionBits) {
    const extra = BigInt(bitLength(mantissa) - precisionBits)
    const dropped = mantissa & ((1n << extra) - 1n)
    const half = 1n << (extra - 1n)
    mantissa >>= extra
    scale += Number(extra)
    const isAbove = dropped > half || (dropped === half && remainder !== 0n)
    if (isAbove || (dropped === half && (mantissa & 1n) === 1n)) mantissa += 1n
    remainder = 0n
  }
  return { negative, mantissa, exponent: scale }
}

function bitLength(value: bigint): number {
  return value.toString(2).length
}

/** The digits of `value * 10 ** places`, rounded to the even neighbour. */
function scaled({ mantissa, exponent }: LongDouble, places: number): bigint {
  let numerator = mantissa
  let denominator = 1n
  if (places >= 0) numerator *= 10n ** BigInt(places)
  else denominator *= 10n ** BigInt(-places)
  if (exponent >= 0) numerator <<= BigInt(exponent)
  else denominator <<= BigInt(-exponent)
  const quotient = numerator / denominator
  const twice = (numerator % denominator) * 2n
  if (twice > denominator || (twice === denominator && (quotient & 1n) === 1n)) return quotient + 1n
  return quotient
}

/** `%f` without sign. */
export function formatFixed(value: LongDouble, precision: number, alternative: boolean): string {
  const digits = scaled(value, precision)
    .toString()
    .padStart(precision + 1, '0')
  const whole = digits.slice(0, digits.length - precision)
  if (precision === 0) return alternative ? `${whole}.` : whole
  return `${whole}.${digits.slice(digits.length - precision)}`
}

/** The digits and the decimal exponent of `%e`. */
function scientific(value: LongDouble, precision: number): { digits: string; power: number } {
  if (value.mantissa === 0n) return { digits: '0'.repeat(precision + 1), power: 0 }
  let power = Math.floor((bitLength(value.mantissa) - 1 + value.exponent) * Math.LOG10E * Math.LN2)
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const digits = scaled(value, precision - power).toString()
    if (digits.length === precision + 1) return { digits, power }
    power += digits.length > precision + 1 ? 1 : -1
  }
  return {
    digits: scaled(value, precision - power)
      .toString()
      .slice(0, precision + 1),
    power,
  }
}

export function formatScientific(value: LongDouble, precision: number, alternative: boolean): string {
  const { digits, power } = scientific(value, precision)
  const fraction = digits.slice(1)
  const point = fraction !== '' || alternative ? '.' : ''
  const size = String(Math.abs(power)).padStart(2, '0')
  return `${digits[0]}${point}${fraction}e${power < 0 ? '-' : '+'}${size}`
}

export function formatGeneral(value: LongDouble, given: number, alternative: boolean): string {
  const precision = given === 0 ? 1 : given
  const { power } = scientific(value, precision - 1)
  const isFixed = power >= -4 && power < precision
  const text = isFixed
    ? formatFixed(value, precision - 1 - power, alternative)
    : formatScientific(value, precision - 1, alternative)
  if (alternative || !text.includes('.')) return text
  const [number = '', exponent] = text.split('e')
  const short = number.replace(/\.?0+$/, '')
  return exponent === undefined ? short : `${short}e${exponent}`
}
