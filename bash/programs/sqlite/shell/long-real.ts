/**
 * `%!.20g` of the shell's own version: it computes digit after digit with 64 bits of precision, and what that loses is in its
 * output. So every step is rounded as there.
 */

/** `mantissa * 2 ** exponent`, with at most 64 bits. */
interface Long {
  mantissa: bigint
  exponent: number
}

const bits = 64
const zero: Long = { mantissa: 0n, exponent: 0 }
const largestExponent = 350
const precision = 19
/** With `!` this many digits are computed, and those after them are zeros. */
const computedDigits = 26

const lengthOf = (value: bigint) => (value === 0n ? 0 : value.toString(16).length * 4 - leadingZeros(value))

function leadingZeros(value: bigint): number {
  const first = Number.parseInt(value.toString(16)[0] as string, 16)
  return Math.clz32(first) - 28
}

/** To the nearest of 64 bits, and of two to the even one. `rest`: something smaller follows. */
function rounded(mantissa: bigint, exponent: number, rest: boolean): Long {
  const extra = lengthOf(mantissa) - bits
  if (extra <= 0) return { mantissa, exponent }
  const shift = BigInt(extra)
  const dropped = mantissa & ((1n << shift) - 1n)
  const half = 1n << (shift - 1n)
  let kept = mantissa >> shift
  if (dropped > half || (dropped === half && (rest || (kept & 1n) === 1n))) kept += 1n
  return { mantissa: kept, exponent: exponent + extra }
}

function fromDouble(value: number): Long {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const raw = view.getBigUint64(0)
  const power = Number((raw >> 52n) & 0x7ffn)
  const fraction = raw & ((1n << 52n) - 1n)
  if (power === 0) return { mantissa: fraction, exponent: -1074 }
  return { mantissa: fraction | (1n << 52n), exponent: power - 1075 }
}

function times(left: Long, right: Long): Long {
  return rounded(left.mantissa * right.mantissa, left.exponent + right.exponent, false)
}

function over(left: Long, right: Long): Long {
  if (left.mantissa === 0n) return zero
  const shift = BigInt(2 * bits + lengthOf(right.mantissa))
  const up = left.mantissa << shift
  const quotient = up / right.mantissa
  return rounded(quotient, left.exponent - right.exponent - Number(shift), up % right.mantissa !== 0n)
}

function aligned(left: Long, right: Long): [bigint, bigint, number] {
  const exponent = Math.min(left.exponent, right.exponent)
  const shifted = (value: Long) => value.mantissa << BigInt(value.exponent - exponent)
  return [shifted(left), shifted(right), exponent]
}

function plus(left: Long, right: Long): Long {
  const [one, other, exponent] = aligned(left, right)
  return rounded(one + other, exponent, false)
}

function minus(left: Long, right: Long): Long {
  const [one, other, exponent] = aligned(left, right)
  return rounded(one - other, exponent, false)
}

function isLess(left: Long, right: Long): boolean {
  const [one, other] = aligned(left, right)
  return one < other
}

const constant = (value: number) => fromDouble(value)
const one = constant(1)
const ten = constant(10)

/** Half of the last digit, as it is computed there: without the longer precision. */
const rounder = constant(5e-10 * 1e-10)

interface Scaled {
  value: Long
  power: number
}

/** From 1 to 10, and the power of ten that was taken out. */
function scaled(given: Long): Scaled {
  let value = given
  let power = 0
  let scale = one
  for (const [factor, step] of [
    [1e100, 100],
    [1e10, 10],
    [10, 1],
  ] as const) {
    for (;;) {
      const next = times(constant(factor), scale)
      if (isLess(value, next) || power > largestExponent) break
      scale = times(scale, constant(factor))
      power += step
    }
  }
  value = over(value, scale)
  while (isLess(value, constant(1e-8))) {
    value = times(value, constant(1e8))
    power -= 8
  }
  while (isLess(value, one)) {
    value = times(value, ten)
    power -= 1
  }
  return { value, power }
}

function digits(given: Long): () => string {
  let value = given
  let left = computedDigits
  return () => {
    if (left <= 0) return '0'
    left -= 1
    const [whole, unit] = aligned(value, one)
    const digit = whole / unit
    value = times(minus(value, rounded(digit, 0, false)), ten)
    return digit.toString()
  }
}

export function longReal(given: number): string {
  if (Number.isNaN(given)) return 'NaN'
  const sign = given < 0 ? '-' : ''
  if (!Number.isFinite(given)) return `${sign}Inf`
  let { value, power } = given === 0 ? { value: zero, power: 0 } : scaled(fromDouble(Math.abs(given)))
  value = plus(value, rounder)
  if (!isLess(value, ten)) {
    value = times(value, constant(0.1))
    power += 1
  }
  const next = digits(value)
  const isExponential = power < -4 || power > precision
  let before = isExponential ? 0 : power
  let after = isExponential ? precision : precision - power
  let text = before < 0 ? '0' : ''
  for (; before >= 0; before -= 1) text += next()
  text += '.'
  for (let zeros = isExponential ? 0 : power + 1; zeros < 0; zeros += 1) {
    text += '0'
    after -= 1
  }
  for (; after > 0; after -= 1) text += next()
  text = text.replace(/0+$/, '').replace(/\.$/, '.0')
  if (!isExponential) return sign + text
  return `${sign}${text}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}
