/** Splits awk source into tokens, one at a time: whether `/` starts a regular expression only the parser knows. */
import { decodeText } from '../../../io/byte-text.js'
import { AwkFatal, SourceLine, type SourceText, syntaxError } from './awk-error.js'
import { type Dialect, isReserved } from './dialect.js'

export type TokenKind =
  | 'end'
  | 'newline'
  | 'number'
  | 'string'
  | 'regex'
  /** A name directly before `(`. */
  | 'function-name'
  | 'name'
  | 'builtin'
  | 'keyword'
  | 'operator'

export interface Token {
  kind: TokenKind
  /** The operator, name, or the value of a string. */
  text: string
  number: number
  at: number
  line: SourceLine
}

const keywords = new Set([
  'BEGIN',
  'END',
  'BEGINFILE',
  'ENDFILE',
  'function',
  'func',
  'if',
  'else',
  'while',
  'for',
  'do',
  'break',
  'continue',
  'next',
  'nextfile',
  'exit',
  'return',
  'delete',
  'in',
  'getline',
  'print',
  'printf',
  'switch',
  'case',
  'default',
])

/** The built-in functions, with the least and the most arguments. */
export const builtins: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['length', [0, 1]],
  ['substr', [2, 3]],
  ['index', [2, 2]],
  ['split', [2, 4]],
  ['patsplit', [2, 4]],
  ['sub', [2, 3]],
  ['gsub', [2, 3]],
  ['gensub', [3, 4]],
  ['match', [2, 3]],
  ['sprintf', [1, Infinity]],
  ['tolower', [1, 1]],
  ['toupper', [1, 1]],
  ['sin', [1, 1]],
  ['cos', [1, 1]],
  ['atan2', [2, 2]],
  ['exp', [1, 1]],
  ['log', [1, 1]],
  ['sqrt', [1, 1]],
  ['int', [1, 1]],
  ['rand', [0, 0]],
  ['srand', [0, 1]],
  ['systime', [0, 0]],
  ['strftime', [0, 3]],
  ['mktime', [1, 2]],
  ['asort', [1, 3]],
  ['asorti', [1, 3]],
  ['strtonum', [1, 1]],
  ['and', [2, Infinity]],
  ['or', [2, Infinity]],
  ['xor', [2, Infinity]],
  ['lshift', [2, 2]],
  ['rshift', [2, 2]],
  ['compl', [1, 1]],
  ['isarray', [1, 1]],
  ['typeof', [1, 2]],
  ['mkbool', [1, 1]],
  ['close', [1, 2]],
  ['fflush', [0, 1]],
  ['system', [1, 1]],
  ['dcgettext', [1, 3]],
  ['dcngettext', [3, 5]],
  ['bindtextdomain', [1, 2]],
])

const operators = [
  '**=',
  '>>',
  '<<=',
  '&&',
  '||',
  '|&',
  '++',
  '--',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '^=',
  '**',
  '==',
  '<=',
  '>=',
  '!=',
  '!~',
  ...'{}()[];,+-*/%^!<>|?:~$=@',
]

const identifier = /[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)?/y
const plainIdentifier = /[A-Za-z_][A-Za-z0-9_]*/y
const decimal = /(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y
const hexadecimal = /0[xX][0-9a-fA-F]+/y

export class Lexer {
  private at = 0
  private line = 1
  private place: SourceLine

  constructor(
    readonly source: SourceText,
    private readonly warn: (message: string) => void,
    readonly dialect: Dialect,
  ) {
    this.place = new SourceLine(source.name, 1)
  }

  get state(): { at: number; line: number } {
    return { at: this.at, line: this.line }
  }

  set state({ at, line }: { at: number; line: number }) {
    this.at = at
    this.line = line
  }

  /** The text that follows the last token. */
  follows(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    return pattern.test(this.source.text)
  }

  next(): Token {
    this.skipBlanks()
    const { text } = this.source
    const at = this.at
    const first = text[at]
    if (first === undefined) return this.token('end', '', at)
    if (first === '\n') {
      this.at += 1
      const token = this.token('newline', '\n', at)
      this.line += 1
      return token
    }
    if (first === '"') return this.string()
    const { traditional } = this.dialect
    const number = (traditional ? undefined : this.matched(hexadecimal)) ?? this.matched(decimal)
    if (number !== undefined) {
      // Written in octal or hexadecimal, as gawk reads source text.
      const octal = !traditional && /^0[0-7]+$/.test(number)
      return { ...this.token('number', number, at), number: octal ? Number.parseInt(number, 8) : Number(number) }
    }
    // Text to translate: there are no translations here.
    if (first === '_' && text[at + 1] === '"' && !traditional && text[at - 1] !== '$') {
      this.at += 1
      return this.string()
    }
    const name = this.matched(traditional ? plainIdentifier : identifier)
    if (name !== undefined) return this.token(this.kindOfName(name), name, at)
    const operator = operators.find((candidate) => text.startsWith(candidate, at) && this.has(candidate))
    if (operator === undefined) throw syntaxError(this.source, at, `invalid char '${first}' in expression`)
    this.at += operator.length
    return this.token('operator', operator === '**' ? '^' : operator === '**=' ? '^=' : operator, at)
  }

  /** Reads the token at `/` or `/=` again as a regular expression. */
  regex(slash: Token): Token {
    const { text } = this.source
    let at = slash.at + 1
    let source = ''
    let bracket = -1
    for (;;) {
      const character = text[at]
      if (character === undefined || character === '\n') {
        throw syntaxError(this.source, slash.at + 1, 'unterminated regexp')
      }
      if (character === '\\' && /^\r?\n/.test(text.slice(at + 1, at + 3))) {
        at = text.indexOf('\n', at) + 1
        this.line += 1
        continue
      }
      if (character === '\\' && text[at + 1] !== undefined) {
        source += text[at + 1] === '/' ? '/' : text.slice(at, at + 2)
        at += 2
        continue
      }
      // A slash inside of brackets is a member of them.
      if (bracket === -1 && character === '[') bracket = text[at + 1] === '^' ? at + 2 : at + 1
      else if (character === ']' && bracket !== -1 && at > bracket) bracket = -1
      else if (bracket !== -1 && character === '[' && /[:.=]/.test(text[at + 1] ?? '')) {
        const close = text.indexOf(`${text[at + 1]}]`, at + 2)
        if (close !== -1) {
          source += text.slice(at, close + 2)
          at = close + 2
          continue
        }
      } else if (character === '/' && bracket === -1) break
      source += character
      at += 1
    }
    this.at = at + 1
    return { ...slash, kind: 'regex', text: source }
  }

  private has(operator: string): boolean {
    const { traditional, posix } = this.dialect
    return !(posix && operator.startsWith('**')) && !(traditional && operator === '|&')
  }

  private kindOfName(name: string): TokenKind {
    if (!isReserved(name, this.dialect)) return this.source.text[this.at] === '(' ? 'function-name' : 'name'
    if (keywords.has(name)) return 'keyword'
    if (builtins.has(name)) return 'builtin'
    return this.source.text[this.at] === '(' ? 'function-name' : 'name'
  }

  private token(kind: TokenKind, text: string, at: number): Token {
    if (this.place.line !== this.line) this.place = new SourceLine(this.source.name, this.line)
    return { kind, text, number: 0, at, line: this.place }
  }

  private matched(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.source.text) ?? []
    if (found !== undefined) this.at += found.length
    return found
  }

  private skipBlanks(): void {
    const { text } = this.source
    for (;;) {
      const character = text[this.at]
      if (character === ' ' || character === '\t' || character === '\r') this.at += 1
      else if (character === '\\' && /^\\\r?\n/.test(text.slice(this.at, this.at + 3))) {
        this.at = text.indexOf('\n', this.at) + 1
        this.line += 1
      } else if (character === '#') {
        const end = text.indexOf('\n', this.at)
        this.at = end === -1 ? text.length : end
      } else return
    }
  }

  private string(): Token {
    const { text } = this.source
    const start = this.at
    let at = start + 1
    while (text[at] !== '"') {
      if (text[at] === undefined || text[at] === '\n') throw syntaxError(this.source, start, 'unterminated string')
      if (text[at] === '\\') {
        if (text.startsWith('\r\n', at + 1)) at += 1
        if (text[at + 1] === '\n') {
          if (this.dialect.posix)
            throw new AwkFatal('POSIX does not allow physical newlines in string values', this.place)
          this.line += 1
        }
        at += 1
      }
      at += 1
    }
    this.at = at + 1
    const warn = (message: string) => this.warn(`${this.source.name}:${this.line}: warning: ${message}`)
    const value = unescapeString(text.slice(start + 1, at), this.dialect, warn)
    return this.token('string', value, start)
  }
}

const simpleEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}

/** The escape sequences of a string. Those of bytes can together make characters. */
export function unescapeString(
  text: string,
  { posix }: Pick<Dialect, 'posix'>,
  warn: (message: string) => void = () => {},
): string {
  if (!text.includes('\\')) return text
  return text.replace(/(?:\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}))+|\\\r?\n|\\[\s\S]/gu, (sequence) => {
    const [, letter = ''] = [...sequence]
    if (/^\\\r?\n$/.test(sequence)) return ''
    if (posix && sequence.includes('x')) return withoutHexadecimal(sequence)
    if (/[0-7]/.test(letter) || (letter === 'x' && sequence.length > 2)) return bytesOf(sequence)
    const simple = simpleEscapes[letter]
    if (simple !== undefined) return simple
    warn(`escape sequence \`\\${letter}' treated as plain \`${letter}'`)
    return letter
  })
}

/** In POSIX `\x` is an x. */
function withoutHexadecimal(sequences: string): string {
  return sequences.replace(/\\x|(?:\\[0-7]{1,3})+/g, (found) => (found === '\\x' ? 'x' : bytesOf(found)))
}

function bytesOf(sequences: string): string {
  const codes = sequences
    .slice(1)
    .split('\\')
    .map((code) => (code.startsWith('x') ? Number.parseInt(code.slice(1), 16) : Number.parseInt(code, 8) & 255))
  return decodeText(Uint8Array.from(codes))
}

/** Whether it is a keyword or a function in some awk. */
export function isWord(name: string): boolean {
  return keywords.has(name) || builtins.has(name)
}
