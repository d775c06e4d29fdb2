/** Quotes text so that the shell reads it back: `@Q`, `printf %q`, `declare -p`, `set`. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const needsAnsi = /[\u0000-\u001f\u007f\udc80-\udcff]/u

const escapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\u001b': '\\E',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  "'": "\\'",
}

/** `'…'`, or `$'…'` for text with control characters. */
export function quoteSingle(text: string): string {
  if (needsAnsi.test(text)) return quoteAnsi(text)
  return `'${text.replaceAll("'", "'\\''")}'`
}

export function quoteAnsi(text: string): string {
  let quoted = ''
  for (const character of text) {
    const code = character.codePointAt(0) as number
    const known = escapes[character]
    if (known !== undefined) quoted += known
    else if (code < 0x20 || code === 0x7f) quoted += `\\${code.toString(8).padStart(3, '0')}`
    else if (code >= 0xdc80 && code <= 0xdcff) quoted += `\\${(code - 0xdc00).toString(8).padStart(3, '0')}`
    else quoted += character
  }
  return `$'${quoted}'`
}

/** With backslashes where they are needed: `printf %q`. */
export function quoteBackslash(text: string): string {
  if (text === '') return "''"
  if (needsAnsi.test(text)) return quoteAnsi(text)
  const escaped = text.replace(/[ '"\\|&;()<>!{}*[\]?^$`,]/g, '\\$&')
  return /^[~#]/.test(escaped) ? `\\${escaped}` : escaped
}

/** As `declare -p` prints a value. */
export function quoteDouble(text: string): string {
  if (needsAnsi.test(text)) return quoteAnsi(text)
  return `"${text.replace(/["$`\\]/g, '\\$&')}"`
}

/** What the shell would take apart. */
const metas = /[ \t\n'"\\|&;()<>!{}*[\]?^$`]|^[~#]|[:=]~/

/** As `set` prints a value: only quoted when it has to be. */
export function quoteIfNeeded(text: string): string {
  if (needsAnsi.test(text)) return quoteAnsi(text)
  return metas.test(text) ? quoteSingle(text) : text
}

/** As `set -x` prints a word: control characters only count where nothing else asks for quotes. */
export function quoteTraced(text: string): string {
  if (metas.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  return needsAnsi.test(text) ? quoteAnsi(text) : text
}

/** The keys of `declare -p` of an associative array. */
export function quoteKey(text: string): string {
  if (needsAnsi.test(text)) return quoteAnsi(text)
  return text === '@' || metas.test(text) ? quoteDouble(text) : text
}
