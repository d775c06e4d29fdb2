/** The escapes of `$'…'`. */
import { decodeText, encodeText } from '../../io/byte-text.js'

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
}

const escapeSequence =
  /\\(?:([0-7]{1,3})|x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c([\s\S])|([\s\S]))/gu

/** The text between the quotes, decoded. It ends at a NUL. */
export function decodeAnsiQuotes(text: string): string {
  if (!text.includes('\\')) return text
  let hasBytes = false
  const byte = (value: number) => {
    if (value < 0x80) return String.fromCharCode(value)
    hasBytes = true
    return String.fromCharCode(0xdc00 + value)
  }
  const decoded = text.replace(
    escapeSequence,
    (
      all,
      octal?: string,
      braced?: string,
      hex?: string,
      u4?: string,
      u8?: string,
      control?: string,
      other?: string,
    ) => {
      if (octal !== undefined) return byte(Number.parseInt(octal, 8) & 0xff)
      if (braced !== undefined) return byte(Number.parseInt(braced, 16) & 0xff)
      if (hex !== undefined) return byte(Number.parseInt(hex, 16))
      if (u4 !== undefined) return String.fromCharCode(Number.parseInt(u4, 16))
      if (u8 !== undefined) return codePoint(Number.parseInt(u8, 16))
      if (control !== undefined) return control === '?' ? '\x7f' : String.fromCharCode(control.charCodeAt(0) & 0x1f)
      return (other !== undefined && simple[other]) || all
    },
  )
  const end = decoded.indexOf('\0')
  const kept = end < 0 ? decoded : decoded.slice(0, end)
  // Bytes that were written one by one may make up characters.
  return hasBytes ? decodeText(encodeText(kept)) : kept
}

function codePoint(value: number): string {
  return value > 0x10ffff ? '\ufffd' : String.fromCodePoint(value)
}
