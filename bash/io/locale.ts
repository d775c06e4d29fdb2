/** Text as the locale of a program sees it. Here there are UTF-8, and C, where every byte is a character. */
import type { Bytes } from '../../src/fs/types.js'
import { decodeText, encodeText, joinedText } from './byte-text.js'

export interface TextLocale {
  /** Every byte is a character. Those from 0x80 on are what `byte-text.ts` makes of bytes that are not UTF-8. */
  readonly isBytes: boolean
  decode(bytes: Bytes): string
  /** Text from elsewhere, such as an argument, or one whose bytes were written one by one. */
  text(given: string): string
}

const utf8: TextLocale = { isBytes: false, decode: decodeText, text: joinedText }

export const byteLocale: TextLocale = {
  isBytes: true,
  decode: decodeBytes,
  text: (given) => (/[^\0-\x7f]/.test(given) ? decodeBytes(encodeText(given)) : given),
}

/** Without any setting it is UTF-8, as it is with one for a language. */
export function textLocale(env: ReadonlyMap<string, string>): TextLocale {
  const name = env.get('LC_ALL') || env.get('LC_CTYPE') || env.get('LANG')
  return name === 'C' || name === 'POSIX' ? byteLocale : utf8
}

function decodeBytes(bytes: Bytes): string {
  let text = ''
  let plain = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (byte < 0x80) continue
    if (at > plain) text += decodeText(bytes.subarray(plain, at))
    text += String.fromCharCode(0xdc00 + byte)
    plain = at + 1
  }
  return plain === 0 ? decodeText(bytes) : text + decodeText(bytes.subarray(plain))
}
