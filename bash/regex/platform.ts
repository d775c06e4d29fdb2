/** The groups of a match that is known already, by the platform's RegExp. */
import type { Node } from '../../src/search/patterns/regex/ast.js'
import { costOf } from '../../src/search/patterns/regex/cost.js'
import { print } from '../../src/search/patterns/regex/print.js'

export interface PlatformExpression {
  /** Undefined when the platform does not find the same match. */
  groupsAt(text: string, start: number, end: number): Array<[number, number] | undefined> | undefined
}

export function platformExpression(root: Node): PlatformExpression | undefined {
  const expression = compiled(print(root), 'duy')
  if (expression === undefined) return undefined
  return {
    groupsAt(text, start, end) {
      expression.lastIndex = start
      const found = expression.exec(text)
      if (found?.indices === undefined || start + found[0].length !== end) return undefined
      return found.indices.slice(1) as Array<[number, number] | undefined>
    },
  }
}

/** A pattern as the platform runs it, for texts where that takes few steps for each character. */
export interface GlobalExpression {
  expression: RegExp
  isCheapFor(length: number): boolean
}

/** Up to this many steps any text may take. */
const anySteps = 4_000_000
const stepsPerUnit = 64

export function globalExpression(root: Node): GlobalExpression | undefined {
  const expression = compiled(print(root), 'gu')
  if (expression === undefined) return undefined
  const cost = costOf(root)
  // The cost never decreases with the length.
  let cheapUpTo = -1
  let expensiveFrom = Infinity
  return {
    expression,
    isCheapFor(length) {
      if (length <= cheapUpTo) return true
      if (length >= expensiveFrom) return false
      const isCheap = cost(length) <= Math.max(anySteps, stepsPerUnit * length)
      if (isCheap) cheapUpTo = length
      else expensiveFrom = length
      return isCheap
    },
  }
}

function compiled(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    return undefined
  }
}
