/** The tree of an arithmetic expression. */
import type { Integer } from './integers.js'

export interface Expression {
  /** As written, for messages. */
  text: string
  /** Nothing for an empty expression, which is 0. */
  root: Node | undefined
}

export interface Variable {
  type: 'variable'
  name: string
  /** The text between the brackets. */
  subscript?: string
}

export type Node =
  | { type: 'number'; value: Integer }
  | Variable
  | { type: 'unary'; operator: '-' | '+' | '!' | '~'; operand: Node }
  /** `at`: where the right side begins, for messages. */
  | { type: 'binary'; operator: string; left: Node; right: Node; at: number }
  | { type: 'and' | 'or'; left: Node; right: Node }
  | { type: 'condition'; test: Node; yes: Node; no: Node }
  /** `operator` is that of `+=` and the like, or empty. */
  | { type: 'assign'; target: Variable; operator: string; value: Node; at: number }
  | { type: 'step'; target: Variable; by: 1 | -1; isPrefix: boolean }

/** An error in an expression, with bash's message. */
export class ArithmeticFault extends Error {
  constructor(text: string, problem: string, at?: number) {
    const token = at === undefined ? '' : ` (error token is "${text.slice(at)}")`
    super(`${text.trimStart()}: ${problem}${token}`)
  }
}
