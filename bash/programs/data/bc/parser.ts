/** Parses bc, one line of statements at a time, because each runs before the next is read. */
import type { Argument, Expr, FunctionDefinition, Operator, Parameter, Relation, Statement, Target } from './syntax.js'

interface Token {
  kind: 'number' | 'name' | 'string' | 'operator' | 'newline' | 'end' | 'unknown'
  text: string
}

export class BcSyntaxError extends Error {}

const tokenPattern =
  /(?<number>(?:[0-9A-Z](?:\\\n)?)+(?:\.(?:[0-9A-Z](?:\\\n)?)*)?|\.(?:[0-9A-Z](?:\\\n)?)+)|(?<name>[a-z][a-z0-9_]*)|"(?<string>[^"]*)"|(?<operator>&&|\|\||\+\+|--|[-+*/%^]=|[<>=!]=|[-+*/%^=<>!(){}[\],;.])|(?<newline>\n)/y
const skipped = /(?:[ \t\r]|\\\n|\/\*[\s\S]*?\*\/|#[^\n]*)+/y

export type Parsed =
  | { kind: 'statements'; statements: Statement[] }
  | { kind: 'definition'; definition: FunctionDefinition }
  | { kind: 'quit' }
  | { kind: 'end' }

export class Parser {
  line = 1
  private at = 0
  private token: Token
  private isInVoid = false

  constructor(private readonly source: string) {
    this.token = this.scan()
  }

  /** The next line of statements or the next function. */
  next(): Parsed {
    while (this.token.kind === 'newline') this.take()
    if (this.token.kind === 'end') return { kind: 'end' }
    if (this.isName('define')) return { kind: 'definition', definition: this.definition() }
    const statements: Statement[] = []
    while (!this.isLineEnd()) {
      if (this.accept(';')) continue
      if (this.isName('quit')) return { kind: 'quit' }
      statements.push(this.statement())
      if (!this.is(';') && !this.isLineEnd()) throw this.fault()
    }
    // Every line has to have an end.
    if (this.isAt('end')) throw this.fault()
    return { kind: 'statements', statements }
  }

  /** Goes on after the line with an error. */
  recover(): void {
    while (this.token.kind !== 'newline' && this.token.kind !== 'end') {
      this.take()
    }
  }

  private scan(): Token {
    skipped.lastIndex = this.at
    const [blank = ''] = skipped.exec(this.source) ?? []
    this.countLines(blank)
    this.at += blank.length
    if (this.at >= this.source.length) return { kind: 'end', text: '' }
    tokenPattern.lastIndex = this.at
    const found = tokenPattern.exec(this.source)
    if (found === null) {
      const text = String.fromCodePoint(this.source.codePointAt(this.at) as number)
      this.at += text.length
      return { kind: 'unknown', text }
    }
    const { number, name, string, operator } = found.groups ?? {}
    this.at += found[0].length
    if (number !== undefined) return { kind: 'number', text: number.replaceAll('\\\n', '') }
    if (name !== undefined) return { kind: 'name', text: name }
    if (string !== undefined) {
      this.countLines(string)
      return { kind: 'string', text: string }
    }
    return operator === undefined ? { kind: 'newline', text: '\n' } : { kind: 'operator', text: operator }
  }

  private fault(): BcSyntaxError {
    const { kind, text } = this.token
    return new BcSyntaxError(kind === 'unknown' ? `illegal character: ${text}` : 'syntax error')
  }

  private countLines(text: string): void {
    for (const character of text) if (character === '\n') this.line += 1
  }

  private take(): Token {
    const { token } = this
    if (token.kind === 'newline') this.line += 1
    this.token = this.scan()
    return token
  }

  private is(text: string): boolean {
    return this.token.kind === 'operator' && this.token.text === text
  }

  private isAt(kind: Token['kind']): boolean {
    return this.token.kind === kind
  }

  private isLineEnd(): boolean {
    return this.isAt('newline') || this.isAt('end')
  }

  private isName(text: string): boolean {
    return this.token.kind === 'name' && this.token.text === text
  }

  private accept(text: string): boolean {
    if (!this.is(text)) return false
    this.take()
    return true
  }

  private expect(text: string): void {
    if (!this.accept(text)) throw this.fault()
  }

  private skipNewlines(): void {
    while (this.token.kind === 'newline') this.take()
  }

  private definition(): FunctionDefinition {
    this.take()
    const isVoid = this.isName('void')
    if (isVoid) this.take()
    if (this.token.kind !== 'name' || this.isName('void')) throw this.fault()
    const name = this.take().text
    this.expect('(')
    const parameters = this.is(')') ? [] : this.parameters()
    this.expect(')')
    this.skipNewlines()
    this.expect('{')
    this.skipNewlines()
    let locals: Parameter[] = []
    if (this.isName('auto')) {
      this.take()
      locals = this.parameters()
      this.accept(';')
    }
    this.isInVoid = isVoid
    try {
      return { name, isVoid, parameters, locals, body: this.blockRest() }
    } finally {
      this.isInVoid = false
    }
  }

  /** With a star before its name, an array is that of the caller. */
  private parameters(): Parameter[] {
    const list: Parameter[] = []
    do {
      const isReference = this.accept('*')
      if (this.token.kind !== 'name' || this.isName('void')) throw this.fault()
      const name = this.take().text
      const isArray = this.accept('[')
      if (isArray) this.expect(']')
      else if (isReference) throw this.fault()
      list.push({ name, isArray, isReference })
    } while (this.accept(','))
    return list
  }

  private blockRest(): Statement {
    const body: Statement[] = []
    for (;;) {
      while (this.token.kind === 'newline' || this.is(';')) this.take()
      if (this.accept('}')) return { kind: 'block', body }
      if (this.token.kind === 'end') throw this.fault()
      body.push(this.statement())
    }
  }

  private statement(): Statement {
    if (this.token.kind === 'string') return { kind: 'string', text: this.take().text }
    if (this.accept('{')) return this.blockRest()
    if (this.token.kind === 'name') {
      const keyword = this.keyword(this.token.text)
      if (keyword !== undefined) return keyword
    }
    return { kind: 'expression', value: this.expression() }
  }

  private keyword(text: string): Statement | undefined {
    switch (text) {
      case 'if': {
        this.take()
        const test = this.test()
        const yes = this.body()
        const hasElse = this.isName('else')
        if (!hasElse) return { kind: 'if', test, yes }
        this.take()
        return { kind: 'if', test, yes, no: this.body() }
      }
      case 'while': {
        this.take()
        const test = this.test()
        return { kind: 'while', test, body: this.body() }
      }
      case 'for':
        return this.forStatement()
      case 'print':
        return this.print()
      case 'return': {
        this.take()
        const isBare = this.is(';') || this.is('}') || this.token.kind === 'newline' || this.token.kind === 'end'
        if (isBare) return { kind: 'return' }
        if (this.isInVoid) throw new BcSyntaxError('Return expression in a void function.')
        return { kind: 'return', value: this.expression() }
      }
      case 'break':
      case 'continue':
      case 'halt':
        this.take()
        return { kind: text }
      default:
        return undefined
    }
  }

  private test(): Expr {
    this.expect('(')
    const test = this.expression()
    this.expect(')')
    return test
  }

  private body(): Statement {
    this.skipNewlines()
    if (this.is(';')) return { kind: 'block', body: [] }
    return this.statement()
  }

  private forStatement(): Statement {
    this.take()
    this.expect('(')
    const start = this.is(';') ? undefined : this.expression()
    this.expect(';')
    const test = this.is(';') ? undefined : this.expression()
    this.expect(';')
    const next = this.is(')') ? undefined : this.expression()
    this.expect(')')
    return { kind: 'for', ...(start && { start }), ...(test && { test }), ...(next && { next }), body: this.body() }
  }

  private print(): Statement {
    this.take()
    const parts: Extract<Statement, { kind: 'print' }>['parts'] = []
    do {
      parts.push(this.token.kind === 'string' ? { kind: 'string', text: this.take().text } : this.expression())
    } while (this.accept(','))
    return { kind: 'print', parts }
  }

  private expression(): Expr {
    let left = this.conjunction()
    while (this.accept('||')) left = { kind: 'or', left, right: this.conjunction() }
    return left
  }

  private conjunction(): Expr {
    let left = this.negation()
    while (this.accept('&&')) left = { kind: 'and', left, right: this.negation() }
    return left
  }

  private negation(): Expr {
    if (this.accept('!')) return { kind: 'not', operand: this.negation() }
    return this.comparison()
  }

  private comparison(): Expr {
    let left = this.additive()
    while (['<', '<=', '==', '!=', '>', '>='].some((operator) => this.is(operator))) {
      const operator = this.take().text as Relation
      left = { kind: 'compare', operator, left, right: this.additive() }
    }
    return left
  }

  private additive(): Expr {
    return this.leftAssociative(['+', '-'], () => this.multiplicative())
  }

  private multiplicative(): Expr {
    return this.leftAssociative(['*', '/', '%'], () => this.power())
  }

  private leftAssociative(operators: readonly string[], operand: () => Expr): Expr {
    let left = operand()
    while (operators.some((operator) => this.is(operator))) {
      const operator = this.take().text as Operator
      left = { kind: 'binary', operator, left, right: operand() }
    }
    return left
  }

  private power(): Expr {
    const left = this.unary()
    if (!this.accept('^')) return left
    return { kind: 'binary', operator: '^', left, right: this.power() }
  }

  /** A minus binds tighter than a power here: `-2^2` is 4. */
  private unary(): Expr {
    if (this.accept('-')) return { kind: 'negate', operand: this.unary() }
    return this.postfix()
  }

  private postfix(): Expr {
    const operand = this.primary()
    if (operand.kind !== 'variable' && operand.kind !== 'element') return operand
    if (this.is('++') || this.is('--')) {
      return { kind: 'step', target: operand, by: this.take().text === '++' ? 1 : -1, prefix: false }
    }
    if (this.accept('=')) return { kind: 'assign', target: operand, value: this.additive() }
    const { kind, text } = this.token
    if (kind !== 'operator' || !/^[-+*/%^]=$/.test(text)) return operand
    this.take()
    return { kind: 'assign', target: operand, operator: text[0] as Operator, value: this.additive() }
  }

  private primary(): Expr {
    const { kind, text } = this.token
    if (kind === 'number') {
      this.take()
      return { kind: 'number', text }
    }
    if (this.is('++') || this.is('--')) {
      const by = this.take().text === '++' ? 1 : -1
      const target = this.primary()
      if (target.kind !== 'variable' && target.kind !== 'element') throw this.fault()
      return { kind: 'step', target, by, prefix: true }
    }
    if (this.accept('(')) {
      const inner = this.expression()
      this.expect(')')
      return { kind: 'group', inner }
    }
    if (this.accept('.')) return { kind: 'variable', name: 'last' }
    if (kind !== 'name' || text === 'void') throw this.fault()
    this.take()
    return this.named(text)
  }

  private named(name: string): Expr | Target {
    if (this.accept('(')) {
      const args: Argument[] = []
      while (!this.accept(')')) {
        if (args.length > 0) this.expect(',')
        args.push(this.argument())
      }
      return { kind: 'call', name, args }
    }
    if (!this.accept('[')) return { kind: 'variable', name }
    const index = this.expression()
    this.expect(']')
    return { kind: 'element', name, index }
  }

  /** `a[]` passes an array. */
  private argument(): Argument {
    const { token, at, line } = this
    if (token.kind === 'name') {
      this.take()
      if (this.accept('[') && this.accept(']')) return { kind: 'array', name: token.text }
      this.token = token
      this.at = at
      this.line = line
    }
    return this.expression()
  }
}
