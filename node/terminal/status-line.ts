/** One line on a terminal that says how far a long work is, and is gone when it ends. */
import { performance } from 'node:perf_hooks'

export interface StatusLine {
  /** Draws `text` in place of what was drawn, unless the last drawing is very recent. */
  show(text: string): void
  /** Draws `text` in any case. */
  draw(text: string): void
  erase(): void
}

export interface StatusLineOptions {
  /** The columns of the terminal; without, nothing is drawn. */
  columns: number | undefined
  write(text: string): void
  /** In milliseconds. Default: the clock of the process. */
  now?(): number
}

const redrawMs = 100
const toLineStart = '\r\u001b[K'

export function statusLine({ columns, write, now = () => performance.now() }: StatusLineOptions): StatusLine {
  let drawnAt = Number.NEGATIVE_INFINITY
  let isDrawn = false

  function draw(text: string): void {
    if (columns === undefined) return
    // Shorter than the terminal, so that the cursor stays in the line.
    write(`${toLineStart}${text.slice(0, Math.max(1, columns - 1))}`)
    isDrawn = true
    drawnAt = now()
  }

  return {
    draw,
    show(text) {
      if (now() - drawnAt >= redrawMs) draw(text)
    },
    erase() {
      if (isDrawn) write(toLineStart)
      isDrawn = false
    },
  }
}

/** On standard error, if that is a terminal. */
export function terminalStatus(): StatusLine {
  return statusLine({ columns: terminalColumns(), write: (text) => process.stderr.write(text) })
}

/** The width of the terminal that standard error is, if it is one. */
export function terminalColumns(): number | undefined {
  // A terminal that does not report a width has 0 columns, or none.
  return process.stderr.isTTY ? process.stderr.columns || 80 : undefined
}
