/** Typing a line in a terminal that has no shell of its own behind it: moving, deleting, earlier lines, pasting. */
export interface LineEditor {
  /** What the terminal says was typed, escape sequences included. */
  type(data: string): void
  /** Begins a new line. */
  prompt(text: string): void
}

export interface LineEditorOptions {
  write(text: string): void
  run(line: string): void
  /** The user wants what is running to end. */
  interrupt(): void
  clear(): void
}

export function lineEditor({ write, run, interrupt, clear }: LineEditorOptions): LineEditor {
  const earlier: string[] = []
  let at = 0
  let line = ''
  let cursor = 0
  let lead = ''
  let running = false
  /** Pasted after the line that is running. */
  let ahead = ''

  function draw(): void {
    const back = [...line.slice(cursor)].length
    write(`\r\u001b[K${lead}${line}${back > 0 ? `\u001b[${back}D` : ''}`)
  }

  function set(text: string): void {
    line = text
    cursor = text.length
    draw()
  }

  function enter(): void {
    write('\r\n')
    if (line.trim() !== '' && earlier.at(-1) !== line) earlier.push(line)
    at = earlier.length
    const entered = line
    line = ''
    cursor = 0
    running = true
    run(entered)
  }

  function recall(step: number): void {
    at = Math.max(0, Math.min(earlier.length, at + step))
    set(earlier[at] ?? '')
  }

  const keys: Record<string, () => void> = {
    '\r': enter,
    '\u007f': () => {
      if (cursor === 0) return
      const width = (line.codePointAt(cursor - 2) ?? 0) > 0xffff ? 2 : 1
      line = line.slice(0, cursor - width) + line.slice(cursor)
      cursor -= width
      draw()
    },
    '\u001b[3~': () => {
      line = line.slice(0, cursor) + line.slice(cursor + 1)
      draw()
    },
    '\u001b[A': () => recall(-1),
    '\u001b[B': () => recall(1),
    '\u001b[C': () => move(cursor + 1),
    '\u001b[D': () => move(cursor - 1),
    '\u001b[H': () => move(0),
    '\u001b[F': () => move(line.length),
    '\u0001': () => move(0),
    '\u0005': () => move(line.length),
    '\u0015': () => {
      line = line.slice(cursor)
      move(0)
    },
    '\u000c': () => {
      clear()
      draw()
    },
    '\u0003': () => {
      write('^C\r\n')
      line = ''
      cursor = 0
      draw()
    },
  }

  function move(to: number): void {
    cursor = Math.max(0, Math.min(line.length, to))
    draw()
  }

  function insert(text: string): void {
    line = line.slice(0, cursor) + text + line.slice(cursor)
    cursor += text.length
    draw()
  }

  function type(data: string): void {
    if (running) {
      if (data === '\u0003') interrupt()
      else if (!data.startsWith('\u001b')) ahead += data
      return
    }
    const key = keys[data]
    if (key !== undefined) key()
    if (key !== undefined || data.startsWith('\u001b')) return
    const [first = '', ...rest] = data.replaceAll('\r\n', '\r').replaceAll('\n', '\r').split('\r')
    insert(first)
    if (rest.length === 0) return
    ahead = rest.join('\r')
    enter()
  }

  return {
    type,
    prompt(text) {
      lead = text
      running = false
      draw()
      const next = ahead
      ahead = ''
      if (next !== '') type(next)
    },
  }
}
