/** Edits a line in a terminal that has no interactive shell behind it: cursor movement, deletion, completion, command history, its search, and pasting. */
import { positionAfter } from './line-layout.js'

export interface LineEditor {
  /** Takes what was typed, including escape sequences. */
  type(data: string): void
  /** Starts a new line with this prompt. */
  prompt(text: string): void
  /** True when Ctrl K would delete something. */
  hasTextAfterCursor(): boolean
}

export interface LineEditorOptions {
  write(text: string): void
  /** The width of the terminal. */
  columns(): number
  run(line: string): void
  /** Called when the user presses Ctrl C while a command runs. */
  interrupt(): void
  clear(): void
  /** The words that the text before the cursor could end with. */
  complete(before: string): Promise<Completion>
}

export interface Completion {
  /** Where the word begins. */
  start: number
  /** Whole words, as they are typed. One that ends with `/` can be continued. */
  words: readonly string[]
}

/** How many possible words are listed. */
const maxListed = 60

export function lineEditor(options: LineEditorOptions): LineEditor {
  const { write, columns, run, interrupt, clear, complete } = options
  const history: string[] = []
  let historyIndex = 0
  let line = ''
  let cursor = 0
  let promptText = ''
  let running = false
  /** Input that arrived while a command runs. */
  let queuedInput = ''
  /** What Ctrl W, K or U deleted last. */
  let deleted = ''
  /** What is on the screen before the cursor, from the start of the prompt. */
  let drawnBefore = ''
  let search: { query: string; index: number } | undefined

  /** Draws the line again. It may take several rows, of which the first is found by what was drawn. */
  function draw(): void {
    const lead = search === undefined ? promptText : `(reverse-i-search)'${search.query}': `
    const up = positionAfter(drawnBefore, columns()).row
    const end = positionAfter(lead + line, columns())
    const at = positionAfter(lead + line.slice(0, cursor), columns())
    // At the end of a full row the cursor stays there until the next character.
    const wrap = end.column === 0 && end.row > 0 ? ' \r' : ''
    const back = end.row - at.row
    write(
      `${up > 0 ? `\u001b[${up}A` : ''}\r\u001b[J${lead}${line}${wrap}` +
        `${back > 0 ? `\u001b[${back}A` : ''}\r${at.column > 0 ? `\u001b[${at.column}C` : ''}`,
    )
    drawnBefore = lead + line.slice(0, cursor)
  }

  function set(text: string): void {
    line = text
    cursor = text.length
    draw()
  }

  function leaveLine(text: string): void {
    move(line.length)
    write(text)
    drawnBefore = ''
  }

  function enter(): void {
    endSearch()
    leaveLine('\r\n')
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

  /** Where the character before or after the cursor ends; a pair of surrogates is one. */
  function nextTo(step: -1 | 1): number {
    const isPair = (at: number) => (line.codePointAt(at) ?? 0) > 0xffff
    if (step === 1) return Math.min(line.length, cursor + (isPair(cursor) ? 2 : 1))
    return Math.max(0, cursor - (cursor > 1 && isPair(cursor - 2) ? 2 : 1))
  }

  function wordStart(): number {
    return /\S*\s*$/.exec(line.slice(0, cursor))?.index ?? 0
  }

  function wordEnd(): number {
    return cursor + (/^\s*\S*/.exec(line.slice(cursor))?.[0].length ?? 0)
  }

  function remove(start: number, end: number, isCut = false): void {
    if (isCut && end > start) deleted = line.slice(start, end)
    line = line.slice(0, start) + line.slice(end)
    cursor = start
    draw()
  }

  const keys: Record<string, () => void> = {
    '\r': enter,
    '\t': () => void completeWord(),
    '\u007f': () => remove(nextTo(-1), cursor),
    '\u001b[3~': () => remove(cursor, nextTo(1)),
    '\u001b[A': () => showFromHistory(-1),
    '\u001b[B': () => showFromHistory(1),
    '\u001b[C': () => move(nextTo(1)),
    '\u001b[D': () => move(nextTo(-1)),
    '\u001b[1;5C': () => move(wordEnd()),
    '\u001b[1;5D': () => move(wordStart()),
    '\u001bf': () => move(wordEnd()),
    '\u001bb': () => move(wordStart()),
    '\u001b[H': () => move(0),
    '\u001b[F': () => move(line.length),
    '\u0001': () => move(0),
    '\u0005': () => move(line.length),
    '\u000b': () => remove(cursor, line.length, true),
    '\u0012': searchHistory,
    '\u0015': () => remove(0, cursor, true),
    '\u0017': () => remove(wordStart(), cursor, true),
    '\u0019': () => insert(deleted),
    '\u000c': () => {
      clear()
      drawnBefore = ''
      draw()
    },
    '\u0003': () => {
      leaveLine('^C\r\n')
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

  async function completeWord(): Promise<void> {
    const [asked, at] = [line, cursor]
    const { start, words } = await complete(line.slice(0, cursor))
    // Something was typed meanwhile.
    if (running || line !== asked || cursor !== at || words.length === 0) return
    const typed = line.slice(start, cursor)
    const [only = ''] = words
    const ending = words.length === 1 ? (only.endsWith('/') ? only : `${only} `) : commonStart(words)
    if (ending.length > typed.length) return insertFrom(start, ending)
    const shown =
      words.length > maxListed ? [...words.slice(0, maxListed), `… ${words.length - maxListed} more`] : words
    leaveLine(`\r\n${shown.map((word) => word.replace(/(?<=.)\/$/, '/')).join('  ')}\r\n`)
    cursor = at
    draw()
  }

  function insertFrom(start: number, text: string): void {
    line = line.slice(0, start) + text + line.slice(cursor)
    cursor = start + text.length
    draw()
  }

  /** Ctrl R: finds earlier commands by a part of them; each further press finds an older one. */
  function searchHistory(): void {
    search = search === undefined ? { query: '', index: history.length } : search
    if (search.query !== '') findOlder(search.query, search.index - 1)
    else draw()
  }

  function findOlder(query: string, from: number): void {
    for (let index = Math.min(from, history.length - 1); index >= 0; index -= 1) {
      const found = history[index] ?? ''
      if (!found.includes(query)) continue
      search = { query, index }
      line = found
      cursor = found.indexOf(query)
      break
    }
    if (search) search = { ...search, query }
    draw()
  }

  function endSearch(): void {
    if (search === undefined) return
    historyIndex = Math.min(search.index, history.length)
    search = undefined
    draw()
  }

  /** True when the search has used the key. */
  function typedInSearch(data: string): boolean {
    if (search === undefined || data === '\u0012') return false
    if (data === '\u007f') {
      findOlder(search.query.slice(0, -1), history.length - 1)
      return true
    }
    if (data === '\u001b' || data === '\u0007') {
      search = undefined
      set('')
      return true
    }
    if (data < ' ' || data.length > 1) {
      endSearch()
      return false
    }
    findOlder(search.query + data, search.index)
    return true
  }

  function type(data: string): void {
    if (running) {
      if (data === '\u0003') interrupt()
      else if (!data.startsWith('\u001b')) queuedInput += data
      return
    }
    if (typedInSearch(data)) return
    const key = keys[data]
    if (key !== undefined) key()
    // Other keys have no character of their own.
    if (key !== undefined || data.startsWith('\u001b') || (data.length === 1 && data < ' ' && data !== '\n')) return
    const [first = '', ...rest] = data.replaceAll('\r\n', '\r').replaceAll('\n', '\r').split('\r')
    insert(first)
    if (rest.length === 0) return
    queuedInput = rest.join('\r')
    enter()
  }

  return {
    type,
    hasTextAfterCursor: () => !running && cursor < line.length,
    prompt(text) {
      promptText = text
      running = false
      drawnBefore = ''
      draw()
      const next = queuedInput
      queuedInput = ''
      if (next !== '') type(next)
    },
  }
}

function commonStart(words: readonly string[]): string {
  let [start = ''] = words
  for (const word of words) {
    while (!word.startsWith(start)) start = start.slice(0, -1)
  }
  return start
}
