/** The tokens of a program as a parser takes them. */
import { CompileError } from '../syntax.js'
import { createLexer, type Lexer, type Token } from './tokens.js'

export const reserved: ReadonlySet<string> = new Set([
  'def',
  'if',
  'then',
  'elif',
  'else',
  'end',
  'and',
  'or',
  'as',
  'reduce',
  'foreach',
  'try',
  'catch',
  'label',
  'import',
  'include',
  '__loc__',
])

export interface TokenReader extends Lexer {
  isSymbol(text: string): boolean
  isWord(text: string): boolean
  /** Takes the symbol if it is the next token. */
  accept(text: string): boolean
  expect(text: string): void
  expectWord(text: string): void
  variableName(): string
  unexpected(token: Token): never
}

export function tokenReader(source: string): TokenReader {
  const { peek, take, position, moveTo, line } = createLexer(source)

  function unexpected(token: Token): never {
    throw new CompileError(`syntax error, unexpected ${nameOf(token)}`, line())
  }

  function isSymbol(text: string): boolean {
    const token = peek()
    return token.kind === 'symbol' && token.text === text
  }

  function isWord(text: string): boolean {
    const token = peek()
    return token.kind === 'word' && token.text === text
  }

  function accept(text: string): boolean {
    if (!isSymbol(text)) return false
    take()
    return true
  }

  return {
    peek,
    take,
    position,
    moveTo,
    line,
    unexpected,
    isSymbol,
    isWord,
    accept,
    expect(text) {
      if (!accept(text)) unexpected(peek())
    },
    expectWord(text) {
      if (!isWord(text)) unexpected(peek())
      take()
    },
    variableName() {
      const token = take()
      return token.kind === 'variable' ? token.text : unexpected(token)
    },
  }
}

/** As the original's messages name a token. */
function nameOf(token: Token): string {
  switch (token.kind) {
    case 'end':
      return '$end'
    case 'symbol':
      return `'${token.text}'`
    case 'word':
      return reserved.has(token.text) ? token.text : 'IDENT'
    case 'quote':
      return 'QQSTRING_START'
    case 'number':
      return 'LITERAL'
    case 'variable':
      return "'$'"
    default:
      return token.kind.toUpperCase()
  }
}
