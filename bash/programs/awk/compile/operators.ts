/** What the operators do with numbers. */
import { AwkFatal, type SourceLine } from '../syntax/awk-error.js'
import type { ArithmeticOperator, CompareOperator } from '../syntax/syntax.js'

export function fieldIndex(given: number, line: SourceLine): number {
  const index = Math.trunc(given)
  if (index < 0) throw new AwkFatal(`attempt to access field ${index}`, line)
  return index
}

export function comparer(operator: CompareOperator): (a: number, b: number) => boolean {
  switch (operator) {
    case '<':
      return (a, b) => a < b
    case '<=':
      return (a, b) => a <= b
    case '==':
      return (a, b) => a === b
    case '!=':
      return (a, b) => a !== b
    case '>':
      return (a, b) => a > b
    case '>=':
      return (a, b) => a >= b
  }
}

export function arithmetic(operator: ArithmeticOperator, line: SourceLine): (a: number, b: number) => number {
  switch (operator) {
    case '+':
      return (a, b) => a + b
    case '-':
      return (a, b) => a - b
    case '*':
      return (a, b) => a * b
    case '/':
      return (a, b) => {
        if (b === 0) throw new AwkFatal('division by zero attempted', line)
        return a / b
      }
    case '%':
      return (a, b) => {
        if (b === 0) throw new AwkFatal("division by zero attempted in `%'", line)
        return a % b
      }
    case '^':
      return power
  }
}

/** Whole exponents multiply, as gawk does; their last digits differ from those of `**`. */
function power(base: number, exponent: number): number {
  if (!Number.isInteger(exponent) || Math.abs(exponent) > largestMultiplied) return base ** exponent
  if (exponent === 0) return 1
  let result = 1
  let square = base
  for (let rest = Math.abs(exponent); rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result *= square
    square *= square
  }
  return exponent < 0 ? 1 / result : result
}

const largestMultiplied = 2 ** 31
