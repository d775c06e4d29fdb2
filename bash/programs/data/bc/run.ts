/** Runs bc programs. */
import { entryOf } from '../../../../src/text/entry-of.js'
import {
  add,
  compare,
  type Decimal,
  digitCount,
  divide,
  formatNumber,
  integer,
  isZero,
  multiply,
  negated,
  one,
  parseNumber,
  raise,
  remainder,
  squareRoot,
  subtract,
  truncated,
  zero,
} from './decimal.js'
import { mathLibrary } from './math-library.js'
import { BcSyntaxError, Parser } from './parser.js'
import type { Argument, Expr, FunctionDefinition, Operator, Parameter, Relation, Statement, Target } from './syntax.js'

/** Ends the line that runs; the program goes on. */
class RuntimeFailure extends Error {}

class Halt extends Error {}

export interface BcHost {
  write(text: string): Promise<void> | undefined
  error(text: string): Promise<void>
  step(): void
  /** The length of output lines, 0 for no limit. */
  lineLength: number
}

type Flow = 'on' | 'break' | 'continue' | 'return'

type ArrayValue = Map<string, Decimal>

const largestBase = 999
const largestInputBase = 36
const mostScale = 100_000

/** As much as the original keeps back. */
const heldOutput = 4096

export class BcInterpreter {
  private scale = 0
  private inputBase = 10
  private outputBase = 10
  private last = zero
  private readonly variables = new Map<string, Decimal>()
  private readonly arrays = new Map<string, ArrayValue>()
  private readonly functions = new Map<string, FunctionDefinition>()
  private returned: Decimal = zero
  private column = 0
  private output = ''
  private depth = 0

  constructor(
    private readonly host: BcHost,
    private readonly hasLibrary: boolean,
  ) {
    if (hasLibrary) this.scale = 20
  }

  /** True when the program was left by `quit` or `halt`. */
  async run(source: string, name: string): Promise<boolean> {
    const parser = new Parser(source)
    for (;;) {
      try {
        const parsed = parser.next()
        if (parsed.kind === 'end') return false
        if (parsed.kind === 'quit') return true
        if (parsed.kind === 'definition') this.functions.set(parsed.definition.name, parsed.definition)
        else await this.runLine(parsed.statements)
      } catch (error) {
        await this.flush()
        if (error instanceof Halt) return true
        if (error instanceof BcSyntaxError) {
          await this.host.error(`(${name}) ${parser.line}: ${error.message}\n`)
          parser.recover()
        } else if (error instanceof RuntimeFailure) {
          await this.host.error(`Runtime error (func=(main), adr=0): ${error.message}\n`)
        } else throw error
      }
    }
  }

  private async runLine(statements: readonly Statement[]): Promise<void> {
    for (const statement of statements) {
      await this.executeInTurn(statement)
      await this.flush()
    }
  }

  /** What is not in a function hands its output over as it goes: who reads it may want no more. */
  private async executeInTurn(statement: Statement): Promise<Flow> {
    if (this.output.length > heldOutput) await this.flush()
    if (statement.kind === 'if') {
      if (!isZero(this.value(statement.test))) return this.executeInTurn(statement.yes)
      return statement.no === undefined ? 'on' : this.executeInTurn(statement.no)
    }
    if (statement.kind === 'block') {
      for (const part of statement.body) {
        const flow = await this.executeInTurn(part)
        if (flow !== 'on') return flow
      }
      return 'on'
    }
    if (statement.kind !== 'while' && statement.kind !== 'for') return this.execute(statement)
    if (statement.kind === 'for' && statement.start !== undefined) this.value(statement.start)
    while (statement.test === undefined || !isZero(this.value(statement.test))) {
      this.host.step()
      const flow = await this.executeInTurn(statement.body)
      if (flow === 'break') break
      if (flow === 'return') return flow
      if (statement.kind === 'for' && statement.next !== undefined) this.value(statement.next)
    }
    return 'on'
  }

  private async flush(): Promise<void> {
    const { output } = this
    this.output = ''
    if (output !== '') await this.host.write(output)
  }

  private execute(statement: Statement): Flow {
    this.host.step()
    switch (statement.kind) {
      case 'expression':
        this.expressionStatement(statement.value)
        return 'on'
      case 'string':
        this.output += statement.text
        this.column = 0
        return 'on'
      case 'print':
        for (const part of statement.parts) {
          if (part.kind === 'string') this.printText(unescaped(part.text))
          else this.printNumber(this.value(part))
        }
        return 'on'
      case 'if':
        if (!isZero(this.value(statement.test))) return this.execute(statement.yes)
        return statement.no === undefined ? 'on' : this.execute(statement.no)
      case 'while':
        return this.loop(statement.test, statement.body)
      case 'for':
        if (statement.start !== undefined) this.value(statement.start)
        return this.loop(statement.test, statement.body, statement.next)
      case 'block':
        return this.block(statement.body)
      case 'return':
        this.returned = statement.value === undefined ? zero : this.value(statement.value)
        return 'return'
      case 'halt':
        throw new Halt()
      default:
        return statement.kind
    }
  }

  private block(statements: readonly Statement[]): Flow {
    for (const statement of statements) {
      const flow = this.execute(statement)
      if (flow !== 'on') return flow
    }
    return 'on'
  }

  private loop(test: Expr | undefined, body: Statement, next?: Expr): Flow {
    while (test === undefined || !isZero(this.value(test))) {
      this.host.step()
      const flow = this.execute(body)
      if (flow === 'break') break
      if (flow === 'return') return flow
      if (next !== undefined) this.value(next)
    }
    return 'on'
  }

  private expressionStatement(expression: Expr): void {
    const isVoid = expression.kind === 'call' && this.functions.get(expression.name)?.isVoid === true
    const value = isVoid ? this.call(expression.name, expression.args) : this.value(expression)
    if (expression.kind === 'assign' || isVoid) return
    this.printNumber(value)
    this.printText('\n')
    this.last = value
  }

  private printNumber(value: Decimal): void {
    for (const character of formatNumber(value, this.outputBase)) this.printCharacter(character)
    this.last = value
  }

  private printText(text: string): void {
    for (const character of text) this.printCharacter(character)
  }

  /** Long lines are broken with a backslash. */
  private printCharacter(character: string): void {
    if (character === '\n') {
      this.output += character
      this.column = 0
      return
    }
    this.column += 1
    if (this.host.lineLength !== 0 && this.column === this.host.lineLength - 1) {
      this.output += '\\\n'
      this.column = 1
    }
    this.output += character
  }

  private value(expression: Expr): Decimal {
    switch (expression.kind) {
      case 'number':
        return parseNumber(expression.text, this.inputBase)
      case 'variable':
      case 'element':
        return this.read(expression)
      case 'group':
        return this.value(expression.inner)
      case 'negate':
        return negated(this.value(expression.operand))
      case 'not':
        return truth(isZero(this.value(expression.operand)))
      case 'binary':
        return this.calculate(expression.operator, this.value(expression.left), this.value(expression.right))
      case 'compare':
        return truth(holds(expression.operator, compare(this.value(expression.left), this.value(expression.right))))
      case 'and':
        return truth(!isZero(this.value(expression.left)) && !isZero(this.value(expression.right)))
      case 'or':
        return truth(!isZero(this.value(expression.left)) || !isZero(this.value(expression.right)))
      case 'assign': {
        const given = this.value(expression.value)
        const { target, operator } = expression
        return this.write(target, operator === undefined ? given : this.calculate(operator, this.read(target), given))
      }
      case 'step': {
        const before = this.read(expression.target)
        const after = this.write(expression.target, add(before, integer(expression.by)))
        return expression.prefix ? after : before
      }
      case 'call':
        if (this.functions.get(expression.name)?.isVoid) fail('Void expression where a value is needed.')
        return this.call(expression.name, expression.args)
    }
  }

  private calculate(operator: Operator, left: Decimal, right: Decimal): Decimal {
    switch (operator) {
      case '+':
        return add(left, right)
      case '-':
        return subtract(left, right)
      case '*':
        return multiply(left, right, this.scale)
      case '/':
        return divide(left, right, this.scale) ?? fail('Divide by zero')
      case '%':
        return remainder(left, right, this.scale) ?? fail('Modulo by zero')
      case '^': {
        const exponent = truncated(right)
        if (exponent > 10_000_000n || exponent < -10_000_000n) fail('exponent too large in raise')
        return raise(left, exponent, this.scale) ?? fail('Divide by zero')
      }
    }
  }

  private read(target: Target): Decimal {
    if (target.kind === 'element') return this.arrays.get(target.name)?.get(this.index(target.index)) ?? zero
    switch (target.name) {
      case 'scale':
        return integer(this.scale)
      case 'ibase':
        return integer(this.inputBase)
      case 'obase':
        return integer(this.outputBase)
      case 'last':
        return this.last
      default:
        return this.variables.get(target.name) ?? zero
    }
  }

  private write(target: Target, value: Decimal): Decimal {
    if (target.kind === 'element') {
      const index = this.index(target.index)
      this.arrayOf(target.name).set(index, value)
      return value
    }
    const whole = Number(truncated(value))
    switch (target.name) {
      case 'scale':
        this.scale = Math.min(mostScale, Math.max(0, whole))
        break
      case 'ibase':
        this.inputBase = Math.min(largestInputBase, Math.max(2, whole))
        break
      case 'obase':
        this.outputBase = Math.min(largestBase, Math.max(2, whole))
        break
      case 'last':
        this.last = value
        break
      default:
        this.variables.set(target.name, value)
    }
    return value
  }

  private arrayOf(name: string): ArrayValue {
    const array = this.arrays.get(name) ?? new Map<string, Decimal>()
    this.arrays.set(name, array)
    return array
  }

  private index(expression: Expr): string {
    const index = truncated(this.value(expression))
    if (index < 0n || index > 65_535n) fail('Array index out of range')
    return `${index}`
  }

  private call(name: string, args: readonly Argument[]): Decimal {
    const defined = this.functions.get(name)
    if (defined !== undefined) return this.callDefined(defined, args)
    const values = args.map((arg) => (arg.kind === 'array' ? zero : this.value(arg)))
    const [first = zero] = values
    switch (name) {
      case 'length':
        return integer(args[0]?.kind === 'array' ? (this.arrays.get(args[0].name)?.size ?? 0) : digitCount(first))
      case 'scale':
        return integer(first.scale)
      case 'sqrt':
        return squareRoot(first, this.scale) ?? fail('Square root of a negative number')
    }
    const made = this.hasLibrary ? entryOf(mathLibrary, name)?.(values, this.scale) : undefined
    return made ?? fail(`Function ${name} not defined.`)
  }

  private callDefined({ parameters, locals, body }: FunctionDefinition, args: readonly Argument[]): Decimal {
    if (args.length !== parameters.length) fail('Parameter number mismatch')
    this.depth += 1
    if (this.depth > 1000) fail('functions call each other too deeply for this shell')
    const given = args.map((arg, index) => {
      if (arg.kind !== 'array') return this.value(arg)
      return parameters[index]?.isReference ? this.arrayOf(arg.name) : new Map(this.arrays.get(arg.name))
    })
    const restore = [...parameters, ...locals].map((local) => this.hide(local))
    const base = this.inputBase
    try {
      parameters.forEach(({ name }, index) => {
        const value = given[index]
        if (value instanceof Map) this.arrays.set(name, value)
        else if (value !== undefined) this.variables.set(name, value)
      })
      this.returned = zero
      const flow = this.execute(body)
      return flow === 'return' ? this.returned : zero
    } finally {
      for (const put of restore.reverse()) put()
      this.inputBase = base
      this.depth -= 1
    }
  }

  /** Makes a variable local; the result puts the outer one back. */
  private hide({ name, isArray }: Parameter): () => void {
    const map: Map<string, Decimal | ArrayValue> = isArray ? this.arrays : this.variables
    const outer = map.get(name)
    map.delete(name)
    return () => {
      if (outer === undefined) map.delete(name)
      else map.set(name, outer)
    }
  }
}

function fail(message: string): never {
  throw new RuntimeFailure(message)
}

function truth(value: boolean): Decimal {
  return value ? one : zero
}

function holds(operator: Relation, order: number): boolean {
  switch (operator) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '==':
      return order === 0
    case '!=':
      return order !== 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  a: '\x07',
  b: '\b',
  q: '"',
  '\\': '\\',
}

/** The escapes of strings in `print`. */
function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (whole, letter: string) => escapes[letter] ?? whole)
}
