/** Rows as tables: all of them are seen before the first is written, because the widest value decides. */
import { byteLength, characterLength } from './quoting.js'
import { fitted } from './rows.js'
import type { Layout, Mode } from './state.js'

export interface Table {
  names: readonly string[]
  /** Values as they are to be shown. */
  rows: Iterable<readonly string[]>
}

interface Frame {
  separator: string
  start: string
  end: string
  /** Lines above the names, below them, and below all; between rows where one takes several lines. */
  top?: string
  middle?: string
  bottom?: string
  between?: string
}

const unlimited = 1_000_000

/** Lines of one value: the first, and what follows it. */
function* linesOf(text: string, width: number, wordWrap: boolean): Generator<string> {
  let rest: string | undefined = text
  while (rest !== undefined) {
    const { line, tail } = firstLine(charactersOf(rest), width, wordWrap)
    yield line
    rest = tail
  }
}

/** As they are counted there: bytes that could go on a character belong to the one before them, also where it is whole. */
function charactersOf(text: string): readonly string[] {
  const characters: string[] = []
  for (const character of text) {
    const before = characters.at(-1)
    if (/[\udc80-\udcbf]/u.test(character) && before !== undefined && !isControl(before))
      characters[characters.length - 1] = before + character
    else characters.push(character)
  }
  return characters
}

const isControl = (character: string) => character < ' '

function firstLine(z: readonly string[], limit: number, wordWrap: boolean): { line: string; tail: string | undefined } {
  const width = limit === 0 ? unlimited : limit
  let at = 0
  let column = 0
  const step = (character: string) => {
    if (character !== '\t') column += 1
    else
      do column += 1
      while ((column & 7) !== 0 && column < width)
  }
  const isShown = (character: string | undefined) =>
    character !== undefined && (!isControl(character) || character === '\t')
  for (; column < width && isShown(z[at]); at += 1) step(z[at] as string)
  let shown = at
  if (column >= width && wordWrap) {
    const found = breakBefore(z, at)
    if (found !== undefined) {
      shown = found
      at = found
      while (z[at] === ' ') at += 1
    }
  }
  const following = z[at]
  let tail: string | undefined
  if (column >= width && following !== undefined && !isControl(following)) tail = z.slice(at).join('')
  else if (following === '\r' && z[at + 1] === '\n')
    tail = z[at + 2] === undefined ? undefined : z.slice(at + 2).join('')
  else if (following !== undefined && z[at + 1] !== undefined) tail = z.slice(at + 1).join('')
  let line = ''
  column = 0
  for (const character of z.slice(0, shown)) {
    const before = column
    step(character)
    line += character === '\t' ? ' '.repeat(column - before) : character
  }
  return { line, tail }
}

/** A better place to break a line than the middle of a word, in the second half of its bytes. */
function breakBefore(z: readonly string[], end: number): number | undefined {
  const places: number[] = []
  const bytes = z.slice(0, end).reduce((sum, character) => sum + byteLength(character), 0)
  let left = bytes
  for (let at = end; at > 0 && left > Math.floor(bytes / 2); at -= 1) {
    places.push(at)
    left -= byteLength(z[at - 1] as string)
  }
  const isWord = (character = '') => /^[A-Za-z0-9]$/.test(character)
  return (
    places.find((at) => /^[ \t\n\v\f\r]/.test(z[at - 1] as string)) ??
    places.find((at) => isWord(z[at - 1]) !== isWord(z[at]))
  )
}

/** `account` counts what is held. */
export function* tableText(table: Table, layout: Layout, account: (bytes: number) => void): Generator<string> {
  const count = table.names.length
  if (count === 0) return
  while (layout.widths.length < count) layout.widths.push(0)
  const { widths, columns } = layout
  const widest = widths.slice(0, count).map(Math.abs)
  const limit = (index: number) => Math.abs(widths[index] || columns.wrap)
  const first = (text: string, index: number) => linesOf(text, limit(index), columns.wordWrap).next().value as string
  const names = table.names.map(first)
  const lines: string[][] = []
  /** Where a row ends. */
  const isLast: boolean[] = []
  for (const row of table.rows) {
    const all = row.map((text, index) => [...linesOf(text, limit(index), columns.wordWrap)])
    const height = Math.max(...all.map((each) => each.length))
    for (let line = 0; line < height; line += 1) {
      const texts = all.map((each) => each[line] ?? '')
      account(texts.reduce((sum, text) => sum + text.length * 2 + 16, 0))
      lines.push(texts)
      isLast.push(line === height - 1)
    }
  }
  for (const line of [names, ...lines])
    for (const [index, text] of line.entries()) widest[index] = Math.max(widest[index] as number, characterLength(text))
  const signed = widest.map((width, index) => ((widths[index] as number) < 0 ? -width : width))
  const frame = frameOf(layout.mode, widest)
  const centred = (text: string, index: number) => {
    const space = (widest[index] as number) - characterLength(text)
    return ' '.repeat(Math.floor(space / 2)) + text + ' '.repeat(Math.ceil(space / 2))
  }
  const row = (texts: readonly string[]) => frame.start + texts.join(frame.separator) + frame.end
  if (frame.top !== undefined) yield frame.top
  if (layout.mode !== 'column') yield row(names.map(centred))
  else if (layout.showHeader) yield row(names.map((name, index) => fitted(name, signed[index] as number)))
  if (frame.middle !== undefined && (layout.mode !== 'column' || layout.showHeader)) yield frame.middle
  const separates = isLast.includes(false)
  for (const [index, line] of lines.entries()) {
    yield row(line.map((text, column) => fitted(text, signed[column] as number)))
    if (separates && isLast[index] && index < lines.length - 1 && frame.between !== undefined) yield frame.between
  }
  if (frame.bottom !== undefined) yield frame.bottom
}

function frameOf(mode: Mode, widths: readonly number[]): Frame {
  const line = (dash: string, extra: number, left: string, between: string, right: string) =>
    `${left}${widths.map((width) => dash.repeat(width + extra)).join(between)}${right}\n`
  if (mode === 'column')
    return { separator: '  ', start: '', end: '\n', middle: line('-', 0, '', '  ', ''), between: '\n' }
  if (mode === 'box')
    return {
      separator: ' │ ',
      start: '│ ',
      end: ' │\n',
      top: line('─', 2, '┌', '┬', '┐'),
      middle: line('─', 2, '├', '┼', '┤'),
      between: line('─', 2, '├', '┼', '┤'),
      bottom: line('─', 2, '└', '┴', '┘'),
    }
  const ruled = line('-', 2, mode === 'table' ? '+' : '|', mode === 'table' ? '+' : '|', mode === 'table' ? '+' : '|')
  const frame = { separator: ' | ', start: '| ', end: ' |\n', middle: ruled }
  return mode === 'table' ? { ...frame, top: ruled, between: ruled, bottom: ruled } : frame
}
