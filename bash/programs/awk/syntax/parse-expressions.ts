/** Parses awk expressions, from the lowest precedence to the highest. */
import { ProgramError } from '../../program-error.js'
import { AwkFatal } from './awk-error.js'
import { builtins } from './lexer.js'
import type { ArithmeticOperator, ArrayRef, CompareOperator, ElementRef, Expr, Target } from './syntax.js'
import type { TokenStream } from './token-stream.js'

const assignments: Readonly<Record<string, ArithmeticOperator | undefined>> = {
  '=': undefined,
  '+=': '+',
  '-=': '-',
  '*=': '*',
  '/=': '/',
  '%=': '%',
  '^=': '^',
}

const comparisons = new Set(['<', '<=', '==', '!=', '>', '>='])
const getlineFollows = /[ \t]*getline\b/y

export class ExpressionParser {
  /** Set in the arguments of `print`, where `>` redirects. */
  private redirects = false
  /** What stood in parentheses last: it cannot be assigned. */
  private grouped: Expr | undefined
  /** Where the last list of arguments ended, for messages. */
  private argumentsEnd = 0

  /** What `@namespace` said last. */
  protected namespace = 'awk'
  /** Those of the function that is parsed. */
  protected parameters: readonly string[] = []

  constructor(protected readonly tokens: TokenStream) {}

  /** A name with its namespace. Names in capitals, and parameters, have none. */
  protected qualified(name: string): string {
    if (name.startsWith('awk::')) return name.slice('awk::'.length)
    const isPlain = this.namespace === 'awk' || name.includes('::') || /^[A-Z][A-Z0-9_]*$/.test(name)
    return isPlain || this.parameters.includes(name) ? name : `${this.namespace}::${name}`
  }

  expression(): Expr {
    return this.condition()
  }

  /** Expressions in which `>` is not a comparison. */
  printArguments(): Expr[] {
    return this.withRedirects(true, () => this.list())
  }

  /** What follows `>`, `>>` or `|` after `print`. */
  redirectTarget(): Expr {
    return this.withRedirects(true, () => this.concatenation())
  }

  list(): Expr[] {
    const expressions = [this.expression()]
    while (this.tokens.accept(',')) {
      this.tokens.skipNewlines()
      expressions.push(this.expression())
    }
    return expressions
  }

  /** `(a, b)` with everything allowed inside. */
  parenthesized(): Expr[] {
    this.tokens.expect('(')
    const expressions = this.withRedirects(false, () => this.list())
    this.tokens.expect(')')
    return expressions
  }

  arrayRef(): ArrayRef {
    const { text, line } = this.tokens.expectName()
    return this.subscripts({ kind: 'name', name: this.qualified(text), line })
  }

  private withRedirects<Result>(redirects: boolean, parse: () => Result): Result {
    const before = this.redirects
    this.redirects = redirects
    try {
      return parse()
    } finally {
      this.redirects = before
    }
  }

  private condition(): Expr {
    const test = this.or()
    if (!this.tokens.is('?')) return test
    const { posix } = this.tokens.dialect
    this.tokens.take()
    if (!posix) this.tokens.skipNewlines()
    const yes = this.condition()
    if (!posix) this.tokens.skipNewlines()
    this.tokens.expect(':')
    if (!posix) this.tokens.skipNewlines()
    const no = this.condition()
    return { kind: 'condition', test, yes, no }
  }

  private or(): Expr {
    let left = this.and()
    while (this.tokens.accept('||')) {
      this.tokens.skipNewlines()
      left = { kind: 'or', left, right: this.and() }
    }
    return left
  }

  private and(): Expr {
    let left = this.membership()
    while (this.tokens.accept('&&')) {
      this.tokens.skipNewlines()
      left = { kind: 'and', left, right: this.membership() }
    }
    return left
  }

  private membership(): Expr {
    let left = this.matching(this.comparison(this.concatenation()))
    while (this.tokens.accept('in')) {
      left = { kind: 'in', keys: [left], array: this.arrayRef() }
      left = this.matching(this.comparison(left))
    }
    return left
  }

  private matching(first: Expr): Expr {
    let text = first
    while (this.tokens.isOneOf('~', '!~')) {
      const negated = this.tokens.take().text === '!~'
      text = { kind: 'match', negated, text, regex: this.comparison(this.concatenation()) }
    }
    return text
  }

  /** One comparison: they do not follow each other. */
  private comparison(first: Expr): Expr {
    const left = this.commandInput(first)
    if (!this.isComparison()) return left
    const operator = this.tokens.take().text as CompareOperator
    const compared: Expr = { kind: 'compare', operator, left, right: this.commandInput(this.concatenation()) }
    if (this.isComparison()) throw this.tokens.unexpected()
    return compared
  }

  private isComparison(): boolean {
    const { text, kind } = this.tokens.token
    return kind === 'operator' && comparisons.has(text) && !(text === '>' && this.redirects)
  }

  /** `command | getline`, any number of times. */
  private commandInput(first: Expr): Expr {
    let left = first
    // After `print` it is a redirection to what the getline returns.
    while (!this.redirects && this.tokens.isOneOf('|', '|&') && this.tokens.follows(getlineFollows)) {
      const kind = this.tokens.take().text === '|' ? 'command' : 'coprocess'
      const { line } = this.tokens.take()
      left = this.continued({ kind: 'getline', ...this.optionalTarget(), source: { kind, name: left }, line })
    }
    return left
  }

  /** `command | getline` is an operand of what follows. */
  private continued(first: Expr): Expr {
    const product = this.leftAssociative(['*', '/', '%'], () => this.unary(), first)
    return this.concatenated(this.leftAssociative(['+', '-'], () => this.multiplicative(), product))
  }

  private concatenation(): Expr {
    return this.concatenated(this.additive())
  }

  private concatenated(first: Expr): Expr {
    if (!this.startsOperand()) return first
    const parts = [first]
    while (this.startsOperand()) parts.push(this.additive())
    return { kind: 'concat', parts }
  }

  /** Not `+` and `-`: after an operand they are binary. */
  private startsOperand(): boolean {
    const { kind, text } = this.tokens.token
    if (kind === 'operator') return ['(', '$', '!', '++', '--', '@'].includes(text)
    return kind === 'number' || kind === 'string' || kind === 'name' || kind === 'function-name' || kind === 'builtin'
  }

  private additive(): Expr {
    return this.leftAssociative(['+', '-'], () => this.multiplicative())
  }

  private multiplicative(): Expr {
    return this.leftAssociative(['*', '/', '%'], () => this.unary())
  }

  private leftAssociative(operators: string[], operand: () => Expr, first = operand()): Expr {
    let left = first
    while (this.tokens.isOneOf(...operators)) {
      const { text, line } = this.tokens.take()
      const right = operand()
      if ((text === '/' || text === '%') && isZero(right) && left.kind === 'number') {
        throw new ProgramError(`${line}: error: division by zero attempted${text === '%' ? " in `%'" : ''}`, 1)
      }
      left = { kind: 'arithmetic', operator: text as ArithmeticOperator, left, right, line }
    }
    return left
  }

  private unary(): Expr {
    if (this.tokens.accept('!')) return { kind: 'not', operand: this.unary() }
    if (this.tokens.accept('-')) return { kind: 'negate', operand: this.unary() }
    if (this.tokens.accept('+')) return { kind: 'plus', operand: this.unary() }
    return this.power()
  }

  private power(): Expr {
    const left = this.postfix()
    if (!this.tokens.is('^')) return left
    const { line } = this.tokens.take()
    return { kind: 'arithmetic', operator: '^', left, right: this.exponent(), line }
  }

  /** The exponent can have a sign, and binds to the right. */
  private exponent(): Expr {
    if (this.tokens.accept('-')) return { kind: 'negate', operand: this.exponent() }
    if (this.tokens.accept('+')) return { kind: 'plus', operand: this.exponent() }
    if (this.tokens.accept('!')) return { kind: 'not', operand: this.exponent() }
    return this.power()
  }

  private postfix(): Expr {
    const operand = this.primary()
    if (!isTarget(operand)) return operand
    const { kind, text, line } = this.tokens.token
    if (operand === this.grouped) {
      if (kind === 'operator' && text in assignments) throw this.tokens.unexpected()
      return operand
    }
    if (kind !== 'operator') return operand
    // An assignment binds everything to its right, whatever is on the left of its target: `a && b = 1`.
    if (text in assignments) {
      this.tokens.take()
      this.tokens.skipNewlines()
      const operator = assignments[text]
      const value = this.expression()
      return { kind: 'assign', target: operand, ...(operator && { operator }), value, line }
    }
    if (text === '++' || text === '--') {
      this.tokens.take()
      return { kind: 'step', target: operand, by: text === '++' ? 1 : -1, prefix: false }
    }
    return operand
  }

  private primary(): Expr {
    const { token } = this.tokens
    switch (token.kind) {
      case 'number':
        this.tokens.take()
        return { kind: 'number', value: token.number }
      case 'string':
        this.tokens.take()
        return { kind: 'string', value: token.text }
      case 'name':
        return this.arrayRef()
      case 'builtin':
        return this.builtin()
      case 'function-name':
        this.tokens.take()
        return { kind: 'call', name: this.qualified(token.text), args: this.callArguments(), line: token.line }
      case 'keyword':
        if (token.text === 'getline') return this.getline()
        throw this.tokens.unexpected()
      case 'operator':
        return this.operatorPrimary()
      default:
        throw this.tokens.unexpected()
    }
  }

  private operatorPrimary(): Expr {
    const { text, line } = this.tokens.token
    switch (text) {
      case '/':
      case '/=':
        return { kind: 'regex', source: this.tokens.takeRegex(), strong: false, line }
      case '@':
        return this.strongRegexOrIndirectCall()
      case '$':
        this.tokens.take()
        return { kind: 'field', index: this.fieldIndex(), line }
      case '++':
      case '--': {
        this.tokens.take()
        const target = this.primary()
        if (!isTarget(target)) throw this.tokens.unexpected()
        return { kind: 'step', target, by: text === '++' ? 1 : -1, prefix: true }
      }
      case '!':
      case '-':
      case '+':
        return this.unary()
      case '(':
        return this.grouping()
      default:
        throw this.tokens.unexpected()
    }
  }

  private stepped(operand: Expr): Expr {
    if (!isTarget(operand) || !this.tokens.isOneOf('++', '--')) return operand
    return { kind: 'step', target: operand, by: this.tokens.take().text === '++' ? 1 : -1, prefix: false }
  }

  private strongRegexOrIndirectCall(): Expr {
    const { line } = this.tokens.take()
    if (this.tokens.isOneOf('/', '/=')) return { kind: 'regex', source: this.tokens.takeRegex(), strong: true, line }
    if (this.tokens.token.kind !== 'function-name') {
      throw this.tokens.unexpected()
    }
    const name = this.qualified(this.tokens.take().text)
    const args = this.callArguments()
    if (this.tokens.dialect.traditional)
      throw this.tokens.error('indirect function calls are a gawk extension', this.argumentsEnd)
    return { kind: 'indirect', name: { kind: 'name', name, line }, args, line }
  }

  /** `$` binds tighter than everything but grouping and the prefix operators: `$i++` increments the field. */
  private fieldIndex(): Expr {
    // After a sign they increment what is inside: `$-i++`.
    if (this.tokens.accept('-')) return { kind: 'negate', operand: this.stepped(this.fieldIndex()) }
    if (this.tokens.accept('+')) return { kind: 'plus', operand: this.stepped(this.fieldIndex()) }
    if (this.tokens.accept('!')) return { kind: 'not', operand: this.fieldIndex() }
    const index = this.primary()
    // The innermost field of several `$` takes the first `++`.
    return index.kind === 'field' && index !== this.grouped ? this.stepped(index) : index
  }

  private grouping(): Expr {
    const expressions = this.parenthesized()
    const [only] = expressions
    if (expressions.length === 1 && only !== undefined) {
      this.grouped = only
      return only
    }
    if (!this.tokens.accept('in')) throw this.tokens.unexpected()
    return { kind: 'in', keys: expressions, array: this.arrayRef() }
  }

  private callArguments(): Expr[] {
    this.tokens.expect('(')
    return this.withRedirects(false, () => {
      const args: Expr[] = []
      this.tokens.skipNewlines()
      while (!this.tokens.is(')')) {
        args.push(this.expression())
        this.tokens.skipNewlines()
        if (this.tokens.is(')')) break
        this.tokens.expect(',')
        this.tokens.skipNewlines()
        if (this.tokens.is(')')) throw this.tokens.unexpected()
      }
      this.argumentsEnd = this.tokens.take().at
      return args
    })
  }

  private builtin(): Expr {
    const { text: name, line } = this.tokens.take()
    if (!this.tokens.is('(')) {
      if (name !== 'length') throw this.tokens.unexpected()
      return { kind: 'builtin', name, args: [], line }
    }
    const args = this.callArguments()
    const [least, most] = builtins.get(name) ?? [0, 0]
    if (args.length < least || args.length > most) {
      throw this.tokens.error(`${args.length} is invalid as number of arguments for ${name}`, this.argumentsEnd)
    }
    const extension = name === 'match' ? 'third' : name === 'close' ? 'second' : undefined
    if (this.tokens.dialect.traditional && extension !== undefined && args.length === most)
      throw this.tokens.error(`${name}: ${extension} argument is a gawk extension`, this.argumentsEnd)
    return { kind: 'builtin', name, args, line }
  }

  private getline(): Expr {
    const { line } = this.tokens.take()
    const target = this.optionalTarget()
    if (!this.tokens.accept('<')) return { kind: 'getline', ...target, line }
    return { kind: 'getline', ...target, source: { kind: 'file', name: this.additive() }, line }
  }

  private optionalTarget(): { target?: Target } {
    if (this.tokens.token.kind !== 'name' && !this.tokens.is('$')) return {}
    const target = this.primary()
    if (!isTarget(target)) throw this.tokens.unexpected()
    return { target }
  }

  private subscripts(array: ArrayRef): ArrayRef {
    let found = array
    while (this.tokens.is('[')) {
      const { line } = this.tokens.take()
      const keys = this.withRedirects(false, () => this.list())
      this.tokens.expect(']')
      if (this.tokens.dialect.traditional && this.tokens.is('['))
        throw new AwkFatal('multidimensional arrays are a gawk extension', line)
      found = { kind: 'element', array: found, keys, line } satisfies ElementRef
    }
    return found
  }
}

function isZero(expression: Expr): boolean {
  return expression.kind === 'number' && expression.value === 0
}

export function isTarget(expression: Expr): expression is Target {
  return expression.kind === 'name' || expression.kind === 'field' || expression.kind === 'element'
}
