/** Edits a line in a terminal that has no interactive shell behind it: cursor movement, deletion, command history and pasting. */
export interface LineEditor {
  /** Takes what was typed, including escape sequences. */
  type(data: string): void
  /** Starts a new line with this prompt. */
  prompt(text: string): void
}

export interface LineEditorOptions {
  write(text: string): void
  run(line: string): void
  /** Called when the user presses Ctrl C while a command runs. */
  interrupt(): void
  clear(): void
}

export function lineEditor({ write, run, interrupt, clear }: LineEditorOptions): LineEditor {
  const history: string[] = []
  let historyIndex = 0
  let line = ''
  let cursor = 0
  let promptText = ''
  let running = false
  /** Input that arrived while a command runs. */
  let queuedInput = ''

  function draw(): void {
    const back = [...line.slice(cursor)].length
    write(`\r\u001b[K${promptText}${line}${back > 0 ? `\u001b[${back}D` : ''}`)
  }

  function set(text: string): void {
    line = text
    cursor = text.length
    draw()
  }

  function enter(): void {
    write('\r\n')
    if (line.trim() !== '' && history.at(-1) !== line) history.push(line)
    historyIndex = history.length
    const entered = line
    line = ''
    cursor = 0
    running = true
    run(entered)
  }

  function showFromHistory(step: number): void {
    historyIndex = Math.max(0, Math.min(history.length, historyIndex + step))
    set(history[historyIndex] ?? '')
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
    '\u001b[A': () => showFromHistory(-1),
    '\u001b[B': () => showFromHistory(1),
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
      else if (!data.startsWith('\u001b')) queuedInput += data
      return
    }
    const key = keys[data]
    if (key !== undefined) key()
    if (key !== undefined || data.startsWith('\u001b')) return
    const [first = '', ...rest] = data.replaceAll('\r\n', '\r').replaceAll('\n', '\r').split('\r')
    insert(first)
    if (rest.length === 0) return
    queuedInput = rest.join('\r')
    enter()
  }

  return {
    type,
    prompt(text) {
      promptText = text
      running = false
      draw()
      const next = queuedInput
      queuedInput = ''
      if (next !== '') type(next)
    },
  }
}
