/**
 * Integers of 64 bits that wrap around. They are plain numbers as long as these are exact, and `bigint`s beyond: so
 * counting in loops is cheap.
 */

export type Integer = number | bigint

/** A `bigint` cut to 64 bits, as a number if that is exact. */
export function wrap(value: bigint): Integer {
  const cut = BigInt.asIntN(64, value)
  const small = Number(cut)
  return Number.isSafeInteger(small) ? small : cut
}

export function add(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right
    if (Number.isSafeInteger(sum)) return sum
  }
  return wrap(BigInt(left) + BigInt(right))
}

export function subtract(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') {
    const difference = left - right
    if (Number.isSafeInteger(difference)) return difference
  }
  return wrap(BigInt(left) - BigInt(right))
}

export function multiply(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') {
    const product = left * right
    if (Number.isSafeInteger(product)) return product
  }
  return wrap(BigInt(left) * BigInt(right))
}

/** `right` is not 0. */
export function divide(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') return (left - (left % right)) / right
  return wrap(BigInt(left) / BigInt(right))
}

/** `right` is not 0. The sign is that of `left`. */
export function remainder(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') return left % right
  return wrap(BigInt(left) % BigInt(right))
}

/** `exponent` is not negative. */
export function power(base: Integer, exponent: Integer): Integer {
  let result = 1n
  let square = BigInt(base)
  for (let left = BigInt(exponent); left > 0n; left >>= 1n) {
    if (left & 1n) result = BigInt.asIntN(64, result * square)
    square = BigInt.asIntN(64, square * square)
  }
  return wrap(result)
}

export function shiftLeft(value: Integer, count: Integer): Integer {
  return wrap(BigInt(value) << (BigInt(count) & 63n))
}

export function shiftRight(value: Integer, count: Integer): Integer {
  return wrap(BigInt(value) >> (BigInt(count) & 63n))
}

export function and(left: Integer, right: Integer): Integer {
  return isInt32(left) && isInt32(right) ? left & right : wrap(BigInt(left) & BigInt(right))
}

export function or(left: Integer, right: Integer): Integer {
  return isInt32(left) && isInt32(right) ? left | right : wrap(BigInt(left) | BigInt(right))
}

export function xor(left: Integer, right: Integer): Integer {
  return isInt32(left) && isInt32(right) ? left ^ right : wrap(BigInt(left) ^ BigInt(right))
}

function isInt32(value: Integer): value is number {
  return typeof value === 'number' && (value | 0) === value
}

/** The value of digits in a base of up to 64, or nothing when one of them is too great. */
export function parseDigits(digits: string, base: number): Integer | undefined {
  let value = 0
  let large: bigint | undefined
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digitValue(digits.charCodeAt(at), base)
    if (digit >= base) return undefined
    if (large !== undefined) large = BigInt.asIntN(64, large * BigInt(base) + BigInt(digit))
    else if (value < 2 ** 46) value = value * base + digit
    else large = BigInt(value) * BigInt(base) + BigInt(digit)
  }
  return large === undefined ? value : wrap(large)
}

function digitValue(code: number, base: number): number {
  if (code >= 48 && code <= 57) return code - 48
  if (code >= 97 && code <= 122) return code - 87
  if (code >= 65 && code <= 90) return base <= 36 ? code - 55 : code - 29
  if (code === 64) return 62
  return code === 95 ? 63 : 64
}
