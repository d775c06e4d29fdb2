/** Backslash escapes of `echo -e`, `printf` formats and `printf %b`. */
import { decodeText, encodeText } from '../../io/byte-text.js'

const simple: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}

export interface Decoded {
  text: string
  /** `\c` was found: nothing more is printed. */
  stops: boolean
}

/** `echo`: octal as `\0NNN`; `format`: octal as `\NNN`, and quotes; `argument`: both octals, `\c`, and quotes. */
export type EscapeStyle = 'echo' | 'format' | 'argument'

export function decodeEscapes(source: string, style: EscapeStyle): Decoded {
  if (!source.includes('\\')) return { text: source, stops: false }
  let text = ''
  let at = 0
  let hasBytes = false
  const byte = (value: number) => {
    const code = value & 0xff
    if (code >= 0x80) hasBytes = true
    text += code >= 0x80 ? String.fromCharCode(0xdc00 + code) : String.fromCharCode(code)
  }
  while (at < source.length) {
    const slash = source.indexOf('\\', at)
    if (slash < 0 || slash === source.length - 1) break
    text += source.slice(at, slash)
    const letter = source[slash + 1] as string
    at = slash + 2
    const known = simple[letter]
    if (known !== undefined) {
      text += known
      continue
    }
    if (letter === 'c' && style !== 'format') return { text: joined(text, hasBytes), stops: true }
    const rest = source.slice(at, at + 9)
    const octal = octalDigits(letter, rest, style)
    if (octal !== undefined) {
      byte(Number.parseInt(octal.digits || '0', 8))
      at += octal.length
      continue
    }
    const [digits = ''] =
      (letter === 'x' && /^[0-9A-Fa-f]{1,2}/.exec(rest)) ||
      (letter === 'u' && /^[0-9A-Fa-f]{1,4}/.exec(rest)) ||
      (letter === 'U' && /^[0-9A-Fa-f]{1,8}/.exec(rest)) ||
      []
    if (digits !== '') {
      at += digits.length
      const code = Number.parseInt(digits, 16)
      if (letter === 'x') byte(code)
      else text += code <= 0x10ffff ? String.fromCodePoint(code) : ''
      continue
    }
    if (style !== 'echo' && (letter === '"' || letter === "'" || letter === '?')) text += letter
    else text += `\\${letter}`
  }
  return { text: joined(text + source.slice(at), hasBytes), stops: false }
}

function octalDigits(letter: string, rest: string, style: EscapeStyle): { digits: string; length: number } | undefined {
  if (letter === '0' && style !== 'format') {
    const [digits = ''] = /^[0-7]{0,3}/.exec(rest) ?? []
    return { digits, length: digits.length }
  }
  if (style === 'echo' || !/[0-7]/.test(letter)) return undefined
  const [digits = ''] = /^[0-7]{0,2}/.exec(rest) ?? []
  return { digits: letter + digits, length: digits.length }
}

/** Bytes that are written one by one may be characters together. */
function joined(text: string, hasBytes: boolean): string {
  return hasBytes ? decodeText(encodeText(text)) : text
}
