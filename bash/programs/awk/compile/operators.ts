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
      return (a, b) => a ** b
  }
}
