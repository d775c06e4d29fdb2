/** Reads strings with escapes. The original looks at a string only when it has all of it, so errors are at its end. */
import { incomplete, JsonSyntaxError } from './syntax-error.js'

export interface EscapedString {
  value: string
  /** Behind the closing quote. */
  end: number
}

/** The string from `start`, behind its opening quote; up to `plain` it has neither escapes nor its end. */
export function readEscapedString(text: string, start: number, plain: number, isEnd: boolean): EscapedString {
  let from = start
  let at = plain
  let value = ''
  for (;;) {
    if (at >= text.length) throw incomplete
    const code = text.charCodeAt(at)
    if (code === 34) return { value: value + text.slice(from, at), end: at + 1 }
    if (code < 32) {
      return refuse(text, at, 'Invalid string: control characters from U+0000 through U+001F must be escaped')
    }
    if (code !== 92) {
      at += 1
      continue
    }
    value += text.slice(from, at)
    const [character, length] = escaped(text, at, isEnd)
    value += character
    at += length
    from = at
  }
}

function escaped(text: string, from: number, isEnd: boolean): readonly [character: string, length: number] {
  if (from + 1 >= text.length) throw incomplete
  const letter = text[from + 1] as string
  const known = escapes[letter]
  if (known !== undefined) return [known, 2]
  const unit = letter === 'u' ? hexUnit(text, from + 2) : undefined
  if (unit === undefined) return refuse(text, from, 'Invalid escape')
  if (unit < 0xd800 || unit > 0xdfff) return [String.fromCharCode(unit), 6]
  const low = text[from + 6] === '\\' && text[from + 7] === 'u' ? hexUnit(text, from + 8) : undefined
  if (unit < 0xdc00 && low !== undefined && low >= 0xdc00 && low < 0xe000) {
    return [String.fromCharCode(unit, low), 12]
  }
  if (from + 12 > text.length && !isEnd) throw incomplete
  return refuse(text, from, 'Invalid \\uXXXX\\uXXXX surrogate pair escape')
}

function hexUnit(text: string, from: number): number | undefined {
  const digits = text.slice(from, from + 4)
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined
}

/** `from`: within the string. */
function refuse(text: string, from: number, message: string): never {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 34) throw new JsonSyntaxError(message, at + 1)
    if (code === 92) at += 1
  }
  throw incomplete
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
