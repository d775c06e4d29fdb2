import { type LineTable, lazyLineTable, lineBreaks } from '../../lines/lines.js'
import type { Span } from './fold.js'

/** Rules that compare whole lines. */
export type BlockRule = 'indentation' | 'trimmed-lines' | 'collapsed-whitespace'

/** Whole lines that match. `first` and `last` count from 1; the span does not include the last line ending. */
export interface Block extends Span {
  first: number
  last: number
}

/** The lines of a search text, without empty lines at its end. */
export function blockLines(find: string): string[] {
  const lines = find.split(/\r\n|\n|\r/)
  while (lines.at(-1) === '') lines.pop()
  return lines
}

export interface BlockOptions {
  /** The lines, except the last, must have the same endings as those of `find`; any ending matches unless given. */
  sameEndings?: boolean
  /** The lines of the text, if known. */
  lines?: () => LineTable
}

/** All blocks of lines that equal `find` except for white space that the rule ignores. Overlapping blocks count separately. */
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

/** The most lines to compare, in a text with many repetitions; beyond that further places are assumed, so that the match is ambiguous. */
const mostCompared = 300_000

interface LineSearch {
  text: string
  table: LineTable
  keys: readonly string[]
  keyOf: (line: string) => string
  /** A word of the line at `index` of the search text. */
  word: string
  index: number
}

/** First lines of all runs of lines with these keys. Each line is compared once (Knuth, Morris and Pratt), and only near the word. */
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

/** For each prefix of the list, the length of its longest proper prefix that is also a suffix. */
function bordersOf(list: readonly string[]): number[] {
  const borders = [0]
  for (let at = 1, length = 0; at < list.length; at += 1) {
    while (length > 0 && list[at] !== list[length]) length = borders[length - 1]!
    if (list[at] === list[length]) length += 1
    borders.push(length)
  }
  return borders
}

/** A word that every match contains, as no rule ignores words: lines are compared only where it occurs. */
function longestWord(lines: readonly string[]): { word: string; index: number } {
  let longest = { word: '', index: 0 }
  for (const [index, line] of lines.entries()) {
    for (const word of line.match(/\S+/g) ?? []) if (word.length > longest.word.length) longest = { word, index }
  }
  return longest
}

/** The part of a line that has to be equal; for `indentation`, indents are compared afterwards. */
const keys: Record<BlockRule, (line: string) => string> = {
  indentation: (line) => (isBlank(line) ? '' : line.slice(indentOf(line).length)),
  'trimmed-lines': (line) => line.trim(),
  'collapsed-whitespace': (line) => line.trim().replace(/\s+/g, ' '),
}

/** Whether the indents are equal after removing the common indent of each side. */
function sameShape(block: readonly string[], wanted: readonly string[]): boolean {
  const [blockIndent, wantedIndent] = [commonIndent(block), commonIndent(wanted)]
  return wanted.every(
    (line, index) => isBlank(line) || line.slice(wantedIndent.length) === block[index]!.slice(blockIndent.length),
  )
}

/** The shortest indent of the lines that are not blank; a tab and a space count as one character each. */
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
