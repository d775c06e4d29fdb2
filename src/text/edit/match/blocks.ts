import { type LineTable, lazyLineTable, lineBreaks } from '../../lines/lines.js'
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
  if (word === '' || !text.includes(word)) return []

  const table = (options.lines ?? lazyLineTable(text))()
  const lineAt = (line: number) => text.slice(table.start(line), table.contentEnd(line))
  const endingAt = (line: number) => text.slice(table.contentEnd(line), table.end(line))
  const endings = options.sameEndings ? (find.match(lineBreaks()) ?? []).slice(0, wanted.length - 1) : []
  const blocks: Block[] = []
  let compared = 0
  for (const first of runsOfLines({ text, table, word, index, keys: wanted.map(keys[rule]), keyOf: keys[rule] })) {
    const lines = () => wanted.map((_, at) => lineAt(first + at))
    const isMatch =
      compared > mostCompared ||
      (endings.every((ending, at) => ending === endingAt(first + at)) &&
        (rule !== 'indentation' || sameShape(lines(), wanted)))
    compared += wanted.length
    if (!isMatch) continue
    const last = first + wanted.length - 1
    blocks.push({ first, last, start: table.start(first), end: table.contentEnd(last) })
  }
  return blocks
}

/** Lines of a text that repeats itself so often that it would take seconds to compare them all; the rest then counts as found: too often. */
const mostCompared = 300_000

interface LineSearch {
  text: string
  table: LineTable
  keys: readonly string[]
  keyOf: (line: string) => string
  /** Is in the line at `index` of those looked for. */
  word: string
  index: number
}

/** First lines of all runs of lines that have these keys. Each line is looked at once (Knuth, Morris and Pratt), and only where the word is near. */
function* runsOfLines({ text, table, keys, keyOf, word, index }: LineSearch): Generator<number> {
  const borders = bordersOf(keys)
  let matched = 0
  for (let line = 1; line <= table.count; line += 1) {
    if (matched === 0) {
      const hit = text.indexOf(word, table.start(line + index))
      if (hit < 0) return
      line = table.lineAt(hit) - index
    }
    const key = keyOf(text.slice(table.start(line), table.contentEnd(line)))
    while (matched > 0 && keys[matched] !== key) matched = borders[matched - 1]!
    if (keys[matched] === key) matched += 1
    if (matched < keys.length) continue
    yield line - keys.length + 1
    matched = borders[matched - 1]!
  }
}

/** For each beginning of the list, how long the longest shorter one is that it ends with. */
function bordersOf(list: readonly string[]): number[] {
  const borders = [0]
  for (let at = 1, length = 0; at < list.length; at += 1) {
    while (length > 0 && list[at] !== list[length]) length = borders[length - 1]!
    if (list[at] === list[length]) length += 1
    borders.push(length)
  }
  return borders
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
