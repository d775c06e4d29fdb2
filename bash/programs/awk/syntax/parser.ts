/** Parses awk programs: rules, functions and statements. */
import { ProgramError } from '../../program-error.js'
import type { SourceText } from './awk-error.js'
import { type Dialect, isSpecialName } from './dialect.js'
import { ExpressionParser } from './parse-expressions.js'
import type { AwkProgram, Expr, Redirect, Rule, Statement, SwitchCase } from './syntax.js'
import { TokenStream } from './token-stream.js'

/** A library of compiled code, which only the real program can load. */
export function unsupportedExtension(name: string): ProgramError {
  return new ProgramError(`the extension '${name}' is not supported by this shell`, 2)
}

const emptyBlock = (): Statement => ({ kind: 'block', body: [] })

const ruleKeywords: Readonly<Record<string, Rule['kind']>> = {
  BEGIN: 'begin',
  END: 'end',
  BEGINFILE: 'beginfile',
  ENDFILE: 'endfile',
}

/** Adds the rules and functions of one source to a program. */
export function parseInto(
  program: AwkProgram,
  source: SourceText,
  warn: (message: string) => void,
  dialect: Dialect,
): void {
  new ProgramParser(new TokenStream(source, warn, dialect)).program(program)
}

class ProgramParser extends ExpressionParser {
  private loops = 0
  private switches = 0
  private inFunction = false
  private inRule: Rule['kind'] = 'main'

  program(program: AwkProgram): void {
    this.tokens.skipTerminators()
    while (this.tokens.token.kind !== 'end') {
      if (this.tokens.is('@') && !this.tokens.dialect.traditional) this.directive(program)
      else if (this.tokens.isOneOf('function', 'func')) this.definition(program)
      else program.rules.push(this.rule())
      this.tokens.skipTerminators()
    }
  }

  private directive(program: AwkProgram): void {
    const { line } = this.tokens.take()
    const { text: directive } = this.tokens.token
    if (directive !== 'include' && directive !== 'load' && directive !== 'namespace') throw this.tokens.unexpected()
    this.tokens.take()
    if (this.tokens.token.kind !== 'string') throw this.tokens.unexpected()
    const { text: name } = this.tokens.take()
    if (directive === 'load') throw unsupportedExtension(name)
    if (directive === 'include') program.includes.push({ name, at: program.rules.length, line })
    else if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) this.namespace = name
    else throw this.tokens.misuse(`namespace name \`${name}' must meet identifier naming rules`)
  }

  private definition(program: AwkProgram): void {
    this.tokens.take()
    const { kind, text } = this.tokens.token
    if (kind === 'builtin') throw this.tokens.error(`\`${text}' is a built-in function, it cannot be redefined`)
    if (kind !== 'function-name' && kind !== 'name') throw this.tokens.unexpected()
    const name = this.qualified(text)
    if (program.functions.has(name)) throw this.tokens.error(`function name \`${name}' previously defined`)
    this.tokens.take()
    this.tokens.expect('(')
    const parameters: string[] = []
    this.tokens.skipNewlines()
    while (!this.tokens.is(')')) {
      const parameter = this.tokens.expectName().text
      if (isSpecialName(parameter))
        throw this.tokens.misuse(
          `function \`${name}': cannot use special variable \`${parameter}' as a function parameter`,
        )
      if (parameter === name)
        throw this.tokens.misuse(`function \`${name}': cannot use function name as parameter name`)
      const before = parameters.indexOf(parameter)
      parameters.push(parameter)
      if (before !== -1) {
        const duplicate = `parameter #${parameters.length}, \`${parameter}', duplicates parameter #${before + 1}`
        throw this.tokens.misuse(`function \`${name}': ${duplicate}`)
      }
      this.tokens.skipNewlines()
      if (this.tokens.is(')')) break
      this.tokens.expect(',')
      this.tokens.skipNewlines()
      if (this.tokens.is(')')) throw this.tokens.unexpected()
    }
    this.tokens.take()
    this.tokens.skipNewlines()
    this.inFunction = true
    this.parameters = parameters
    const body = this.block()
    this.inFunction = false
    this.parameters = []
    program.functions.set(name, { name, parameters, body })
  }

  private rule(): Rule {
    const { text, line } = this.tokens.token
    const kind = this.tokens.token.kind === 'keyword' ? ruleKeywords[text] : undefined
    this.inRule = kind ?? 'main'
    if (kind !== undefined) {
      this.tokens.take()
      // The brace has to follow on the same line; gawk reads on over newlines.
      this.tokens.skipNewlines()
      return { kind, line, action: this.block() }
    }
    if (this.tokens.is('{')) return { kind: 'main', line, action: this.block() }
    const pattern = this.expression()
    let until: Expr | undefined
    if (this.tokens.accept(',')) {
      this.tokens.skipNewlines()
      until = this.expression()
    }
    const action = this.tokens.is('{') ? this.block() : undefined
    if (action === undefined) this.endOfRule()
    return { kind: 'main', line, pattern, ...(until && { until }), ...(action && { action }) }
  }

  private endOfRule(): void {
    const { kind } = this.tokens.token
    if (kind !== 'newline' && kind !== 'end' && !this.tokens.is(';')) throw this.tokens.unexpected()
  }

  private block(): Statement {
    this.tokens.expect('{')
    const body: Statement[] = []
    this.tokens.skipTerminators()
    while (!this.tokens.is('}')) {
      body.push(this.statement())
      this.tokens.skipTerminators()
    }
    this.tokens.take()
    return { kind: 'block', body }
  }

  private statement(): Statement {
    const { line } = this.tokens.token
    return { ...this.statementAt(), line }
  }

  private statementAt(): Statement {
    if (this.tokens.is('{')) return this.block()
    if (this.tokens.accept(';')) return { kind: 'block', body: [] }
    if (this.tokens.token.kind === 'keyword') {
      const compound = this.compound()
      if (compound !== undefined) return compound
    }
    const simple = this.simple()
    this.endStatement()
    return simple
  }

  private endStatement(): void {
    if (this.tokens.is('}') || this.tokens.token.kind === 'end') return
    if (this.tokens.token.kind !== 'newline' && !this.tokens.is(';')) throw this.tokens.unexpected()
    this.tokens.take()
  }

  private compound(): Statement | undefined {
    switch (this.tokens.token.text) {
      case 'if':
        return this.ifStatement()
      case 'while': {
        this.tokens.take()
        const test = this.test()
        if (this.tokens.accept(';')) return { kind: 'while', test, body: { kind: 'block', body: [] } }
        return { kind: 'while', test, body: this.loopBody() }
      }
      case 'do':
        return this.doStatement()
      case 'for':
        return this.forStatement()
      case 'switch':
        return this.switchStatement()
      default:
        return undefined
    }
  }

  private test(): Expr {
    this.tokens.expect('(')
    const test = this.expression()
    this.tokens.expect(')')
    return test
  }

  private body(): Statement {
    this.tokens.skipNewlines()
    return this.statement()
  }

  private loopBody(): Statement {
    this.loops += 1
    const body = this.body()
    this.loops -= 1
    return body
  }

  private ifStatement(): Statement {
    this.tokens.take()
    const test = this.test()
    const yes = this.body()
    const hasElse = this.tokens.attempt(() => {
      this.tokens.skipTerminators()
      return this.tokens.accept('else') || undefined
    })
    return hasElse ? { kind: 'if', test, yes, no: this.body() } : { kind: 'if', test, yes }
  }

  private doStatement(): Statement {
    this.tokens.take()
    const body = this.loopBody()
    this.tokens.skipTerminators()
    this.tokens.expect('while')
    const test = this.test()
    this.endStatement()
    return { kind: 'do', test, body }
  }

  private forStatement(): Statement {
    this.tokens.take()
    this.tokens.expect('(')
    const forIn = this.tokens.attempt(() => this.forIn())
    if (forIn !== undefined) return { kind: 'for-in', ...forIn, body: this.loopBody() }
    const start = this.tokens.is(';') ? undefined : this.simple()
    this.tokens.expect(';')
    this.tokens.skipNewlines()
    const test = this.tokens.is(';') ? undefined : this.expression()
    this.tokens.expect(';')
    this.tokens.skipNewlines()
    const next = this.tokens.is(')') ? undefined : this.simple()
    this.tokens.expect(')')
    const body = this.tokens.accept(';') ? emptyBlock() : this.loopBody()
    return { kind: 'for', ...(start && { start }), ...(test && { test }), ...(next && { next }), body }
  }

  private forIn() {
    const { kind, text: name, line } = this.tokens.token
    if (kind !== 'name') return undefined
    this.tokens.take()
    if (!this.tokens.accept('in') || this.tokens.token.kind !== 'name') return undefined
    const array = this.arrayRef()
    return this.tokens.accept(')')
      ? { key: { kind: 'name' as const, name: this.qualified(name), line }, array }
      : undefined
  }

  private switchStatement(): Statement {
    this.tokens.take()
    const value = this.test()
    this.tokens.skipNewlines()
    this.tokens.expect('{')
    this.tokens.skipTerminators()
    const cases: SwitchCase[] = []
    this.switches += 1
    while (!this.tokens.accept('}')) {
      const test = this.caseTest()
      this.tokens.expect(':')
      this.tokens.skipTerminators()
      const body: Statement[] = []
      while (!this.tokens.isOneOf('case', 'default', '}')) {
        body.push(this.statement())
        this.tokens.skipTerminators()
      }
      cases.push({ ...(test && { test }), body })
    }
    this.switches -= 1
    return { kind: 'switch', value, cases }
  }

  private caseTest(): Expr | undefined {
    if (this.tokens.accept('default')) return undefined
    this.tokens.expect('case')
    const strong = this.tokens.accept('@')
    const { kind, text, number, line } = this.tokens.token
    if (this.tokens.isOneOf('/', '/=')) return { kind: 'regex', source: this.tokens.takeRegex(), strong, line }
    if (strong) throw this.tokens.unexpected()
    if (kind === 'string') {
      this.tokens.take()
      return { kind: 'string', value: text }
    }
    const sign = this.tokens.accept('-') ? -1 : 1
    if (sign === 1) this.tokens.accept('+')
    if (this.tokens.token.kind !== 'number') throw this.tokens.unexpected()
    const { number: value } = kind === 'number' ? { number } : this.tokens.token
    this.tokens.take()
    return { kind: 'number', value: sign * value }
  }

  private simple(): Statement {
    const { token } = this.tokens
    if (token.kind === 'keyword') {
      switch (token.text) {
        case 'print':
        case 'printf':
          return this.print()
        case 'next':
        case 'nextfile':
          if (
            !this.inFunction &&
            this.inRule !== 'main' &&
            !(token.text === 'nextfile' && this.inRule === 'beginfile')
          ) {
            throw this.tokens.misuse(`\`${token.text}' used in ${this.inRule.toUpperCase()} action`)
          }
          this.tokens.take()
          return { kind: token.text }
        case 'break':
        case 'continue':
          return this.jump(token.text)
        case 'exit':
        case 'return':
          return this.leave(token.text)
        case 'delete':
          return this.remove()
      }
    }
    return { kind: 'expression', value: this.expression() }
  }

  private jump(kind: 'break' | 'continue'): Statement {
    if (this.loops === 0 && !(kind === 'break' && this.switches > 0)) {
      const { message } = this.tokens.misuse(
        `\`${kind}' is not allowed outside a loop${kind === 'break' ? ' or switch' : ''}`,
      )
      // gawk says it twice.
      throw new ProgramError(`${message}\n${message}`, 1)
    }
    this.tokens.take()
    return { kind }
  }

  private leave(kind: 'exit' | 'return'): Statement {
    if (kind === 'return' && !this.inFunction) throw this.tokens.error("`return' used outside function context")
    this.tokens.take()
    return this.atEnd() ? { kind } : { kind, value: this.expression() }
  }

  private atEnd(): boolean {
    const { kind } = this.tokens.token
    return kind === 'newline' || kind === 'end' || this.tokens.isOneOf(';', '}')
  }

  private remove(): Statement {
    this.tokens.take()
    const parenthesized = this.tokens.accept('(')
    if (parenthesized && this.tokens.dialect.traditional)
      throw this.tokens.misuse("`delete(array)' is a non-portable tawk extension")
    const target = this.arrayRef()
    if (parenthesized) this.tokens.expect(')')
    if (target.kind === 'name') return { kind: 'delete', array: target }
    return { kind: 'delete', array: target.array, keys: target.keys }
  }

  private print(): Statement {
    const { text, line } = this.tokens.take()
    const args = this.printed()
    const redirect = this.redirect()
    if (text === 'print') return { kind: 'print', args, ...(redirect && { redirect }) }
    return { kind: 'printf', args, ...(redirect && { redirect }), line }
  }

  private printed(): Expr[] {
    if (this.atEnd() || this.tokens.isOneOf('>', '>>', '|', '|&')) return []
    // `print (a, b) > "file"`: the parentheses hold the arguments only when nothing but the end follows them.
    const grouped = this.tokens.attempt(() => {
      if (!this.tokens.is('(')) return undefined
      const list = this.parenthesized()
      return this.atEnd() || this.tokens.isOneOf('>', '>>', '|', '|&') ? list : undefined
    })
    return grouped ?? this.printArguments()
  }

  private redirect(): Redirect | undefined {
    if (!this.tokens.isOneOf('>', '>>', '|', '|&')) return undefined
    const { text, line } = this.tokens.take()
    return { kind: text as Redirect['kind'], to: this.redirectTarget(), line }
  }
}
