/** A text with a cursor, and the keys that edit it. It may have several lines. */

/** What keys do, by what they send. */
export type KeyTable = ReadonlyMap<string, () => void>

export interface EditedText {
  readonly text: string
  readonly cursor: number
  /** With the cursor at the end, if nowhere else. */
  set(text: string, cursor?: number): void
  moveTo(to: number): void
  /** Puts text in place of what is between `start` and the cursor. */
  insert(added: string, start?: number): void
  deleteNext(): void
  /** The place above the cursor; undefined in the first line. */
  above(): number | undefined
  /** The place below the cursor; undefined in the last line. */
  below(): number | undefined
  readonly keys: KeyTable
}

export function editedText(): EditedText {
  let text = ''
  let cursor = 0
  /** What Ctrl W, K or U deleted last. */
  let deleted = ''

  function moveTo(to: number): void {
    cursor = Math.max(0, Math.min(text.length, to))
    // Not between two surrogates.
    if (cursor > 0 && (text.codePointAt(cursor - 1) ?? 0) > 0xffff) cursor -= 1
  }

  function insert(added: string, start = cursor): void {
    text = text.slice(0, start) + added + text.slice(cursor)
    cursor = start + added.length
  }

  function remove(start: number, end: number): void {
    text = text.slice(0, start) + text.slice(end)
    cursor = start
  }

  function cut(start: number, end: number): void {
    if (end > start) deleted = text.slice(start, end)
    remove(start, end)
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

  return {
    get text() {
      return text
    },
    get cursor() {
      return cursor
    },
    set(next, at = next.length) {
      text = next
      cursor = at
    },
    moveTo,
    insert,
    deleteNext: () => remove(cursor, nextTo(1)),
    above() {
      const start = lineStart()
      if (start === 0) return undefined
      const before = text.lastIndexOf('\n', start - 2) + 1
      return Math.min(start === 1 ? 0 : before + cursor - start, start - 1)
    },
    below() {
      const end = lineEnd()
      if (end === text.length) return undefined
      const next = text.indexOf('\n', end + 1)
      return Math.min(end + 1 + cursor - lineStart(), next < 0 ? text.length : next)
    },
    keys: keyTable({
      // Alt Enter: a further line in the middle.
      '\u001b\r': () => insert('\n'),
      '\u007f': () => remove(nextTo(-1), cursor),
      '\u001b[3~': () => remove(cursor, nextTo(1)),
      '\u001b[C': () => moveTo(nextTo(1)),
      '\u001b[D': () => moveTo(nextTo(-1)),
      '\u001b[1;5C': () => moveTo(wordEnd()),
      '\u001b[1;5D': () => moveTo(wordStart()),
      '\u001bf': () => moveTo(wordEnd()),
      '\u001bb': () => moveTo(wordStart()),
      '\u001b[H': () => moveTo(lineStart()),
      '\u001b[F': () => moveTo(lineEnd()),
      '\u0001': () => moveTo(lineStart()),
      '\u0005': () => moveTo(lineEnd()),
      // At the end or the start of a line these two join it with the next to it.
      '\u000b': () => cut(cursor, Math.max(lineEnd(), nextTo(1))),
      '\u0015': () => cut(Math.min(lineStart(), nextTo(-1)), cursor),
      '\u0017': () => cut(wordStart(), cursor),
      '\u0019': () => insert(deleted),
    }),
  }
}

/** No object, which would know `constructor` and other words that somebody types. */
export function keyTable(keys: Record<string, () => void>): KeyTable {
  return new Map(Object.entries(keys))
}
