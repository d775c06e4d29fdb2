/** Where text ends up in a terminal that wraps lines. */

export interface Position {
  row: number
  column: number
}

/** The position after a text that starts in the first column; a full row continues in the next one. */
export function positionAfter(text: string, columns: number): Position {
  let row = 0
  let column = 0
  for (const character of text.replace(colours, '')) {
    const width = character === '\t' ? Math.min(8 - (column % 8), columns - 1 - column) : widthOf(character)
    // A wide character that does not fit moves to the next row as a whole.
    if (column + width > columns) {
      row += 1
      column = 0
    }
    column += width
    if (column < columns || character === '\t') continue
    row += 1
    column = 0
  }
  return { row, column }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const colours = /\u001b\[[\d;]*m/g

/** The columns of a character: none for combining marks, two for East Asian characters and emoji. */
function widthOf(character: string): number {
  if (/\p{Mn}|\p{Me}|\u200b|\u200d|\ufe0f/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u
