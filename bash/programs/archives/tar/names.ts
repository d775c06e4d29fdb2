/** The names of files on tar's command line and in its messages. */

const letters: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  d: 127,
  '?': 127,
  '\\': 92,
}

/** As tar takes names from its command line and from lists: with the escapes that it prints. */
export function unquotedName(name: string): string {
  return name.replace(/\\([abtnvfrd?\\]|[0-7]{1,3})/g, (_, given: string) =>
    String.fromCharCode(letters[given] ?? Number.parseInt(given, 8) & 255),
  )
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
  '\x07': '\\a',
}

/** Control characters and backslashes are escaped, as in C. */
export function shownName(name: string): string {
  return name.replace(
    /[\p{Cc}\\]/gu,
    (character) => escapes[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
}
