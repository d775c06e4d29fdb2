/**
 * Edits a command in a terminal that has no interactive shell behind it: cursor movement, deletion, completion, command history, its search,
 * and pasting. A command has any number of lines, and nothing runs before Enter.
 */
import { commandScreen } from './command-screen.js'
import { editedText, keyTable } from './edited-text.js'
import { historySearch, searchKey } from './history-search.js'
import { visible } from './line-layout.js'
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

/** How many possible words are listed. */
const maxListed = 60

export function lineEditor(options: LineEditorOptions): LineEditor {
  const { write, columns, rows, history, isComplete, run, interrupt, refuse, complete } = options
  let promptText = ''
  let state: 'idle' | 'editing' | 'running' = 'idle'
  /** What was typed or pasted while it could not be shown. */
  let queued: (() => void)[] = []
  const command = editedText()
  const search = historySearch({
    history,
    onStep(found) {
      if (found) command.set(found.text, found.cursor)
      screen.draw()
    },
  })
  const screen = commandScreen({
    write,
    columns,
    rows,
    command: () => ({ lead: lead(), text: command.text, cursor: command.cursor }),
  })

  function lead(): string {
    const query = search.query()
    return query === undefined ? promptText : `(reverse-i-search)'${visible(query)}': `
  }

  function set(text: string): void {
    command.set(text)
    screen.draw()
  }

  function insert(added: string, start?: number): void {
    command.insert(added, start)
    screen.draw()
  }

  /** Leaves the command on the screen, and goes on after it. */
  function leave(after: string): void {
    command.moveTo(command.text.length)
    screen.leave(after)
  }

  function enter(): void {
    search.end()
    const { text } = command
    if (!isComplete(text)) {
      command.moveTo(text.length)
      insert('\n')
      return
    }
    leave('\r\n')
    history().add(text)
    command.set('')
    state = 'running'
    run(text)
  }

  /** Drops the command. */
  function drop(after: string): void {
    leave(after)
    history().goTo(history().length)
    set('')
  }

  /** Ctrl D: deletes, or says in a new line that no more lines will come. */
  function endInput(): void {
    const { text, cursor } = command
    if (cursor < text.length) {
      command.deleteNext()
      screen.draw()
      return
    }
    if (!text.endsWith('\n')) return
    history().add(text.trimEnd())
    drop('\r\nThe command is not complete, so nothing was run. The up arrow brings it back.\r\n')
  }

  /** To another line of the command, or to another command. */
  function goVertically(place: number | undefined, other: () => string | undefined): void {
    if (place !== undefined) {
      command.moveTo(place)
      screen.draw()
      return
    }
    const text = other()
    if (text !== undefined) set(text)
  }

  const keys = keyTable({
    '\r': enter,
    '\n': enter,
    '\t': () => void completeWord(),
    '\u001b[A': () => goVertically(command.above(), () => history().older(command.text)),
    '\u001b[B': () => goVertically(command.below(), () => history().newer()),
    [searchKey]: search.older,
    '\u0004': endInput,
    '\u000c': screen.clear,
    '\u0003': () => drop('^C\r\n'),
  })

  async function completeWord(): Promise<void> {
    const { text, cursor } = command
    const { start, words } = await complete(text.slice(0, cursor))
    // Something was typed meanwhile.
    if (state !== 'editing' || command.text !== text || command.cursor !== cursor || words.length === 0) return
    const [only = ''] = words
    const ending = words.length === 1 ? (only.endsWith('/') ? only : `${only} `) : commonStart(words)
    if (ending.length > cursor - start) return insert(ending, start)
    const shown =
      words.length > maxListed ? [...words.slice(0, maxListed), `… ${words.length - maxListed} more`] : words
    leave(`\r\n${shown.map(visible).join('  ')}\r\n`)
    command.moveTo(cursor)
    screen.draw()
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
    if (search.type(data)) return
    const [key, edit] = [keys.get(data), command.keys.get(data)]
    if (key !== undefined) key()
    else if (edit !== undefined) {
      edit()
      screen.draw()
    }
    // Other keys have no character of their own.
    else if (!data.startsWith('\u001b') && (data.length > 1 || data >= ' ')) paste(data)
  }

  function paste(given: string): void {
    if (isBusy()) {
      queued.push(() => paste(given))
      return
    }
    search.end()
    const { text, cursor } = command
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
    return state !== 'editing' || screen.isErased()
  }

  function typeQueued(): void {
    while (!isBusy() && queued.length > 0) queued.shift()?.()
  }

  return {
    type,
    paste,
    hasTextAfterCursor: () => state === 'editing' && command.cursor < command.text.length,
    prompt(given) {
      promptText = given
      state = 'editing'
      screen.begin()
      typeQueued()
    },
    whileErased(act) {
      if (state === 'editing') screen.whileErased(act, typeQueued)
      else act()
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
