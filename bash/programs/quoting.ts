/** File names and arguments in messages, quoted as GNU programs do in a UTF-8 locale. */
import { encodeText } from '../io/byte-text.js'

/** What a shell takes apart, besides what can't be printed. */
const special = /^$|^[#~]|^[{}]$|[ !"$&'()*;<=>?[\\^`|]/
/** Characters that mean the same in double quotes of C and of the shell. */
const alikeInDoubleQuotes = /^[A-Za-z0-9%+,\-./:\]_@ '\u0080-\u{10ffff}]*$/u
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

/** An argument: `‘value’`. */
export function quoted(value: string): string {
  let text = ''
  for (const character of value) {
    if (unprintable.test(character)) text += escapedCharacter(character)
    else text += character === '\\' || character === '’' ? `\\${character}` : character
  }
  return `‘${text}’`
}

/** A file name, always in quotes: `'a b'`, `"it's"`, `'a'$'\n''b'`. */
export function quotedName(name: string): string {
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
    if (isEscaping && character !== "'") text += "''"
    isEscaping = false
    text += character === "'" ? "'\\''" : character
  }
  return `${text}'`
}

/** A file name before a colon, in quotes only where a shell would need them, or where the name has a colon itself. */
export function shownName(name: string): string {
  return name.includes(':') ? quotedName(name) : quotedIfNeeded(name)
}

/** A file name in a listing, in quotes only where a shell would need them. */
export function quotedIfNeeded(name: string): string {
  return special.test(name) || unprintable.test(name) ? quotedName(name) : name
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
