/** The text of a program, the place in it, and what is known there. */
import type { Block, Expr, Sub } from './ast.js'
import type { Warned, Warnings } from './categories.js'
import { PerlSyntaxError, Unsupported } from './perl-error.js'
import { SubScope } from './scope.js'

/** The parts of the grammar that need each other. */
export interface Grammar {
  /** With commas, `and`, `or` and `not`. */
  expression(state: ParserState): Expr
  /** One item of a list. */
  item(state: ParserState): Expr
  /** Operators that bind closer than this. */
  binary(state: ParserState, lowest: number): Expr
  block(state: ParserState, isRepeated?: boolean): Block
  sub(state: ParserState, name: string | undefined): Sub
}

/** What all parts of one program share. */
export interface Shared {
  subs: Map<string, Sub>
  /** Names that may be called without parentheses. */
  declared: Set<string>
  begin: Block[]
  end: Block[]
  /** Functions that `use` brought: the module's name, and its own of the function. */
  imported: Map<string, string>
  isStrict: boolean
  /** Somewhere in the program. */
  wasStrict: boolean
  canSay: boolean
  /** Those that are on here. */
  warnings: Warnings
  warned: Warned[]
  /** Slices of one element, which perl mentions at the end. */
  slices: Warned[]
  /** Global names, with how often they occur; those of a text that is looked at twice count once. */
  globals: Map<string, { count: number; line: number; sigils: string }>
  ours: Set<string>
  uncounted: number
  /** Calls by name, to be checked when all subs are known. */
  called: Array<{ name: string; line: number }>
}

export class ParserState {
  at = 0
  /** Line ends after which the text of here-documents was taken already, and where it goes on. */
  readonly skips = new Map<number, number>()
  private nextHere: number | undefined
  private lineOfHere = -1

  constructor(
    readonly text: string,
    readonly grammar: Grammar,
    readonly shared: Shared,
    public scope: SubScope = new SubScope(undefined, undefined),
    /** The line of the first character. */
    private readonly firstLine = 1,
    /** The blocks around, whose `local` belongs to them. */
    public blocks: Block[] = [],
  ) {}

  get line(): number {
    let line = this.firstLine
    for (let at = this.text.indexOf('\n'); at >= 0 && at < this.at; at = this.text.indexOf('\n', at + 1)) line += 1
    return line
  }

  /** For code inside of a string. */
  inner(text: string): ParserState {
    return new ParserState(text, this.grammar, this.shared, this.scope, this.line, this.blocks)
  }

  /** An expression as the only statement of a block. */
  only(value: Expr, line: number): Block {
    const { warnings } = this.shared
    return { statements: [{ kind: 'expression', value, line, ...(warnings && { warns: warnings }) }], hasLocal: false }
  }

  fail(message?: string): never {
    const rest = this.text.slice(this.at, this.at + 30).split('\n')[0]
    throw new PerlSyntaxError(message ?? `syntax error, near "${rest}"`, this.line)
  }

  refuse(what: string): never {
    throw new Unsupported(what)
  }

  skip(): void {
    const { text } = this
    for (;;) {
      const code = text.charCodeAt(this.at)
      if (code === 10) {
        this.at = this.skips.get(this.at) ?? this.at + 1
        if (text[this.at] === '=' && /^=[a-zA-Z]/.test(text.slice(this.at, this.at + 2))) this.skipPod()
      } else if (code === 32 || code === 9 || code === 13 || code === 12) this.at += 1
      else if (code === 35) {
        const end = text.indexOf('\n', this.at)
        this.at = end < 0 ? text.length : end
      } else return
    }
  }

  private skipPod(): void {
    const end = /^=cut\b.*$/m.exec(this.text.slice(this.at))
    this.at = end === null ? this.text.length : this.at + end.index + end[0].length
  }

  /** Whether the text goes on with this, after blanks. */
  sees(text: string): boolean {
    this.skip()
    return this.text.startsWith(text, this.at)
  }

  take(text: string): boolean {
    if (!this.sees(text)) return false
    this.at += text.length
    return true
  }

  expect(text: string): void {
    if (!this.take(text)) this.fail()
  }

  /** What a sticky expression finds here. */
  match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at
    return expression.exec(this.text) ?? undefined
  }

  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    this.skip()
    const found = this.match(expression)
    if (found !== undefined) this.at += found[0].length
    return found
  }

  /** The word here, which is not taken. */
  word(): string | undefined {
    this.skip()
    return this.match(/[A-Za-z_]\w*(?:::\w+)*/y)?.[0]
  }

  takeWord(word: string): boolean {
    if (this.word() !== word) return false
    this.at += word.length
    return true
  }

  isAtEnd(): boolean {
    this.skip()
    return this.at >= this.text.length
  }

  /** The lines of a here-document, which begin after this line. */
  hereText(mark: string, isIndented: boolean): string {
    const lineEnd = this.text.indexOf('\n', this.at)
    if (lineEnd < 0) this.fail(`Can't find string terminator "${mark}" anywhere before EOF`)
    const from = this.lineOfHere === lineEnd ? (this.nextHere as number) : lineEnd + 1
    const lines: string[] = []
    let at = from
    for (;;) {
      if (at >= this.text.length) this.fail(`Can't find string terminator "${mark}" anywhere before EOF`)
      const end = this.text.indexOf('\n', at)
      const line = this.text.slice(at, end < 0 ? this.text.length : end)
      at = end < 0 ? this.text.length : end + 1
      if ((isIndented ? line.trimStart() : line) === mark) break
      lines.push(line)
    }
    this.lineOfHere = lineEnd
    this.nextHere = at
    this.skips.set(lineEnd, at)
    if (isIndented) {
      const filled = lines.filter((line) => line.trim() !== '')
      const depth = Math.min(...filled.map((line) => /^\s*/.exec(line)?.[0].length ?? 0))
      return lines.map((line) => `${line.slice(Math.min(depth, line.length))}\n`).join('')
    }
    return lines.map((line) => `${line}\n`).join('')
  }
}
