/** The groups of a match that is known already, by the platform's RegExp. */
import type { Node } from '../../search/patterns/regex/ast.js'
import { print } from '../../search/patterns/regex/print.js'

export interface PlatformExpression {
  /** Undefined when the platform does not find the same match. */
  groupsAt(text: string, start: number, end: number): Array<[number, number] | undefined> | undefined
}

export function platformExpression(root: Node): PlatformExpression | undefined {
  const expression = sticky(print(root))
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

function sticky(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'duy')
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    return undefined
  }
}
