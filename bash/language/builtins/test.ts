/** `test` and `[` */
import type { ShellFiles } from '../../io/program.js'
import { compareFiles, fileOperators, testFile } from '../expand/file-tests.js'
import type { Steps } from '../run/state/steps.js'
import { byBytes } from '../run/state/variables.js'

export interface TestContext {
  files: ShellFiles
  /** Operators that only a shell has: `-v`, `-o`, `-R`. */
  shellTest?(operator: string, operand: string): Steps<boolean>
}

/** A wrong expression: status 2. */
export class TestFault {
  constructor(readonly message: string) {}
}

const binaryOperators = new Set([
  '=',
  '==',
  '!=',
  '<',
  '>',
  '-eq',
  '-ne',
  '-lt',
  '-le',
  '-gt',
  '-ge',
  '-nt',
  '-ot',
  '-ef',
])

function isUnary(operator: string, { shellTest }: TestContext): boolean {
  if (operator.length !== 2 || !operator.startsWith('-')) return false
  const letter = operator[1] as string
  return 'zn'.includes(letter) || fileOperators.includes(letter) || (shellTest !== undefined && 'voR'.includes(letter))
}

/** What the arguments mean depends on how many there are. */
export function* evaluateTest(args: readonly string[], context: TestContext): Steps<boolean> {
  const [first = '', second = '', third = '', fourth = ''] = args
  switch (args.length) {
    case 0:
      return false
    case 1:
      return first !== ''
    case 2:
      if (first === '!') return second === ''
      if (isUnary(first, context)) return yield* unary(first, second, context)
      throw new TestFault(`${first}: unary operator expected`)
    case 3:
      if (binaryOperators.has(second)) return yield* binary(first, second, third, context)
      if (second === '-a') return first !== '' && third !== ''
      if (second === '-o') return first !== '' || third !== ''
      if (first === '!') return !(yield* evaluateTest([second, third], context))
      if (first === '(' && third === ')') return second !== ''
      throw new TestFault(`${second}: binary operator expected`)
    case 4:
      if (first === '!') return !(yield* evaluateTest([second, third, fourth], context))
      if (first === '(' && fourth === ')') return yield* evaluateTest([second, third], context)
  }
  return yield* new Expression(args, context).all()
}

function* unary(operator: string, operand: string, { files, shellTest }: TestContext): Steps<boolean> {
  if (operator === '-z') return operand === ''
  if (operator === '-n') return operand !== ''
  if (shellTest !== undefined && 'voR'.includes(operator[1] as string)) return yield* shellTest(operator, operand)
  return yield* testFile(files, operator[1] as string, operand)
}

function* binary(left: string, operator: string, right: string, { files }: TestContext): Steps<boolean> {
  switch (operator) {
    case '=':
    case '==':
      return left === right
    case '!=':
      return left !== right
    case '<':
      return byBytes(left, right) < 0
    case '>':
      return byBytes(left, right) > 0
    case '-nt':
    case '-ot':
    case '-ef':
      return yield* compareFiles(files, operator, left, right)
    default:
      return compareIntegers(integer(left), operator, integer(right))
  }
}

function compareIntegers(left: bigint, operator: string, right: bigint): boolean {
  switch (operator) {
    case '-eq':
      return left === right
    case '-ne':
      return left !== right
    case '-lt':
      return left < right
    case '-le':
      return left <= right
    case '-gt':
      return left > right
    default:
      return left >= right
  }
}

function integer(text: string): bigint {
  const trimmed = text.trim()
  if (!/^[-+]?\d+$/.test(trimmed)) throw new TestFault(`${text}: integer expression expected`)
  const value = BigInt(trimmed.replace(/^\+/, ''))
  if (BigInt.asIntN(64, value) !== value) throw new TestFault(`${text}: integer expression expected`)
  return value
}

/** Longer expressions: `-o` binds least, then `-a`, then `!`. */
class Expression {
  #at = 0

  constructor(
    readonly args: readonly string[],
    readonly context: TestContext,
  ) {}

  *all(): Steps<boolean> {
    const result = yield* this.#or()
    if (this.#at < this.args.length) throw new TestFault('too many arguments')
    return result
  }

  *#or(): Steps<boolean> {
    let result = yield* this.#and()
    while (this.args[this.#at] === '-o') {
      this.#at += 1
      const right = yield* this.#and()
      result = result || right
    }
    return result
  }

  *#and(): Steps<boolean> {
    let result = yield* this.#not()
    while (this.args[this.#at] === '-a') {
      this.#at += 1
      const right = yield* this.#not()
      result = result && right
    }
    return result
  }

  *#not(): Steps<boolean> {
    if (this.args[this.#at] !== '!') return yield* this.#primary()
    this.#at += 1
    return !(yield* this.#not())
  }

  *#primary(): Steps<boolean> {
    const [first, second, third] = this.args.slice(this.#at, this.#at + 3)
    if (first === undefined) throw new TestFault('argument expected')
    if (first === '(') {
      this.#at += 1
      const result = yield* this.#or()
      const closing = this.args[this.#at]
      if (closing !== ')')
        throw new TestFault(closing === undefined ? "`)' expected" : `\`)' expected, found ${closing}`)
      this.#at += 1
      return result
    }
    if (second !== undefined && third !== undefined && binaryOperators.has(second)) {
      this.#at += 3
      return yield* binary(first, second, third, this.context)
    }
    if (second !== undefined && isUnary(first, this.context)) {
      this.#at += 2
      return yield* unary(first, second, this.context)
    }
    this.#at += 1
    return first !== ''
  }
}
