/** The commands of dc that only work on its stack and registers. */
import {
  add,
  type Decimal,
  divide,
  integer,
  isZero,
  multiply,
  one,
  raise,
  remainder,
  squareRoot,
  subtract,
  truncated,
  withScale,
  zero,
} from '../bc/decimal.js'
import { DcError, type Machine } from './machine.js'

type Command = (machine: Machine, warn: (text: string) => void) => void

const maxOutputBase = 2n ** 31n

function binary(
  compute: (left: Decimal, right: Decimal, machine: Machine) => Decimal | undefined,
  failure = '',
): Command {
  return (machine) => {
    const [left, right] = machine.numbers(2) as [Decimal, Decimal]
    const result = compute(left, right, machine)
    if (result === undefined) throw new DcError(failure)
    machine.drop(2)
    machine.push(result)
  }
}

const power: Command = (machine, warn) => {
  const [base, exponent] = machine.numbers(2) as [Decimal, Decimal]
  if (exponent.scale > 0) warn('non-zero scale in exponent')
  machine.drop(2)
  machine.push(raise(base, truncated(exponent), machine.scale) ?? zero)
}

const quotientAndRest: Command = (machine) => {
  const [left, right] = machine.numbers(2) as [Decimal, Decimal]
  const quotient = divide(left, right, machine.scale)
  const rest = remainder(left, right, machine.scale)
  if (quotient === undefined || rest === undefined) throw new DcError('divide by zero')
  machine.drop(2)
  machine.push(quotient, rest)
}

const modularPower: Command = (machine) => {
  const [base, exponent, modulus] = machine.numbers(3) as [Decimal, Decimal, Decimal]
  if ([base, exponent, modulus].some(({ scale }) => scale > 0)) {
    throw new DcError("'|' with fractions is not supported by this shell")
  }
  if (isZero(modulus)) throw new DcError('remainder by zero')
  // Nothing is said, and nothing changes.
  if (exponent.digits < 0n) return
  machine.drop(3)
  const { scale } = machine
  // The remainder is that of a division with this scale, as for `%`.
  const times = (left: Decimal, right: Decimal) => remainder(multiply(left, right, scale), modulus, scale) ?? zero
  let result = modulus.digits === 1n ? zero : one
  let square = base
  for (let left = exponent.digits; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = times(result, square)
    square = times(square, square)
  }
  machine.push(result)
}

const root: Command = (machine) => {
  const [value] = machine.numbers(1) as [Decimal]
  machine.drop(1)
  const result = squareRoot(value, machine.scale)
  if (result === undefined) throw new DcError('square root of negative number')
  machine.push(result)
}

const rotate: Command = (machine) => {
  const [given] = machine.numbers(1) as [Decimal]
  machine.drop(1)
  const count = Number(truncated(given))
  const { stack } = machine
  const size = Math.abs(count)
  if (size < 2 || size > stack.length) return
  const part = stack.splice(stack.length - size)
  stack.push(...(count > 0 ? [...part.slice(1), ...part.slice(0, 1)] : [...part.slice(-1), ...part.slice(0, -1)]))
}

/** The digits of a number without those zeros that stand before it. */
function digitsOf({ digits }: Decimal): string {
  return `${digits < 0n ? -digits : digits}`
}

/** A setting out of its bounds is taken off the stack too. */
function setting(set: (machine: Machine, value: bigint) => boolean, complaint: string): Command {
  return (machine) => {
    const given = machine.pop()
    if (typeof given === 'string' || !set(machine, truncated(given))) throw new DcError(complaint)
  }
}

export const commands: Readonly<Record<string, Command>> = {
  '+': binary(add),
  '-': binary(subtract),
  '*': binary((left, right, { scale }) => multiply(left, right, scale)),
  '/': binary((left, right, { scale }) => divide(left, right, scale), 'divide by zero'),
  '%': binary((left, right, { scale }) => remainder(left, right, scale), 'remainder by zero'),
  '~': quotientAndRest,
  '^': power,
  '|': modularPower,
  v: root,
  c: (machine) => machine.drop(machine.stack.length),
  d: (machine) => machine.push(...machine.top(1)),
  r(machine) {
    if (machine.stack.length < 2) return
    const [left, right] = machine.top(2)
    machine.drop(2)
    machine.push(right as Decimal, left as Decimal)
  },
  R: rotate,
  z: (machine) => machine.push(integer(machine.stack.length)),
  i: setting((machine, base) => {
    if (base < 2n || base > 16n) return false
    machine.inputBase = Number(base)
    return true
  }, 'input base must be a number between 2 and 16 (inclusive)'),
  o: setting((machine, base) => {
    if (base < 2n || base > maxOutputBase) return false
    machine.outputBase = Number(base)
    return true
  }, 'output base must be a number greater than 1'),
  k: setting((machine, scale) => {
    if (scale < 0n || scale > maxOutputBase) return false
    machine.scale = Number(scale)
    return true
  }, 'scale must be a nonnegative number'),
  I: (machine) => machine.push(integer(machine.inputBase)),
  O: (machine) => machine.push(integer(machine.outputBase)),
  K: (machine) => machine.push(integer(machine.scale)),
  Z(machine) {
    const value = machine.pop()
    machine.push(integer(typeof value === 'string' ? value.length : digitsOf(value).length))
  },
  X(machine) {
    const value = machine.pop()
    machine.push(integer(typeof value === 'string' ? 0 : value.scale))
  },
  a(machine) {
    const value = machine.pop()
    machine.push(
      typeof value === 'string' ? value.slice(0, 1) : String.fromCharCode(Number(BigInt.asUintN(8, truncated(value)))),
    )
  },
}

/** The bytes of a number's whole part, the highest first, as characters. */
export function charactersOf(value: Decimal): string {
  const { digits } = withScale(value, 0)
  let text = ''
  let left = digits < 0n ? -digits : digits
  do {
    text = String.fromCharCode(Number(left & 255n)) + text
    left >>= 8n
  } while (left > 0n)
  return text
}

/** A number as it stands in a program. Digits count as what they are, also those above the base. */
export function numberIn(text: string, base: number): Decimal {
  const [whole = '', fraction = ''] = text.replace(/^_/, '').split('.')
  const radix = BigInt(base)
  const amountOf = (digits: string) => {
    let value = 0n
    for (const digit of digits) value = value * radix + BigInt(Number.parseInt(digit, 16))
    return value
  }
  const scale = fraction.length
  const part = { digits: (amountOf(fraction) * 10n ** BigInt(scale)) / radix ** BigInt(scale), scale }
  const size = add(multiply(integer(amountOf(whole)), one, 0), part)
  return text.startsWith('_') ? { ...size, digits: -size.digits } : size
}
