/** The line editor on a model of a terminal: whatever is typed, the screen shows the command once, and the cursor is where it should be. */
import { describe, expect, test } from 'vitest'
import { completenessOf } from '../../../bash/language/syntax/completeness.js'
import { type LineEditorOptions, lineEditor } from '../../../playground/terminal/line-editor.js'
import { layOut, visible } from '../../../playground/terminal/line-layout.js'
import { maxPastedUnits } from '../../../playground/terminal/pasted-text.js'
import { typedHistory } from '../../../playground/terminal/typed-history.js'
import { randomFrom } from '../../core/search/generated-trees.js'
import { scaled } from '../../scale.js'

/** A screen that knows the few sequences that the editor writes, with all that was scrolled off it. A full row wraps at the next character. */
function modelTerminal({ columns, height }: { columns: number; height: number }) {
  let width = columns
  const cells: string[][] = [[]]
  let [row, column, isWrapPending] = [0, 0, false]

  function toRow(next: number): void {
    row = next
    while (cells.length <= row) cells.push([])
  }

  function put(character: string): void {
    if (isWrapPending) {
      toRow(row + 1)
      column = 0
      isWrapPending = false
    }
    const line = cells[row] as string[]
    while (line.length < column) line.push(' ')
    line[column] = character
    if (column === width - 1) isWrapPending = true
    else column += 1
  }

  const top = () => Math.max(0, cells.length - height)

  function obey(count: number, command: string): void {
    isWrapPending = false
    if (command === 'A') row = Math.max(top(), row - count)
    else if (command === 'C') column = Math.min(width - 1, column + count)
    else if (command === 'J') {
      cells[row]?.splice(column)
      for (let below = row + 1; below < cells.length; below += 1) cells[below] = []
    }
  }

  return {
    write(text: string, written?: () => void): void {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
      for (const [part, count, command] of text.matchAll(/\u001b\[(\d*)([A-Za-z])|./gsu)) {
        if (command !== undefined) obey(Number(count || 1), command)
        else if (part === '\r') {
          column = 0
          isWrapPending = false
        } else if (part === '\n') {
          toRow(row + 1)
          isWrapPending = false
        } else put(part)
      }
      written?.()
    },
    resize(next: number): void {
      width = next
    },
    text: () => cells.map((line) => Array.from(line, (cell) => cell ?? ' ').join('')),
    top,
    cursor: () => ({ row, column }),
  }
}

/** The rows of a command, by the obvious rule: every line after its prompt, cut at the width. */
function rowsOf(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line, index) => {
    const shown = `${index === 0 ? '$ ' : '> '}${line}`
    const rows: string[] = []
    for (let at = 0; at <= shown.length; at += columns) rows.push(shown.slice(at, at + columns).trimEnd())
    return rows
  })
}

function cursorIn(text: string, cursor: number, columns: number): { row: number; column: number } {
  const before = rowsOf(text.slice(0, cursor), columns)
  const column = (2 + (text.slice(0, cursor).split('\n').at(-1) as string).length) % columns
  return { row: before.length - 1, column }
}

/** An editor whose terminal is wide and high enough, with what it ran. */
function openEditor(options: Partial<LineEditorOptions> = {}) {
  const ran: string[] = []
  const refused: string[] = []
  const history = typedHistory('test')
  let shown = ''
  const editor = lineEditor({
    write(text, written) {
      shown += text
      written?.()
    },
    columns: () => 80,
    rows: () => 24,
    history: () => history,
    isComplete: (text) => completenessOf(text) !== 'incomplete',
    run: (text) => void ran.push(text),
    interrupt() {},
    refuse: (message) => void refused.push(message),
    complete: async () => ({ start: 0, words: [] }),
    ...options,
  })
  editor.prompt('$ ')
  return { editor, ran, refused, shown: () => shown }
}

const keys = {
  left: '\u001b[D',
  up: '\u001b[A',
  down: '\u001b[B',
  home: '\u001b[H',
  end: '\u001b[F',
  backspace: '\u007f',
  altEnter: '\u001b\r',
  interrupt: '\u0003',
  endOfInput: '\u0004',
}

describe('the line editor', () => {
  test('draws a command once, at any width and height, wherever it is edited', () => {
    const random = randomFrom(5)
    for (let round = 0; round < scaled(400); round += 1) {
      let columns = 5 + random(30)
      const height = random(3) === 0 ? 2 + random(5) : 1000
      const terminal = modelTerminal({ columns, height })
      const { editor, ran } = openEditor({
        write: terminal.write,
        columns: () => columns,
        rows: () => height,
        isComplete: () => true,
      })
      // The obvious model of a text and its cursor.
      let [text, cursor] = ['', 0]
      const lineStart = () => text.slice(0, cursor).lastIndexOf('\n') + 1
      const insert = (added: string) => {
        text = text.slice(0, cursor) + added + text.slice(cursor)
        cursor += added.length
      }
      for (let key = 0; key < 60; key += 1) {
        const kind = random(13)
        if (kind < 5) {
          const typed = 'abcdefghij'.slice(0, 1 + random(9))
          editor.type(typed)
          insert(typed)
        } else if (kind === 5) {
          editor.type(keys.left)
          cursor = Math.max(0, cursor - 1)
        } else if (kind === 6) {
          editor.type(keys.backspace)
          text = text.slice(0, Math.max(0, cursor - 1)) + text.slice(cursor)
          cursor = Math.max(0, cursor - 1)
        } else if (kind === 7) {
          editor.type(keys.home)
          cursor = lineStart()
        } else if (kind === 8) {
          editor.type(keys.end)
          cursor = text.indexOf('\n', cursor) < 0 ? text.length : text.indexOf('\n', cursor)
        } else if (kind === 9) {
          editor.paste('one\r\ntwo\rthree')
          insert('one\ntwo\nthree')
        } else if (kind === 10) {
          editor.type(keys.altEnter)
          insert('\n')
        } else if (kind === 11 && lineStart() > 0) {
          editor.type(keys.up)
          const above = text.slice(0, lineStart() - 1).lastIndexOf('\n') + 1
          cursor = Math.min(above + cursor - lineStart(), lineStart() - 1)
        } else if (kind === 12) {
          const next = 5 + random(30)
          editor.whileErased(() => {
            terminal.resize(next)
            columns = next
          })
        }
        const rows = rowsOf(text, columns)
        const expected = cursorIn(text, cursor, columns)
        const at = terminal.cursor()
        expect(at.column).toBe(expected.column)
        const onScreen = terminal.text().slice(terminal.top())
        const first = expected.row - (at.row - terminal.top())
        const around = onScreen.map((_, index) => rows[first + index] ?? '')
        expect(onScreen.map((row) => row.trimEnd())).toEqual(around)
        if (height > rows.length) expect(around.filter((row) => row !== '')).toEqual(rows.filter((row) => row !== ''))
      }
      editor.type('\r')
      expect(ran).toEqual([text])
      // All of it stays above, also what did not fit.
      const rows = rowsOf(text, columns)
      const left = terminal.text().map((row) => row.trimEnd())
      expect(left.slice(terminal.cursor().row - rows.length, terminal.cursor().row)).toEqual(rows)
    }
  })

  test('counts wide characters as two columns', () => {
    const written: string[] = []
    const { editor } = openEditor({ write: (text) => void written.push(text), columns: () => 10 })
    editor.type('漢字漢')
    editor.type('漢')
    // The row is full, so the cursor is at the start of the next one.
    expect(written.at(-1)?.endsWith(' \r\r')).toBe(true)
    editor.type(keys.left)
    expect(written.at(-1)?.endsWith('\u001b[1A\r\u001b[8C')).toBe(true)
  })

  test('takes words as an input method sends them, whole, also those that every object knows', () => {
    const { editor, ran } = openEditor()
    for (const word of ['constructor', ' ', 'toString', ' ', '__proto__']) editor.type(word)
    editor.type('\r')
    expect(ran).toEqual(['constructor toString __proto__'])
  })

  test('completes with what all possible words have in common, then lists them', async () => {
    const words = ['src/berths.ts', 'src/bells.ts']
    const { editor, shown } = openEditor({ complete: async () => ({ start: 3, words }) })
    const settled = () => new Promise((resolve) => setTimeout(resolve))
    editor.type('ls s')
    editor.type('\t')
    await settled()
    expect(shown()).toContain('ls src/be')
    editor.type('\t')
    await settled()
    expect(shown()).toContain('src/berths.ts  src/bells.ts')
  })

  test('shows control characters as text, in commands and in the names of files', async () => {
    const { editor, shown } = openEditor({
      complete: async () => ({ start: 3, words: ['\u001b]0;x\u0007a', '\u001b]0;x\u0007\u202eb'] }),
    })
    editor.type('ls ')
    editor.type('\t')
    await new Promise((resolve) => setTimeout(resolve))
    editor.type('\t')
    await new Promise((resolve) => setTimeout(resolve))
    expect(shown()).toContain('^[]0;x^Ga')
    expect(shown()).toContain('^[]0;x^G<202e>b')
    expect(shown()).not.toContain('\u001b]')
    expect(visible('a\tb\u0000\u007f\u0085')).toBe('a^Ib^@^?<85>')
  })

  test('lays out tabs up to the next stop, and cuts them at the end of a row', () => {
    expect(layOut('$ ', 'a\tb', 3, 20)).toEqual({
      rows: [{ text: '$ a     b', wraps: false }],
      cursor: { row: 0, column: 9 },
    })
    expect(layOut('', 'abcde\t1', 6, 6).rows.map(({ text }) => text)).toEqual(['abcde ', '1'])
  })
})

const heredoc = "cat > k.txt <<'EOF'\nhello\nrm -rf notes\nEOF"

describe('pasted text', () => {
  test.each([
    ['with line feeds', `${heredoc}\n`],
    ['with carriage returns', `${heredoc}\n`.replaceAll('\n', '\r')],
    ['with both', `${heredoc}\n`.replaceAll('\n', '\r\n')],
    ['with the mark that ends a paste', `${heredoc}\n`.replace('hello', 'hello\u001b[201~')],
    ['with control characters', `\u0000\u0003\u0004${heredoc}\u001b\u009b\u007f\n`],
  ])('runs as one script, and only with Enter: %s', (_, pasted) => {
    const { editor, ran } = openEditor()
    editor.paste(pasted)
    expect(ran).toEqual([])
    editor.type('\r')
    const expected = pasted.includes('201~') ? heredoc.replace('hello', 'hello[201~') : heredoc
    expect(ran).toEqual([expected])
  })

  test('that comes as if it were typed is pasted too', () => {
    const { editor, ran } = openEditor()
    editor.type(heredoc.replaceAll('\n', '\r'))
    editor.type('\n')
    expect(ran).toEqual([heredoc])
    const second = openEditor()
    second.editor.type('ls\r')
    expect(second.ran).toEqual([])
  })

  test('of any kind runs nothing, leaves no control character, and can be entered', () => {
    const random = randomFrom(11)
    const pieces = [
      '\r',
      '\n',
      '\r\n',
      '\u001b[201~',
      '\u001b',
      '\u0003',
      '\u0004',
      '\u0000',
      '\t',
      'rm x',
      'é',
      '🎉',
      '\u009b',
      ' ',
    ]
    for (let round = 0; round < scaled(2000); round += 1) {
      const { editor, ran } = openEditor({ isComplete: () => true })
      const given: string[] = []
      for (let count = random(12); count >= 0; count -= 1) given.push(pieces[random(pieces.length)] as string)
      editor.paste(given.join(''))
      expect(ran).toEqual([])
      editor.type('\r')
      const [only = '', ...others] = ran
      expect(others).toEqual([])
      expect(only).toMatch(/^[^\p{Cc}]*(?:[\t\n][^\p{Cc}]*)*$/u)
      const kept = (text: string) => text.replace(/[\s\p{Cc}]/gu, '')
      expect(kept(only)).toBe(kept(given.join('')))
    }
  })

  test('waits while a command runs, and then for Enter; Ctrl C drops it', () => {
    let interrupted = 0
    const { editor, ran } = openEditor({
      interrupt() {
        interrupted += 1
      },
    })
    editor.type('sleep 9')
    editor.type('\r')
    editor.paste('echo one\necho two\n')
    expect(ran).toEqual(['sleep 9'])
    editor.prompt('$ ')
    expect(ran).toEqual(['sleep 9'])
    editor.type('\r')
    expect(ran).toEqual(['sleep 9', 'echo one\necho two'])
    editor.paste('rm -rf notes\n')
    editor.type('\r')
    editor.type(keys.interrupt)
    editor.prompt('$ ')
    expect(ran).toHaveLength(2)
    expect(interrupted).toBe(1)
  })

  test('that is too long is refused whole', () => {
    const { editor, ran, refused } = openEditor()
    editor.paste('x\n'.repeat(maxPastedUnits))
    expect(refused).toHaveLength(1)
    editor.type('\r')
    expect(ran).toEqual([''])
  })
})

describe('a command of several lines', () => {
  function enterLines(editor: { type(data: string): void }, text: string): void {
    for (const line of text.split('\n')) {
      if (line !== '') editor.type(line)
      editor.type('\r')
    }
  }

  test.each([
    heredoc,
    'cat <<-A && cat <<B\n\tone\n\tA\ntwo\nB',
    'for each in 1 2\ndo\necho $each\ndone',
    'if true; then # a comment\necho "open\nquote"\nfi',
    'case x in\n(x) echo `\necho y`;;\nesac',
    'echo $(\nls |\nwc -l &&\n\n{ echo a; }\n)',
    'echo a \\\nb',
    'f() {\n(cd src\nls)\n}',
  ])('is collected until it is complete: %j', (command) => {
    const { editor, ran, shown } = openEditor()
    enterLines(editor, command)
    expect(ran).toEqual([command])
    expect(shown()).toContain('\r\n> ')
  })

  test('runs at once with an error that no further line can mend', () => {
    const { editor, ran } = openEditor()
    enterLines(editor, 'echo a | | b (')
    expect(ran).toEqual(['echo a | | b ('])
  })

  test('is dropped by Ctrl C', () => {
    const { editor, ran } = openEditor()
    editor.type('cat <<EOF')
    editor.type('\r')
    editor.type(keys.interrupt)
    editor.type('ls')
    editor.type('\r')
    expect(ran).toEqual(['ls'])
  })

  test('runs nothing at Ctrl D, and comes back with the up arrow', () => {
    const { editor, ran, shown } = openEditor()
    editor.type('cat <<EOF')
    editor.type('\r')
    editor.type(keys.endOfInput)
    expect(shown()).toContain('not complete, so nothing was run')
    expect(ran).toEqual([])
    editor.type(keys.up)
    enterLines(editor, '\nEOF')
    expect(ran).toEqual(['cat <<EOF\nEOF'])
  })

  test('is one entry of the history, and the arrows walk in it first', () => {
    const { editor, ran } = openEditor()
    enterLines(editor, 'echo a')
    expect(ran.splice(0)).toEqual(['echo a'])
    editor.prompt('$ ')
    enterLines(editor, 'for x in 1; do\necho $x\ndone')
    editor.prompt('$ ')
    editor.type('typed')
    editor.type(keys.up)
    // From the last line to the first, and then to the command before.
    for (let count = 0; count < 3; count += 1) editor.type(keys.up)
    editor.type('\r')
    editor.prompt('$ ')
    expect(ran.splice(0)).toEqual(['for x in 1; do\necho $x\ndone', 'echo a'])
    editor.type('draft')
    editor.type(keys.up)
    editor.type(keys.down)
    editor.type('\r')
    expect(ran).toEqual(['draft'])
  })
})
