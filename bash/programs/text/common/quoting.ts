/** File names and arguments in messages, as GNU programs quote them in a UTF-8 locale. */

const unsafe = /^$|^[#~]|[\s!"$&'()*;<=>?[\\^`|]|[\p{Cc}\udc80-\udcff]/u
const controls = /([\p{Cc}\udc80-\udcff]+)/u
const letters: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** An argument: ‘x’. */
export function quoted(text: string): string {
  const shown = [...text].map((character) => {
    if (character === '\\' || character === '’') return `\\${character}`
    return controls.test(character) ? escaped(character) : character
  })
  return `‘${shown.join('')}’`
}

/** A file name, always quoted: 'x'. */
export function quotedName(name: string): string {
  const pieces = name.split(controls)
  if (pieces.length === 1 && name.includes("'") && !/["$`\\!]/.test(name)) return `"${name}"`
  return pieces
    .map((piece, index) => {
      if (index % 2 === 1) return `$'${[...piece].map(escaped).join('')}'`
      return piece === '' && index > 0 && index === pieces.length - 1 ? '' : `'${piece.replaceAll("'", "'\\''")}'`
    })
    .join('')
}

/** A file name, quoted only when a shell would need it. */
export function shownName(name: string): string {
  return unsafe.test(name) ? quotedName(name) : name
}

function escaped(character: string): string {
  const code = character.charCodeAt(0)
  return letters[character] ?? `\\${(code >= 0xdc80 ? code - 0xdc00 : code).toString(8).padStart(3, '0')}`
}
