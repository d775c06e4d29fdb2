/**
 * Edits a command in a terminal that has no interactive shell behind it: cursor movement, deletion, completion, command history, its search,
 * and pasting. A command has any number of lines, and nothing runs before Enter.
 */
import { layOut, visible } from './line-layout.js'
import { maxPastedUnits, pastedText } from './pasted-text.js'
import type { TypedHistory } from './typed-history.js'

export interface LineEditor {
  /** Takes what a key sends, including escape sequences. Longer text is taken as pasted. */
  type(data: string): void
  /** Inserts text. It never runs anything. */
  paste(text: string): void
  /** Starts a new command with this prompt. */
  prompt(text: string): void
  /** Takes the command off the screen while `act` runs, such as a change of the width, and then draws it again. */
  whileErased(act: () => void): void
  /** True when Ctrl K would delete something. */
  hasTextAfterCursor(): boolean
}

export interface LineEditorOptions {
  /** `written` is called when the terminal has taken the text. */
  write(text: string, written?: () => void): void
  /** The size of the terminal. */
  columns(): number
  rows(): number
  history(): TypedHistory
  /** False when Enter is to go on in a further line. */
  isComplete(text: string): boolean
  run(text: string): void
  /** Called when the user presses Ctrl C while a command runs. */
  interrupt(): void
  /** Says why something was not done. */
  refuse(message: string): void
  /** The words that the text before the cursor could end with. */
  complete(before: string): Promise<Completion>
}

export interface Completion {
  /** Where the word begins. */
  start: number
  /** Whole words, as they are typed. One that ends with `/` can be continued. */
  words: readonly string[]
}

/** Clears the screen and what was scrolled off it. */
export const clearScreen = '\u001b[H\u001b[2J\u001b[3J'

/** How many possible words are listed. */
const maxListed = 60

export function lineEditor(options: LineEditorOptions): LineEditor {
  const { write, columns, rows, history, isComplete, run, interrupt, refuse, complete } = options
  let text = ''
  let cursor = 0
  let promptText = ''
  let state: 'idle' | 'editing' | 'running' = 'idle'
  /** How many wait for the command to be off the screen. */
  let erasing = 0
  /** What was typed or pasted while it could not be shown. */
  let queued: (() => void)[] = []
  /** What Ctrl W, K or U deleted last. */
  let deleted = ''
  /** Of the rows of the command, the first on the screen; a long one does not fit. */
  let firstRow = 0
  /** How far the cursor is below that row. */
  let cursorRow = 0
  let search: { query: string; index: number } | undefined

  /** Draws the command again. With `whole`, all of it, even if the first rows leave the screen. */
  function draw({ whole = false } = {}): void {
    if (erasing > 0) return
    const lead = search === undefined ? promptText : `(reverse-i-search)'${visible(search.query)}': `
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

  function set(next: string): void {
    text = next
    cursor = next.length
    draw()
  }

  /** Leaves the command on the screen, and goes on after it. */
  function leave(after: string): void {
    cursor = text.length
    firstRow = 0
    draw({ whole: true })
    write(after)
    cursorRow = 0
  }

  function enter(): void {
    endSearch()
    if (!isComplete(text)) {
      cursor = text.length
      insert('\n')
      return
    }
    leave('\r\n')
    history().add(text)
    const entered = text
    text = ''
    cursor = 0
    state = 'running'
    run(entered)
  }

  /** Drops the command. */
  function drop(after: string): void {
    leave(after)
    history().goTo(history().length)
    set('')
  }

  /** Ctrl D: deletes, or says in a new line that no more lines will come. */
  function endInput(): void {
    if (cursor < text.length) {
      remove(cursor, nextTo(1))
      return
    }
    if (!text.endsWith('\n')) return
    history().add(text.trimEnd())
    drop('\r\nThe command is not complete, so nothing was run. The up arrow brings it back.\r\n')
  }

  function up(): void {
    const start = lineStart()
    if (start === 0) {
      const older = history().older(text)
      if (older !== undefined) set(older)
      return
    }
    const before = text.lastIndexOf('\n', start - 2) + 1
    move(Math.min(start === 1 ? 0 : before + cursor - start, start - 1))
  }

  function down(): void {
    const end = lineEnd()
    if (end === text.length) {
      const newer = history().newer()
      if (newer !== undefined) set(newer)
      return
    }
    const next = text.indexOf('\n', end + 1)
    move(Math.min(end + 1 + cursor - lineStart(), next < 0 ? text.length : next))
  }

  function lineStart(): number {
    return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1
  }

  function lineEnd(): number {
    const end = text.indexOf('\n', cursor)
    return end < 0 ? text.length : end
  }

  /** Where the character before or after the cursor ends; a pair of surrogates is one. */
  function nextTo(step: -1 | 1): number {
    const isPair = (at: number) => (text.codePointAt(at) ?? 0) > 0xffff
    if (step === 1) return Math.min(text.length, cursor + (isPair(cursor) ? 2 : 1))
    return Math.max(0, cursor - (cursor > 1 && isPair(cursor - 2) ? 2 : 1))
  }

  function wordStart(): number {
    return /\S*\s*$/.exec(text.slice(0, cursor))?.index ?? 0
  }

  function wordEnd(): number {
    return cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0)
  }

  function remove(start: number, end: number, isCut = false): void {
    if (isCut && end > start) deleted = text.slice(start, end)
    text = text.slice(0, start) + text.slice(end)
    cursor = start
    draw()
  }

  const keys: Record<string, () => void> = {
    '\r': enter,
    '\n': enter,
    // Alt Enter: a further line in the middle.
    '\u001b\r': () => insert('\n'),
    '\t': () => void completeWord(),
    '\u007f': () => remove(nextTo(-1), cursor),
    '\u001b[3~': () => remove(cursor, nextTo(1)),
    '\u001b[A': up,
    '\u001b[B': down,
    '\u001b[C': () => move(nextTo(1)),
    '\u001b[D': () => move(nextTo(-1)),
    '\u001b[1;5C': () => move(wordEnd()),
    '\u001b[1;5D': () => move(wordStart()),
    '\u001bf': () => move(wordEnd()),
    '\u001bb': () => move(wordStart()),
    '\u001b[H': () => move(lineStart()),
    '\u001b[F': () => move(lineEnd()),
    '\u0001': () => move(lineStart()),
    '\u0005': () => move(lineEnd()),
    // At the end or the start of a line these two join it with the next to it.
    '\u000b': () => remove(cursor, Math.max(lineEnd(), nextTo(1)), true),
    '\u0015': () => remove(Math.min(lineStart(), nextTo(-1)), cursor, true),
    '\u0012': searchHistory,
    '\u0017': () => remove(wordStart(), cursor, true),
    '\u0019': () => insert(deleted),
    '\u0004': endInput,
    '\u000c': () => {
      write(clearScreen)
      cursorRow = 0
      draw()
    },
    '\u0003': () => drop('^C\r\n'),
  }

  function move(to: number): void {
    cursor = Math.max(0, Math.min(text.length, to))
    // Not between two surrogates.
    if (cursor > 0 && (text.codePointAt(cursor - 1) ?? 0) > 0xffff) cursor -= 1
    draw()
  }

  function insert(added: string): void {
    insertFrom(cursor, added)
  }

  function insertFrom(start: number, added: string): void {
    text = text.slice(0, start) + added + text.slice(cursor)
    cursor = start + added.length
    draw()
  }

  async function completeWord(): Promise<void> {
    const [asked, at] = [text, cursor]
    const { start, words } = await complete(text.slice(0, cursor))
    // Something was typed meanwhile.
    if (state !== 'editing' || text !== asked || cursor !== at || words.length === 0) return
    const typed = text.slice(start, cursor)
    const [only = ''] = words
    const ending = words.length === 1 ? (only.endsWith('/') ? only : `${only} `) : commonStart(words)
    if (ending.length > typed.length) return insertFrom(start, ending)
    const shown =
      words.length > maxListed ? [...words.slice(0, maxListed), `… ${words.length - maxListed} more`] : words
    leave(`\r\n${shown.map(visible).join('  ')}\r\n`)
    cursor = at
    draw()
  }

  /** Ctrl R: finds earlier commands by a part of them; each further press finds an older one. */
  function searchHistory(): void {
    search = search === undefined ? { query: '', index: history().length } : search
    if (search.query !== '') findOlder(search.query, search.index - 1)
    else draw()
  }

  function findOlder(query: string, from: number): void {
    const found = history().find(query, from)
    if (found !== undefined) {
      text = found.text
      cursor = text.indexOf(query)
    }
    if (search) search = { query, index: found?.index ?? search.index }
    draw()
  }

  function endSearch(): void {
    if (search === undefined) return
    history().goTo(search.index)
    search = undefined
    draw()
  }

  /** True when the search has used the key. */
  function typedInSearch(data: string): boolean {
    if (search === undefined || data === '\u0012') return false
    if (data === '\u007f') {
      findOlder(search.query.slice(0, -1), history().length - 1)
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
    if (state === 'running' && data === '\u0003') {
      queued = []
      interrupt()
      return
    }
    if (isBusy()) {
      if (state !== 'running' || !data.startsWith('\u001b')) queued.push(() => type(data))
      return
    }
    if (typedInSearch(data)) return
    const key = keys[data]
    if (key !== undefined) key()
    // Other keys have no character of their own.
    else if (!data.startsWith('\u001b') && (data.length > 1 || data >= ' ')) paste(data)
  }

  function paste(given: string): void {
    if (isBusy()) {
      queued.push(() => paste(given))
      return
    }
    endSearch()
    const pasted = pastedText(given)
    if (text.length + pasted.length > maxPastedUnits) {
      refuse(
        `What was pasted is too long for the terminal: ${pasted.length} characters, at most ${maxPastedUnits}. Put it into a file, and run that.`,
      )
      return
    }
    // What ends with a line break is complete without it: Enter adds one where it is missing.
    insert(cursor === text.length ? pasted.replace(/\n$/, '') : pasted)
  }

  function isBusy(): boolean {
    return state !== 'editing' || erasing > 0
  }

  function typeQueued(): void {
    while (!isBusy() && queued.length > 0) queued.shift()?.()
  }

  return {
    type,
    paste,
    hasTextAfterCursor: () => state === 'editing' && cursor < text.length,
    prompt(given) {
      promptText = given
      state = 'editing'
      firstRow = 0
      cursorRow = 0
      draw()
      typeQueued()
    },
    whileErased(act) {
      if (state !== 'editing') return act()
      const erase = erasing === 0 ? erased() : ''
      erasing += 1
      cursorRow = 0
      write(erase, () => {
        act()
        erasing -= 1
        draw()
        typeQueued()
      })
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
