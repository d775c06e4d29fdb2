/** Rows as text, one by one, in the modes that need not see all of them first. */
import { type } from '../engine/database.js'
import { longReal } from './long-real.js'
import {
  byteLength,
  characterLength,
  cString,
  csvField,
  firstCharacters,
  hexBlob,
  html,
  isNumber,
  jsonString,
  quoted,
  quotedEscaped,
  quotedName,
} from './quoting.js'
import { schemaLine, schemaLines } from './schema-text.js'
import type { Layout, Mode } from './state.js'

/** A value as text, with what it is. */
export interface Cell {
  text: string | undefined
  type: number
  /** Of a real number. */
  double?: number
  /** Of a blob, where the mode writes it. */
  bytes?: Uint8Array
}

export interface RowWriter {
  row(cells: readonly Cell[]): string
  /** After the last row, if there was one. */
  end(count: number): string
}

export interface RowRules {
  layout: Layout
  mode: Mode
  names: readonly string[]
  /** True for a name that has to be quoted. */
  needsQuotes(name: string): boolean
  isComplete(sql: string): boolean
  /** How far each row of an `EXPLAIN` is indented. */
  indents: readonly number[]
  /** Line ends stay as they are in `insert`. */
  keepsNewlines: boolean
}

const explainWidths = [4, 13, 4, 4, 4, 13, 2, 13]
const defaultLineWidth = 5

export function rowWriter(rules: RowRules): RowWriter {
  const { layout, names } = rules
  const nothing = () => ''
  let count = 0
  const header = (make: () => string) => (count++ === 0 && layout.showHeader ? make() : '')
  const shown = ({ text }: Cell) => text ?? layout.nullValue
  const { columnSeparator, rowSeparator } = layout

  const writers: Partial<Record<Mode, RowWriter['row']>> = {
    list: (cells) =>
      header(() => names.join(columnSeparator) + rowSeparator) + cells.map(shown).join(columnSeparator) + rowSeparator,
    line(cells) {
      const width = Math.max(defaultLineWidth, ...names.map(byteLength))
      const between = count++ > 0 ? rowSeparator : ''
      const lines = cells.map((cell, index) => {
        const name = names[index] as string
        return `${' '.repeat(width - byteLength(name))}${name} = ${shown(cell)}${rowSeparator}`
      })
      return between + lines.join('')
    },
    html(cells) {
      const row = (tag: string, values: readonly string[]) =>
        `<TR>${values.map((value) => `<${tag}>${html(value)}</${tag}>\n`).join('')}</TR>\n`
      return header(() => row('TH', names)) + row('TD', cells.map(shown))
    },
    tcl(cells) {
      const row = (values: readonly string[]) => values.map(cString).join(columnSeparator) + rowSeparator
      return header(() => row(names)) + row(cells.map(shown))
    },
    csv(cells) {
      const row = (values: readonly string[]) => values.join(columnSeparator) + rowSeparator
      const field = (text: string) => csvField(text, columnSeparator)
      const fields = cells.map(({ text }) => (text === undefined ? layout.nullValue : field(text)))
      return header(() => row(names.map(field))) + row(fields)
    },
    ascii: (cells) =>
      header(() => names.join(columnSeparator) + rowSeparator) + cells.map(shown).join(columnSeparator) + rowSeparator,
    quote: (cells) =>
      header(() => names.map(quoted).join(columnSeparator) + rowSeparator) +
      cells.map((cell) => literal(cell, quoted, longReal)).join(columnSeparator) +
      rowSeparator,
    insert(cells) {
      const asText = rules.keepsNewlines ? quoted : quotedEscaped
      const columns = layout.showHeader
        ? `(${names.map((name) => (rules.needsQuotes(name) ? quotedName(name) : name)).join(',')})`
        : ''
      const values = cells.map((cell) => literal(cell, asText, insertedReal)).join(',')
      return `INSERT INTO ${layout.table}${columns} VALUES(${values});\n`
    },
    json(cells) {
      const members = cells.map((cell, index) => `${jsonString(names[index] as string)}:${jsonValue(cell)}`)
      return `${count++ === 0 ? '[' : ',\n'}{${members.join(',')}}`
    },
    explain(cells) {
      const shownCells = cells.slice(0, explainWidths.length)
      const first = count++ === 0 ? explainHeader(names) : ''
      const indent = ' '.repeat(rules.indents[count - 1] ?? 0)
      const fields = shownCells.map((cell, index) => {
        const text = shown(cell)
        const width = index === shownCells.length - 1 ? 0 : (explainWidths[index] as number)
        const wide = Math.max(width, cell.text === undefined ? 0 : characterLength(cell.text))
        return (index === 1 ? indent : '') + padded(text, wide)
      })
      return `${first}${fields.join('  ')}\n`
    },
    semi: ([cell]) => schemaLine(cell?.text, ';\n', rules.isComplete),
    pretty: ([cell]) => schemaLines(cell?.text, rules.isComplete),
  }
  const ends: Partial<Record<Mode, RowWriter['end']>> = {
    json: () => ']\n',
    count: (rows) => `${rows} row${rows === 1 ? '' : 's'}\n`,
  }
  return { row: writers[rules.mode] ?? nothing, end: ends[rules.mode] ?? nothing }
}

function explainHeader(names: readonly string[]): string {
  const shown = names.slice(0, explainWidths.length)
  const titles = shown.map((name, index) => fitted(name, explainWidths[index] as number))
  const lines = shown.map((_, index) => '-'.repeat(explainWidths[index] as number))
  return `${titles.join('  ')}\n${lines.join('  ')}\n`
}

/** To the width, and not longer; on the right of it when it is negative. */
export function fitted(text: string, width: number): string {
  const wanted = Math.abs(width)
  const length = characterLength(text)
  // With a width of 0 nothing is cut.
  if (length >= wanted) return wanted === 0 ? text : firstCharacters(text, wanted)
  return width < 0 ? ' '.repeat(wanted - length) + text : text + ' '.repeat(wanted - length)
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - characterLength(text)))
}

function literal(cell: Cell, asText: (text: string) => string, asReal: (value: number) => string): string {
  if (cell.type === type.null || (cell.text === undefined && cell.bytes === undefined)) return 'NULL'
  if (cell.type === type.text) return asText(cell.text ?? '')
  if (cell.type === type.integer) return cell.text ?? ''
  if (cell.type === type.real) return asReal(cell.double ?? 0)
  if (cell.type === type.blob && cell.bytes !== undefined) return hexBlob(cell.bytes)
  return isNumber(cell.text ?? '') ? (cell.text ?? '') : asText(cell.text ?? '')
}

/** Of integers of 64 bits. */
const wholeLimit = 2 ** 63

function insertedReal(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999'
  if (value >= -wholeLimit && value < wholeLimit && Number.isInteger(value)) return `${BigInt(value)}.0`
  return longReal(value)
}

function jsonValue(cell: Cell): string {
  if (cell.type === type.null) return 'null'
  if (cell.type === type.real) {
    const value = cell.double ?? 0
    if (!Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999'
    return longReal(value)
  }
  if (cell.type === type.blob || cell.type === type.text) return jsonString(cell.text ?? '')
  return cell.text ?? 'null'
}
