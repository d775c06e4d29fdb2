/** A command on the screen of a terminal, drawn again in place. Of a long one, only as many rows are shown as fit. */
import { layOut } from './line-layout.js'

export interface CommandScreen {
  /** Draws the command for the first time, where the terminal's cursor is. */
  begin(): void
  draw(): void
  /** Leaves the whole command on the screen, and goes on after it. */
  leave(after: string): void
  /** Clears the screen, and what was scrolled off it. */
  clear(): void
  /** True while the command is off the screen: nothing is drawn. */
  isErased(): boolean
  /** Takes the command off the screen while `act` runs, and then draws it again. */
  whileErased(act: () => void, drawnAgain: () => void): void
}

export interface CommandScreenOptions {
  /** `written` is called when the terminal has taken the text. */
  write(text: string, written?: () => void): void
  /** The size of the terminal. */
  columns(): number
  rows(): number
  /** The command as it is now, with what stands before it. */
  command(): { lead: string; text: string; cursor: number }
}

/** Clears the screen and what was scrolled off it. */
export const clearScreen = '\u001b[H\u001b[2J\u001b[3J'

export function commandScreen({ write, columns, rows, command }: CommandScreenOptions): CommandScreen {
  /** How many wait for the command to be off the screen. */
  let erasing = 0
  /** Of the rows of the command, the first on the screen; a long one does not fit. */
  let firstRow = 0
  /** How far the cursor is below that row. */
  let cursorRow = 0

  /** Draws the command again. With `whole`, all of it, even if the first rows leave the screen. */
  function draw({ whole = false } = {}): void {
    if (erasing > 0) return
    const { lead, text, cursor } = command()
    const layout = layOut(lead, text, cursor, columns())
    const height = whole ? layout.rows.length : Math.max(1, rows())
    const { row, column } = layout.cursor
    firstRow = Math.max(0, Math.min(firstRow, row, layout.rows.length - height), row - height + 1)
    const shown = layout.rows.slice(firstRow, firstRow + height)
    const end = shown.length - 1
    const drawn = shown.map((each, index) => (each.wraps || index === end ? each.text : `${each.text}\r\n`)).join('')
    const back = end - (row - firstRow)
    const right = column > 0 ? `\u001b[${column}C` : ''
    write(`${erased()}${drawn}${back > 0 ? `\u001b[${back}A` : ''}\r${right}`)
    cursorRow = row - firstRow
  }

  /** Goes to where the command begins on the screen, and erases it. */
  function erased(): string {
    return `${cursorRow > 0 ? `\u001b[${cursorRow}A` : ''}\r\u001b[J`
  }

  return {
    begin() {
      firstRow = 0
      cursorRow = 0
      draw()
    },
    draw: () => draw(),
    leave(after) {
      firstRow = 0
      draw({ whole: true })
      write(after)
      cursorRow = 0
    },
    clear() {
      write(clearScreen)
      cursorRow = 0
      draw()
    },
    isErased: () => erasing > 0,
    whileErased(act, drawnAgain) {
      const erase = erasing === 0 ? erased() : ''
      erasing += 1
      cursorRow = 0
      write(erase, () => {
        act()
        erasing -= 1
        draw()
        drawnAgain()
      })
    },
  }
}
