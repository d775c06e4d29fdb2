/** Escapes that stand for one character: `\t`, `\x41`, `\o101`, `\d065`, `\cA`. */
import { RegexError } from '../../regex/index.js'
import type { ScriptReader } from './script-reader.js'

const controls: Readonly<Record<string, string>> = { a: '\x07', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** The character of the escape whose letter is at `at`; undefined when it is not one. Fails for `\c\` without another backslash. */
export function characterEscape(text: string, at: number): { character: string; next: number } | undefined {
  const letter = text[at]
  if (letter === undefined) return undefined
  const control = controls[letter]
  if (control !== undefined) return { character: control, next: at + 1 }
  if (letter === 'c') {
    const key = text[at + 1]
    if (key === undefined || key.charCodeAt(0) > 0x7e) return undefined
    if (key === '\\' && text[at + 2] !== '\\') throw new RegexError('recursive escaping after \\c not allowed')
    const next = at + (key === '\\' ? 3 : 2)
    return { character: String.fromCharCode(key.toUpperCase().charCodeAt(0) ^ 0x40), next }
  }
  const [digits, base] = numberAt(text, at)
  if (digits === undefined) return undefined
  return { character: byteText(Number.parseInt(digits, base) & 0xff), next: at + 1 + digits.length }
}

function numberAt(text: string, at: number): [digits: string | undefined, base: number] {
  switch (text[at]) {
    case 'd':
      return [/^[0-9]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0], 10]
    case 'o':
      return [/^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0], 8]
    case 'x':
      return [/^[0-9a-fA-F]{1,2}/.exec(text.slice(at + 1, at + 3))?.[0], 16]
    default:
      return [undefined, 10]
  }
}

/** A byte as shell text: those from 0x80 on are not characters by themselves. */
function byteText(byte: number): string {
  return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)
}

/** Reports escapes that are not allowed where the reader is. */
export function withEscapes<Result>(reader: ScriptReader, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof RegexError) reader.fail(error.message)
    throw error
  }
}
