/** Strings, which may contain programs. */
import { CompileError, type Node } from '../syntax.js'
import type { TokenReader } from './token-reader.js'

const stringEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Parses the string whose opening quote is the next token; `format` is that of its interpolations. */
export type ParseString = (format?: string) => Node

export function stringParser(source: string, tokens: TokenReader, pipe: () => Node): ParseString {
  return (format) => {
    tokens.take()
    const parts: Array<string | Node> = []
    let text = ''
    let at = tokens.position()
    for (;;) {
      const character = source[at]
      if (character === undefined) tokens.unexpected({ kind: 'end' })
      at += 1
      if (character === '"') break
      if (character !== '\\') {
        text += character
        continue
      }
      const letter = source[at] ?? ''
      at += 1
      if (letter === '(') {
        parts.push(text)
        text = ''
        tokens.moveTo(at)
        parts.push(pipe())
        tokens.expect(')')
        at = tokens.position()
      } else if (letter === 'u') {
        const digits = /^[0-9a-fA-F]{4}/.exec(source.slice(at))?.[0] ?? refused()
        text += String.fromCharCode(Number.parseInt(digits, 16))
        at += 4
      } else text += stringEscapes[letter] ?? refused()
    }
    tokens.moveTo(at)
    if (parts.length === 0) return { kind: 'literal', value: wellFormed(text) }
    parts.push(text)
    return { kind: 'string', format, parts }
  }

  function refused(): never {
    throw new CompileError('syntax error, unexpected INVALID_CHARACTER', tokens.line())
  }
}

/** Lone surrogates become U+FFFD. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}
