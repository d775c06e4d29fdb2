/** Names in messages, quoted as the GNU programs do in a UTF-8 locale. */
import { encodeText } from '../../../io/byte-text.js'

const plain = /^[\p{L}\p{N}%+,\-./:\]_@{}#~]*$/u
/** Characters that mean the same in double quotes of C and of the shell. */
const alikeInDoubleQuotes = /^[\p{L}\p{N}%+,\-./:\]_@ ']*$/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const unprintable = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff\u2028\u2029]/u

const letterEscapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** Always in quotes: `'a b'`, `"it's"`, `'a'$'\n''b'`. */
export function quoted(name: string): string {
  if (!unprintable.test(name)) {
    if (!name.includes("'")) return `'${name}'`
    if (alikeInDoubleQuotes.test(name)) return `"${name}"`
  }
  let text = "'"
  let isEscaping = false
  for (const character of name) {
    if (unprintable.test(character)) {
      if (!isEscaping) text += "'$'"
      isEscaping = true
      text += escapedCharacter(character)
      continue
    }
    if (isEscaping) text += "''"
    isEscaping = false
    text += character === "'" ? "'\\''" : character
  }
  return `${text}'`
}

/** In quotes only where a shell would need them. */
export function quotedIfNeeded(name: string): string {
  const isPlain = name !== '' && plain.test(name) && !/^[#~]/.test(name) && name !== '{' && name !== '}'
  return isPlain ? name : quoted(name)
}

/** For values and operands: `‘value’`. */
export function curly(value: string): string {
  let text = ''
  for (const character of value) {
    text += unprintable.test(character) ? escapedCharacter(character) : character === '\\' ? '\\\\' : character
  }
  return `‘${text}’`
}

/** A letter escape, or the bytes in octal. */
export function escapedCharacter(character: string): string {
  const letter = letterEscapes[character]
  if (letter !== undefined) return letter
  return Array.from(encodeText(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

export function isUnprintable(character: string): boolean {
  return unprintable.test(character)
}
