/** The tokens of jq programs. Strings are read by the parser, because they contain programs. */
import { CompileError } from '../syntax.js'

export type Token =
  | { kind: 'end' }
  | { kind: 'number'; value: number }
  | { kind: 'quote' }
  | { kind: 'word'; text: string }
  | { kind: 'variable'; text: string }
  | { kind: 'field'; text: string }
  | { kind: 'format'; text: string }
  | { kind: 'symbol'; text: string }

const blank = /(?:[ \t\r\n]|#[^\n]*)*/y
const pattern =
  /(?:(\.[A-Za-z_]\w*)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|((?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)|(@\w+)|\$((?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)|(\?\/\/|\|=|\+=|-=|\*=|\/\/=|\/=|%=|==|!=|<=|>=|\/\/|\.\.|[-+*/%|,;:()[\]{}.=<>?$"]))/y

export interface Lexer {
  /** The token at the present position, without taking it. */
  peek(): Token
  take(): Token
  /** Where the next token ends. */
  position(): number
  moveTo(position: number): void
  line(): number
}

export function createLexer(source: string): Lexer {
  let at = 0
  let next: Token | undefined
  let nextEnd = 0

  function read(): Token {
    blank.lastIndex = at
    blank.exec(source)
    at = blank.lastIndex
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found === null) {
      nextEnd = source.length
      if (at === source.length) return { kind: 'end' }
      throw new CompileError('syntax error, unexpected INVALID_CHARACTER', lineAt(at))
    }
    nextEnd = pattern.lastIndex
    const [, field, number, word, format, variable, symbol = ''] = found
    if (field !== undefined) return { kind: 'field', text: field.slice(1) }
    if (number !== undefined) return { kind: 'number', value: Number(number) }
    if (word !== undefined) return { kind: 'word', text: word }
    if (format !== undefined) return { kind: 'format', text: format.slice(1) }
    if (variable !== undefined) return { kind: 'variable', text: variable }
    return symbol === '"' ? { kind: 'quote' } : { kind: 'symbol', text: symbol }
  }

  function lineAt(position: number): number {
    return source.slice(0, position).split('\n').length
  }

  return {
    peek() {
      next ??= read()
      return next
    },
    take() {
      const token = next ?? read()
      next = undefined
      at = nextEnd
      return token
    },
    position: () => at,
    moveTo(position) {
      at = position
      next = undefined
    },
    line: () => lineAt(next === undefined ? at : nextEnd),
  }
}
