/** Evaluates arithmetic expressions. */
import { ArithmeticFault, type Expression, type Node, type Variable } from './expression.js'
import type { Integer } from './integers.js'
import * as integers from './integers.js'
import { parseArithmetic } from './parse.js'

/** The variables of an expression. */
export interface ArithmeticVariables {
  /** The value of a variable or of an element; nothing when it is not set, which counts as 0. */
  get(name: string, key?: string): string | undefined
  set(name: string, value: string, key?: string): void
  /** The keys of an associative array are texts; all others are evaluated before `get` and `set` have them. */
  isAssociative(name: string): boolean
  /** What is thrown when an index is wrong. */
  wrongIndex(message: string): unknown
  /** A subscript without its quotes, and with the values of what it refers to. */
  subscript(text: string, isKey: boolean): string
}

interface Run {
  text: string
  variables: ArithmeticVariables
  depth: number
}

/** How far values of variables that are expressions themselves are followed. */
const deepest = 512

export function evaluate(expression: Expression, variables: ArithmeticVariables): Integer {
  return evaluateAt(expression, variables, 0)
}

/** The value of an expression's text. */
export function evaluateText(text: string, variables: ArithmeticVariables): Integer {
  return evaluateAt(parseArithmetic(text), variables, 0)
}

function evaluateAt({ text, root }: Expression, variables: ArithmeticVariables, depth: number): Integer {
  return root === undefined ? 0 : compute(root, { text, variables, depth })
}

function compute(node: Node, run: Run): Integer {
  switch (node.type) {
    case 'number':
      return node.value
    case 'variable':
      return read(node, keyOf(node, run), run)
    case 'unary':
      return unary(node.operator, compute(node.operand, run))
    case 'binary':
      return computeChain(node, run)
    case 'and':
      return isTrue(compute(node.left, run)) && isTrue(compute(node.right, run)) ? 1 : 0
    case 'or':
      return isTrue(compute(node.left, run)) || isTrue(compute(node.right, run)) ? 1 : 0
    case 'condition':
      return compute(isTrue(compute(node.test, run)) ? node.yes : node.no, run)
    case 'assign':
      return assign(node, run)
    case 'step': {
      const key = keyOf(node.target, run)
      const before = read(node.target, key, run)
      const after = integers.add(before, node.by)
      run.variables.set(node.target.name, String(after), key)
      return node.isPrefix ? after : before
    }
  }
}

/** A chain such as `1+2+3+…`, which may be long, without a call for each of its links. */
function computeChain(last: Node & { type: 'binary' }, run: Run): Integer {
  const chain: Array<Node & { type: 'binary' }> = []
  let first: Node = last
  while (first.type === 'binary') {
    chain.push(first)
    first = first.left
  }
  let value = compute(first, run)
  for (let link = chain.pop(); link !== undefined; link = chain.pop()) {
    value = binary(link.operator, value, compute(link.right, run), link.at, run)
  }
  return value
}

function isTrue(value: Integer): boolean {
  return value !== 0
}

function assign(node: Node & { type: 'assign' }, run: Run): Integer {
  const { target, operator } = node
  if (operator === '') {
    // What is assigned comes first, as in bash.
    const value = compute(node.value, run)
    run.variables.set(target.name, String(value), keyOf(target, run))
    return value
  }
  const key = keyOf(target, run)
  const before = read(target, key, run)
  const value = binary(operator, before, compute(node.value, run), node.at, run)
  run.variables.set(target.name, String(value), key)
  return value
}

function unary(operator: '-' | '+' | '!' | '~', value: Integer): Integer {
  switch (operator) {
    case '-':
      return integers.subtract(0, value)
    case '+':
      return value
    case '!':
      return isTrue(value) ? 0 : 1
    case '~':
      return integers.subtract(-1, value)
  }
}

function binary(operator: string, left: Integer, right: Integer, at: number, run: Run): Integer {
  switch (operator) {
    case '+':
      return integers.add(left, right)
    case '-':
      return integers.subtract(left, right)
    case '*':
      return integers.multiply(left, right)
    case '/':
      if (right === 0) throw new ArithmeticFault(run.text, 'division by 0', at)
      return integers.divide(left, right)
    case '%':
      if (right === 0) throw new ArithmeticFault(run.text, 'division by 0', at)
      return integers.remainder(left, right)
    case '**':
      if (right < 0) throw new ArithmeticFault(run.text, 'exponent less than 0', at)
      return integers.power(left, right)
    case '<<':
      return integers.shiftLeft(left, right)
    case '>>':
      return integers.shiftRight(left, right)
    case '&':
      return integers.and(left, right)
    case '|':
      return integers.or(left, right)
    case '^':
      return integers.xor(left, right)
    case ',':
      return right
    default:
      return compare(operator, left, right) ? 1 : 0
  }
}

function compare(operator: string, left: Integer, right: Integer): boolean {
  switch (operator) {
    case '<':
      return left < right
    case '<=':
      return left <= right
    case '>':
      return left > right
    case '>=':
      return left >= right
    case '==':
      return left === right
    default:
      return left !== right
  }
}

const quoted = /[\\$`"']/

/** The key of an element: a text for associative arrays, otherwise a number. */
function keyOf({ name, subscript }: Variable, run: Run): string | undefined {
  if (subscript === undefined || subscript === '' || subscript === '@' || subscript === '*') return subscript
  const isKey = run.variables.isAssociative(name)
  const text = quoted.test(subscript) ? run.variables.subscript(subscript, isKey) : subscript
  if (isKey || smallInteger(text) !== undefined) return text
  try {
    return String(evaluateAt(parseArithmetic(text), run.variables, deeper(run, name)))
  } catch (error) {
    throw error instanceof ArithmeticFault ? run.variables.wrongIndex(error.message) : error
  }
}

function read({ name }: Variable, key: string | undefined, run: Run): Integer {
  const value = run.variables.get(name, key)
  if (value === undefined || value === '') return 0
  const small = smallInteger(value)
  return small ?? evaluateAt(parseArithmetic(value), run.variables, deeper(run, name))
}

function deeper({ text, depth }: Run, name: string): number {
  if (depth < deepest) return depth + 1
  throw new ArithmeticFault(text, 'expression recursion level exceeded', Math.max(text.indexOf(name), 0))
}

/** The value of plain decimal digits; nothing for all else. */
function smallInteger(text: string): number | undefined {
  if (text.length > 15) return undefined
  const start = text.charCodeAt(0) === 45 ? 1 : 0
  const first = text.charCodeAt(start)
  if (first === 48) return text.length === start + 1 ? 0 : undefined
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 48 || code > 57) return undefined
  }
  return text.length > start ? Number(text) : undefined
}
