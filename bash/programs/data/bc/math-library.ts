/** The functions of `bc -l`, with some digits more than asked for, and cut off at the end. */
import { type Decimal, digitCount, power10, truncated, withScale } from './decimal.js'

const guardDigits = 20

/** Fixed-point arithmetic with so many digits after the point. */
class Fixed {
  readonly unit: bigint

  constructor(readonly digits: number) {
    this.unit = power10(digits)
  }

  of(value: Decimal): bigint {
    return withScale(value, this.digits).digits
  }

  times(left: bigint, right: bigint): bigint {
    return (left * right) / this.unit
  }

  over(left: bigint, right: bigint): bigint {
    return (left * this.unit) / right
  }

  /** Rounded to a few digits more than asked for, and then cut off, so that 0.99…9 becomes 1. */
  result(value: bigint, scale: number): Decimal {
    const kept = scale + Math.ceil(scale / 10) + 2
    const half = power10(this.digits - kept) / 2n
    const rounded = withScale({ digits: value + (value < 0n ? -half : half), scale: this.digits }, kept)
    return withScale(rounded, scale)
  }

  root(value: bigint): bigint {
    const target = value * this.unit
    if (target <= 0n) return 0n
    let root = 1n << BigInt(Math.ceil(target.toString(2).length / 2))
    for (;;) {
      const next = (root + target / root) >> 1n
      if (next >= root) return root
      root = next
    }
  }

  /** The sum of terms, each made of the one before, until they vanish. */
  series(first: bigint, next: (term: bigint, index: bigint) => bigint): bigint {
    let sum = first
    let term = first
    for (let index = 1n; term !== 0n; index += 1n) {
      term = next(term, index)
      sum += term
    }
    return sum
  }
}

export function exponential(value: Decimal, scale: number): Decimal {
  const whole = Number(truncated(value))
  if (whole > 100_000) throw new RangeError('exponent')
  const isNegative = value.digits < 0n
  const size = isNegative ? { ...value, digits: -value.digits } : value
  const fixed = new Fixed(Math.ceil(scale * 1.2) + guardDigits + Math.ceil(Math.abs(whole) * Math.LOG10E) + 5)
  let reduced = fixed.of(size)
  let halvings = 0
  while (reduced > fixed.unit / 8n) {
    reduced /= 2n
    halvings += 1
  }
  let result = fixed.series(fixed.unit, (term, index) => fixed.times(term, reduced) / index)
  for (; halvings > 0; halvings -= 1) result = fixed.times(result, result)
  return fixed.result(isNegative ? fixed.over(fixed.unit, result) : result, scale)
}

export function logarithm(value: Decimal, scale: number): Decimal {
  if (value.digits <= 0n) return { digits: (1n - power10(scale)) * power10(scale), scale }
  const fixed = new Fixed(Math.ceil(scale * 1.2) + guardDigits + digitCount(value))
  let reduced = fixed.of(value)
  let factor = 1n
  while (reduced > 2n * fixed.unit || reduced < fixed.unit / 2n) {
    reduced = fixed.root(reduced)
    factor *= 2n
  }
  const quotient = fixed.over(reduced - fixed.unit, reduced + fixed.unit)
  const square = fixed.times(quotient, quotient)
  let sum = 0n
  for (let power = quotient, index = 1n; power !== 0n; index += 2n) {
    sum += power / index
    power = fixed.times(power, square)
  }
  return fixed.result(2n * factor * sum, scale)
}

export function arctangent(value: Decimal, scale: number): Decimal {
  const fixed = new Fixed(Math.ceil(scale * 1.2) + guardDigits + digitCount(value))
  return fixed.result(fixedArctangent(fixed, fixed.of(value)), scale)
}

function fixedArctangent(fixed: Fixed, given: bigint): bigint {
  let reduced = given < 0n ? -given : given
  let factor = 1n
  while (reduced > fixed.unit / 8n) {
    reduced = fixed.over(reduced, fixed.unit + fixed.root(fixed.unit + fixed.times(reduced, reduced)))
    factor *= 2n
  }
  const square = fixed.times(reduced, reduced)
  let sum = 0n
  let sign = 1n
  for (let power = reduced, index = 1n; power !== 0n; index += 2n) {
    sum += (sign * power) / index
    sign = -sign
    power = fixed.times(power, square)
  }
  return (given < 0n ? -factor : factor) * sum
}

export function sine(value: Decimal, scale: number): Decimal {
  const fixed = new Fixed(Math.ceil(scale * 1.2) + guardDigits + digitCount(value))
  return fixed.result(fixedSine(fixed, fixed.of(value)), scale)
}

export function cosine(value: Decimal, scale: number): Decimal {
  const fixed = new Fixed(Math.ceil(scale * 1.2) + guardDigits + digitCount(value))
  const quarter = 2n * fixedArctangent(fixed, fixed.unit)
  return fixed.result(fixedSine(fixed, fixed.of(value) + quarter), scale)
}

function fixedSine(fixed: Fixed, given: bigint): bigint {
  const half = 4n * fixedArctangent(fixed, fixed.unit)
  let reduced = given % (2n * half)
  if (reduced > half) reduced -= 2n * half
  if (reduced < -half) reduced += 2n * half
  const square = fixed.times(reduced, reduced)
  return fixed.series(reduced, (term, index) => -fixed.times(term, square) / (2n * index * (2n * index + 1n)))
}

/** The Bessel function of whole order. */
export function bessel(order: Decimal, value: Decimal, scale: number): Decimal {
  const given = truncated(order)
  const size = given < 0n ? -given : given
  const fixed = new Fixed(
    Math.ceil(scale * 1.2) + guardDigits + digitCount(value) + 2 * Number(truncated(value)) + Number(size),
  )
  const half = fixed.of(value) / 2n
  let first = fixed.unit
  for (let index = 1n; index <= size; index += 1n) first = fixed.times(first, half) / index
  const square = fixed.times(half, half)
  const sum = fixed.series(first, (term, index) => -fixed.times(term, square) / (index * (index + size)))
  return fixed.result(given < 0n && size % 2n === 1n ? -sum : sum, scale)
}

export const mathLibrary: Readonly<Record<string, (args: readonly Decimal[], scale: number) => Decimal | undefined>> = {
  e: ([value], scale) => value && exponential(value, scale),
  l: ([value], scale) => value && logarithm(value, scale),
  s: ([value], scale) => value && sine(value, scale),
  c: ([value], scale) => value && cosine(value, scale),
  a: ([value], scale) => value && arctangent(value, scale),
  j: ([order, value], scale) => order && value && bessel(order, value, scale),
}
