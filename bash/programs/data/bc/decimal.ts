/** Decimal numbers of any length, with the scales that bc gives results. */

/** `digits` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

export const zero: Decimal = { digits: 0n, scale: 0 }
export const one: Decimal = { digits: 1n, scale: 0 }

export function power10(exponent: number): bigint {
  return 10n ** BigInt(exponent)
}

export function integer(value: number | bigint): Decimal {
  return { digits: BigInt(value), scale: 0 }
}

/** With more zeros at the end, or cut off. */
export function withScale({ digits, scale }: Decimal, wanted: number): Decimal {
  if (wanted === scale) return { digits, scale }
  if (wanted > scale) return { digits: digits * power10(wanted - scale), scale: wanted }
  return { digits: digits / power10(scale - wanted), scale: wanted }
}

function aligned(left: Decimal, right: Decimal): [bigint, bigint, number] {
  const scale = Math.max(left.scale, right.scale)
  return [withScale(left, scale).digits, withScale(right, scale).digits, scale]
}

export function add(left: Decimal, right: Decimal): Decimal {
  const [a, b, scale] = aligned(left, right)
  return { digits: a + b, scale }
}

export function subtract(left: Decimal, right: Decimal): Decimal {
  const [a, b, scale] = aligned(left, right)
  return { digits: a - b, scale }
}

export function compare(left: Decimal, right: Decimal): number {
  const [a, b] = aligned(left, right)
  return a < b ? -1 : a > b ? 1 : 0
}

export function multiply(left: Decimal, right: Decimal, scale: number): Decimal {
  const full = left.scale + right.scale
  const product = { digits: left.digits * right.digits, scale: full }
  return withScale(product, Math.min(full, Math.max(scale, left.scale, right.scale)))
}

/** Undefined: division by zero. */
export function divide(left: Decimal, right: Decimal, scale: number): Decimal | undefined {
  if (right.digits === 0n) return undefined
  const shift = scale + right.scale - left.scale
  const digits =
    shift >= 0 ? (left.digits * power10(shift)) / right.digits : left.digits / (right.digits * power10(-shift))
  return { digits, scale }
}

export function remainder(left: Decimal, right: Decimal, scale: number): Decimal | undefined {
  const quotient = divide(left, right, scale)
  if (quotient === undefined) return undefined
  const rest = subtract(left, { digits: quotient.digits * right.digits, scale: quotient.scale + right.scale })
  return withScale(rest, Math.max(left.scale, right.scale + scale))
}

export function raise(base: Decimal, exponent: bigint, scale: number): Decimal | undefined {
  const size = exponent < 0n ? -exponent : exponent
  const full: Decimal = { digits: base.digits ** size, scale: base.scale * Number(size) }
  if (exponent < 0n) return divide(one, full, scale)
  return withScale(full, Math.min(full.scale, Math.max(scale, base.scale)))
}

/** Undefined for negative numbers. */
export function squareRoot(value: Decimal, scale: number): Decimal | undefined {
  if (value.digits < 0n) return undefined
  if (value.digits === 0n) return zero
  if (compare(value, one) === 0) return one
  const wanted = Math.max(scale, value.scale)
  return { digits: integerRoot(withScale(value, 2 * wanted).digits), scale: wanted }
}

function integerRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** The number of digits, as `length` counts them. */
export function digitCount({ digits, scale }: Decimal): number {
  const text = `${digits < 0n ? -digits : digits}`
  return Math.max(text.length, scale)
}

export function isZero({ digits }: Decimal): boolean {
  return digits === 0n
}

export function negated({ digits, scale }: Decimal): Decimal {
  return { digits: -digits, scale }
}

/** The whole part, towards zero. */
export function truncated(value: Decimal): bigint {
  return withScale(value, 0).digits
}

const digitNames = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** A number as it is written in a program, in base `base`. */
export function parseNumber(text: string, base: number): Decimal {
  const [whole = '', fraction = ''] = text.split('.')
  // A single digit has its value in every base; others are at most the largest digit of the base.
  const isSingle = whole.length === 1 && fraction === '' && !text.includes('.')
  const largest = BigInt(base - 1)
  const digitValue = (digit: string) => {
    const value = BigInt(digitNames.indexOf(digit))
    return !isSingle && value > largest ? largest : value
  }
  let digits = 0n
  for (const digit of whole) digits = digits * BigInt(base) + digitValue(digit)
  if (fraction === '') return integer(digits)
  let numerator = 0n
  let divisor = 1n
  for (const digit of fraction) {
    numerator = numerator * BigInt(base) + digitValue(digit)
    divisor *= BigInt(base)
  }
  const scale = fraction.length
  return add(integer(digits), { digits: (numerator * power10(scale)) / divisor, scale })
}

/** A number in base `base`, without line breaks. */
export function formatNumber(value: Decimal, base: number): string {
  if (value.digits === 0n) return '0'
  const sign = value.digits < 0n ? '-' : ''
  const size = value.digits < 0n ? -value.digits : value.digits
  const unit = power10(value.scale)
  const whole = size / unit
  let rest = size % unit
  if (base === 10) {
    const digits = whole === 0n ? '' : `${whole}`
    return sign + digits + (value.scale > 0 ? `.${`${rest}`.padStart(value.scale, '0')}` : '')
  }
  const wide = `${base - 1}`.length
  const digitText = (digit: bigint) =>
    base <= 16 ? (digitNames[Number(digit)] as string) : `${digit}`.padStart(wide, '0')
  const separator = base <= 16 ? '' : ' '
  const wholeDigits: string[] = []
  for (let left = whole; left > 0n; left /= BigInt(base)) wholeDigits.unshift(digitText(left % BigInt(base)))
  let text = sign + wholeDigits.map((digit) => separator + digit).join('')
  if (value.scale === 0) return text
  const fraction: string[] = []
  for (let reached = 1n; `${reached}`.length <= value.scale; reached *= BigInt(base)) {
    rest *= BigInt(base)
    fraction.push(digitText(rest / unit))
    rest %= unit
  }
  text += `.${fraction.join(separator)}`
  return text
}
