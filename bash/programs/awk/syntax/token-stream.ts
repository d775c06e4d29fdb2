/** The tokens of a program, as the parser takes them. */
import { ProgramError } from '../../program-error.js'
import { type SourceText, syntaxError } from './awk-error.js'
import type { Dialect } from './dialect.js'
import { Lexer, type Token } from './lexer.js'

export class TokenStream {
  token: Token
  private readonly lexer: Lexer

  constructor(
    readonly source: SourceText,
    warn: (message: string) => void,
    readonly dialect: Dialect,
  ) {
    this.lexer = new Lexer(source, warn, dialect)
    this.token = this.lexer.next()
  }

  is(text: string): boolean {
    return (this.token.kind === 'operator' || this.token.kind === 'keyword') && this.token.text === text
  }

  isOneOf(...texts: string[]): boolean {
    return texts.some((text) => this.is(text))
  }

  take(): Token {
    const { token } = this
    this.token = this.lexer.next()
    return token
  }

  /** Takes the token if it is this one. */
  accept(text: string): boolean {
    if (!this.is(text)) return false
    this.take()
    return true
  }

  expect(text: string): Token {
    if (!this.is(text)) throw this.unexpected()
    return this.take()
  }

  expectName(): Token {
    if (this.token.kind !== 'name') throw this.unexpected()
    return this.take()
  }

  /** Takes a regular expression whose first slash is the current token. */
  takeRegex(): string {
    const { text } = this.lexer.regex(this.token)
    this.token = this.lexer.next()
    return text
  }

  skipNewlines(): void {
    while (this.token.kind === 'newline') this.take()
  }

  skipTerminators(): void {
    while (this.token.kind === 'newline' || this.is(';')) this.take()
  }

  /** True when the source after the current token begins so; the pattern is sticky. */
  follows(pattern: RegExp): boolean {
    return this.lexer.follows(pattern)
  }

  /** Runs a part of the parser; when it returns undefined, its tokens are put back. */
  attempt<Result>(parse: () => Result | undefined): Result | undefined {
    const { state } = this.lexer
    const { token } = this
    const result = parse()
    if (result !== undefined) return result
    this.lexer.state = state
    this.token = token
    return undefined
  }

  unexpected(): Error {
    const { kind, at } = this.token
    if (kind === 'newline' || kind === 'end') return this.error('unexpected newline or end of string', at)
    return this.error('syntax error', at)
  }

  /** For statements in the wrong place. */
  misuse(message: string): Error {
    return new ProgramError(`${this.token.line}: error: ${message}`, 1)
  }

  error(message: string, at = this.token.at): Error {
    return syntaxError(this.source, at, message)
  }
}
