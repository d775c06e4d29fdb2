import { type LineTable, lazyLineTable, lineBreaks } from '../lines.js'
import type { Span } from './fold.js'

/** Rules that compare whole lines. */
export type BlockRule = 'indentation' | 'trimmed-lines' | 'collapsed-whitespace'

/** Whole lines that match: `first` and `last` count from 1; the span leaves out the last line's ending. */
export interface Block extends Span {
  first: number
  last: number
}

/** The lines of a text to find: empty lines at its end do not count. */
export function blockLines(find: string): string[] {
  const lines = find.split(/\r\n|\n|\r/)
  while (lines.at(-1) === '') lines.pop()
  return lines
}

export interface BlockOptions {
  /** The lines, but for the last, must end as those of `find` do; any ending will do unless given. */
  sameEndings?: boolean
  /** The lines of the text, where they are known. */
  lines?: () => LineTable
}

/** All blocks of lines that equal `find` but for the white space the rule lets pass; those that overlap are as many places. */
export function findBlocks(text: string, find: string, rule: BlockRule, options: BlockOptions = {}): Block[] {
  const wanted = blockLines(find)
  const { word, index } = longestWord(wanted)
  const firstHit = word === '' ? -1 : text.indexOf(word)
  if (firstHit < 0) return []

  const table = (options.lines ?? lazyLineTable(text))()
  const key = keys[rule]
  const wantedKeys = wanted.map(key)
  const endings = options.sameEndings ? (find.match(lineBreaks()) ?? []).slice(0, wanted.length - 1) : []
  const blocks: Block[] = []
  let untried = 1
  for (let hit = firstHit; hit >= 0; hit = text.indexOf(word, hit + word.length)) {
    const first = table.lineAt(hit) - index
    const last = first + wanted.length - 1
    if (first < untried || last > table.count) continue
    untried = first + 1
    const lineAt = (at: number) => text.slice(table.start(first + at), table.contentEnd(first + at))
    if (!wantedKeys.every((line, at) => line === key(lineAt(at)))) continue
    const endingAt = (at: number) => text.slice(table.contentEnd(first + at), table.end(first + at))
    if (!endings.every((ending, at) => ending === endingAt(at))) continue
    if (
      rule === 'indentation' &&
      !sameShape(
        wanted.map((_, at) => lineAt(at)),
        wanted,
      )
    )
      continue
    blocks.push({ first, last, start: table.start(first), end: table.contentEnd(last) })
  }
  return blocks
}

/** No rule lets a word differ: only where this one stands need lines be compared. */
function longestWord(lines: readonly string[]): { word: string; index: number } {
  let longest = { word: '', index: 0 }
  for (const [index, line] of lines.entries()) {
    for (const word of line.match(/\S+/g) ?? []) if (word.length > longest.word.length) longest = { word, index }
  }
  return longest
}

/** What of a line has to be equal; for `indentation` the indents are compared afterwards. */
const keys: Record<BlockRule, (line: string) => string> = {
  indentation: (line) => (isBlank(line) ? '' : line.slice(indentOf(line).length)),
  'trimmed-lines': (line) => line.trim(),
  'collapsed-whitespace': (line) => line.trim().replace(/\s+/g, ' '),
}

/** Equal once each side has lost the indent all of its lines share. */
function sameShape(block: readonly string[], wanted: readonly string[]): boolean {
  const [blockIndent, wantedIndent] = [commonIndent(block), commonIndent(wanted)]
  return wanted.every(
    (line, index) => isBlank(line) || line.slice(wantedIndent.length) === block[index]!.slice(blockIndent.length),
  )
}

/** The shortest indent of the lines that are not blank; tabs and spaces count as one character each. */
export function commonIndent(lines: readonly string[]): string {
  const indents = lines.filter((line) => !isBlank(line)).map(indentOf)
  return indents.reduce((least, indent) => (indent.length < least.length ? indent : least), indents[0] ?? '')
}

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)![0]
}

export function isBlank(line: string): boolean {
  return line.trim() === ''
}
