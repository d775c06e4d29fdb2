/** The line editor on a model of a terminal: whatever is typed, the screen shows the line once, and the cursor is where it should be. */
import { describe, expect, test } from 'vitest'
import { lineEditor } from '../../../playground/terminal/line-editor.js'
import { randomFrom } from '../../core/search/generated-trees.js'
import { scaled } from '../../scale.js'

/** A screen of endless height that knows the few sequences that the editor writes. A full row wraps at the next character. */
function modelTerminal(columns: number) {
  const cells: string[][] = [[]]
  let [row, column, isWrapPending] = [0, 0, false]

  function put(character: string): void {
    if (isWrapPending) {
      row += 1
      column = 0
      isWrapPending = false
    }
    cells[row] ??= []
    const line = cells[row] as string[]
    while (line.length < column) line.push(' ')
    line[column] = character
    if (column === columns - 1) isWrapPending = true
    else column += 1
  }

  function obey(count: number, command: string): void {
    isWrapPending = false
    if (command === 'A') row = Math.max(0, row - count)
    else if (command === 'C') column = Math.min(columns - 1, column + count)
    else if (command === 'J') {
      cells[row]?.splice(column)
      cells.splice(row + 1)
    }
  }

  return {
    write(text: string): void {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
      for (const [part, count, command] of text.matchAll(/\u001b\[(\d*)([A-Za-z])|./gsu)) {
        if (command !== undefined) obey(Number(count || 1), command)
        else if (part === '\r') {
          column = 0
          isWrapPending = false
        } else if (part === '\n') {
          row += 1
          cells[row] ??= []
          isWrapPending = false
        } else put(part)
      }
    },
    text: () => cells.map((line) => Array.from(line, (cell) => cell ?? ' ').join('')),
    cursor: () => ({ row, column }),
  }
}

function rowsOf(text: string, columns: number): string[] {
  const rows: string[] = []
  for (let at = 0; at < text.length; at += columns) rows.push(text.slice(at, at + columns))
  return rows
}

describe('the line editor', () => {
  test('draws the line once, at any width, wherever it is edited', () => {
    const random = randomFrom(5)
    for (let round = 0; round < scaled(400); round += 1) {
      const columns = 5 + random(30)
      const terminal = modelTerminal(columns)
      const entered: string[] = []
      const editor = lineEditor({
        write: terminal.write,
        columns: () => columns,
        run: (line) => void entered.push(line),
        interrupt() {},
        clear() {},
        complete: async () => ({ start: 0, words: [] }),
      })
      editor.prompt('$ ')
      // The obvious model of a line and its cursor.
      let [line, cursor] = ['', 0]
      for (let key = 0; key < 60; key += 1) {
        const kind = random(10)
        if (kind < 6) {
          const text = 'abcdefghij'.slice(0, 1 + random(9))
          editor.type(text)
          line = line.slice(0, cursor) + text + line.slice(cursor)
          cursor += text.length
        } else if (kind === 6) {
          editor.type('\u001b[D')
          cursor = Math.max(0, cursor - 1)
        } else if (kind === 7) {
          editor.type('\u007f')
          line = line.slice(0, Math.max(0, cursor - 1)) + line.slice(cursor)
          cursor = Math.max(0, cursor - 1)
        } else if (kind === 8) {
          editor.type('\u0001')
          cursor = 0
        } else {
          editor.type('\u001b[F')
          cursor = line.length
        }
        const shown = terminal.text().map((row) => row.trimEnd())
        expect(shown.filter((row) => row !== '')).toEqual(rowsOf(`$ ${line}`, columns).map((row) => row.trimEnd()))
        const at = cursor + 2
        expect(terminal.cursor()).toEqual({ row: Math.floor(at / columns), column: at % columns })
      }
      editor.type('\r')
      expect(entered).toEqual([line])
    }
  })

  test('counts wide characters as two columns', () => {
    const written: string[] = []
    const editor = lineEditor({
      write: (text) => void written.push(text),
      columns: () => 10,
      run() {},
      interrupt() {},
      clear() {},
      complete: async () => ({ start: 0, words: [] }),
    })
    editor.prompt('$ ')
    editor.type('漢字漢')
    editor.type('漢')
    // The row is full, so the cursor is at the start of the next one.
    expect(written.at(-1)?.endsWith(' \r\r')).toBe(true)
    editor.type('\u001b[D')
    expect(written.at(-1)?.endsWith('\u001b[1A\r\u001b[8C')).toBe(true)
  })

  test('completes with what all possible words have in common, then lists them', async () => {
    const words = ['src/berths.ts', 'src/bells.ts']
    let shown = ''
    const editor = lineEditor({
      write: (text) => {
        shown += text
      },
      columns: () => 80,
      run() {},
      interrupt() {},
      clear() {},
      complete: async () => ({ start: 3, words }),
    })
    const settled = () => new Promise((resolve) => setTimeout(resolve))
    editor.prompt('$ ')
    editor.type('ls s')
    editor.type('\t')
    await settled()
    expect(shown).toContain('ls src/be')
    editor.type('\t')
    await settled()
    expect(shown).toContain('src/berths.ts  src/bells.ts')
  })
})
