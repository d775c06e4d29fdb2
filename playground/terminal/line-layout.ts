/** Where a text and its cursor end up in a terminal that wraps lines. */

export interface Position {
  row: number
  column: number
}

export interface Row {
  /** What is written for it. */
  text: string
  /** It is full, and goes on in the next row by itself. */
  wraps: boolean
}

export interface Layout {
  rows: Row[]
  cursor: Position
}

/** Before every line but the first. */
const continuation = '> '
const colourOrCharacter = /\p{Cc}\[[\d;]*m|[\s\S]/gu

/** Lays out a text of any number of lines after `lead`, which may have colours. `cursor` is an offset in the text. */
export function layOut(lead: string, text: string, cursor: number, columns: number): Layout {
  const rows: Row[] = [{ text: '', wraps: false }]
  let column = 0
  let found: Position | undefined

  const last = () => rows[rows.length - 1] as Row
  function wrap(): void {
    last().wraps = true
    rows.push({ text: '', wraps: false })
    column = 0
  }
  function put(shown: string, width: number): void {
    // A wide character that does not fit moves to the next row as a whole.
    if (column + width > columns) wrap()
    // What has no width belongs to the character before it.
    const row = width === 0 && column === 0 ? (rows[rows.length - 2] ?? last()) : last()
    row.text += shown
    column += width
    if (column >= columns) wrap()
  }
  function putCharacter(character: string): void {
    if (character === '\t') {
      const width = Math.min(8 - (column % 8), columns - column)
      put(' '.repeat(width), width)
      return
    }
    const shown = visible(character)
    if (shown === character) put(character, widthOf(character.codePointAt(0) as number))
    else for (const each of shown) put(each, 1)
  }
  /** A terminal goes on in the next row only with the next character, so that a full last row gets one. */
  function endLine(): void {
    if (column === 0 && rows[rows.length - 2]?.wraps) last().text = ' \r'
  }

  for (const [part] of lead.matchAll(colourOrCharacter)) {
    if (part.length > 2) last().text += part
    else putCharacter(part)
  }
  let offset = 0
  for (const character of text) {
    if (offset === cursor) found = { row: rows.length - 1, column }
    offset += character.length
    if (character !== '\n') {
      putCharacter(character)
      continue
    }
    endLine()
    rows.push({ text: '', wraps: false })
    column = 0
    for (const each of continuation) put(each, 1)
  }
  endLine()
  return { rows, cursor: found ?? { row: rows.length - 1, column } }
}

const hidden = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** The text with control characters shown as text: they would move the cursor, or change the order of what is read. */
export function visible(text: string): string {
  return text.replace(hidden, (character) => {
    const code = character.codePointAt(0) as number
    if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`
    return code === 0x7f ? '^?' : `<${code.toString(16)}>`
  })
}

/** The columns of a character: none for combining marks, two for East Asian characters and emoji. */
export function widthOf(code: number): 0 | 1 | 2 {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0
  if (code < 0x300) return 1
  const character = String.fromCodePoint(code)
  if (combining.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

const combining = /[\p{Mn}\p{Me}\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/u
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u
