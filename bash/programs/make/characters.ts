/** How make takes text apart: blanks, words, quoted characters, references. */

export function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

export function isSpace(character: string | undefined): boolean {
  return character !== undefined && character !== '' && ' \t\n\v\f\r'.includes(character)
}

export function skipSpace(text: string, at: number): number {
  let end = at
  while (isSpace(text[end])) end += 1
  return end
}

export function endOfWord(text: string, at: number): number {
  let end = at
  while (end < text.length && !isSpace(text[end])) end += 1
  return end
}

export function wordsOf(text: string): string[] {
  return text.match(/[^ \t\n\v\f\r]+/g) ?? []
}

export function stripped(text: string): string {
  return text.replace(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, '')
}

/**
 * The first of some characters that no backslash quotes. The backslashes before those that it passes lose their meaning and are halved, so
 * the text that comes back may be shorter. `at` is -1 when there is none.
 */
export function findUnquoted(
  text: string,
  stops: string,
  from = 0,
  skipsReferences = false,
): { text: string; at: number } {
  let changed = text
  let at = from
  while (at < changed.length) {
    const character = changed[at] as string
    if (skipsReferences && character === '$') {
      at = endOfReference(changed, at)
      continue
    }
    if (!stops.includes(character)) {
      at += 1
      continue
    }
    let count = 0
    while (at - count > from && changed[at - count - 1] === '\\') count += 1
    if (count === 0) return { text: changed, at }
    const kept = Math.floor(count / 2)
    changed = changed.slice(0, at - count + kept) + changed.slice(at)
    at -= count - kept
    if (count % 2 === 0) return { text: changed, at }
    at += 1
  }
  return { text: changed, at: -1 }
}

/** Behind the reference that a dollar sign begins. */
export function endOfReference(text: string, at: number): number {
  const open = text[at + 1]
  if (open !== '(' && open !== '{') return at + 2
  const end = closingOf(text, at + 2, open)
  return end < 0 ? text.length : end + 1
}

/** Where the parenthesis or brace ends that was opened before `at`; -1 when it does not. */
export function closingOf(text: string, at: number, open: string): number {
  const close = open === '(' ? ')' : '}'
  let depth = 1
  for (let index = at; index < text.length; index += 1) {
    const character = text[index]
    if (character === open) depth += 1
    else if (character === close) {
      depth -= 1
      if (depth === 0) return index
    }
  }
  return -1
}

/** A pattern with `%`. Without one, `percent` is -1. Backslashes before a percent sign are taken away. */
export interface Pattern {
  text: string
  percent: number
}

export function patternOf(text: string): Pattern {
  const found = findUnquoted(text, '%')
  return { text: found.text, percent: found.at }
}

/** What a name has in the place of the `%` of a pattern, or undefined. */
export function stemOf({ text, percent }: Pattern, name: string): string | undefined {
  if (percent < 0) return undefined
  const before = text.slice(0, percent)
  const after = text.slice(percent + 1)
  if (name.length < before.length + after.length || !name.startsWith(before) || !name.endsWith(after)) return undefined
  return name.slice(before.length, name.length - after.length)
}

/** Each backslash before a line's end makes one line of two, with one space between them. */
export function joinLines(text: string): string {
  if (!text.includes('\n')) return text
  let out = ''
  let at = 0
  while (at < text.length) {
    const end = text.indexOf('\n', at)
    if (end < 0) return out + text.slice(at)
    let count = 0
    while (end - count > at && text[end - count - 1] === '\\') count += 1
    out += text.slice(at, end - count) + '\\'.repeat(Math.floor(count / 2))
    at = end + 1
    if (count % 2 === 0) out += '\n'
    else {
      while (isBlank(text[at])) at += 1
      let length = out.length
      while (length > 0 && isBlank(out[length - 1])) length -= 1
      out = `${out.slice(0, length)} `
    }
  }
  return out
}

export function withoutComment(text: string): string {
  const { text: rest, at } = findUnquoted(text, '#', 0, true)
  return at < 0 ? rest : rest.slice(0, at)
}
