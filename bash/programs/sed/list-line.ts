/** The unambiguous form of a line that `l` prints. */
import { encodeText } from '../../io/byte-text.js'

const named: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  92: '\\\\',
}

/** Lines are folded at `width` characters; 0 means never. At 1 there is room for nothing, and each character has a line. */
export function listLine(text: string, width: number): string {
  const room = width > 0 ? width - 1 : Infinity
  let result = ''
  let used = 0
  for (const byte of encodeText(text)) {
    const shown =
      named[byte] ?? (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)
    if (used + shown.length > room) {
      result += '\\\n'
      used = 0
    }
    result += shown
    used += shown.length
  }
  return `${result}$\n`
}
