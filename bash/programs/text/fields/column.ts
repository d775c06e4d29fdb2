/** Makes columns of lists, and tables of lines. */
import { decodeText } from '../../../io/byte-text.js'
import { readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { shownName } from '../../quoting.js'
import { textWidth } from '../common/char-width.js'
import { forEachInput } from '../common/inputs.js'
import { jsonTable, type TableRules, table } from './column-table.js'

const usualWidth = 80
const tabColumns = 8

export const column = defineProgram({
  name: 'column',
  usage: '[options] [<file>...]',
  helpNames: ['-h', '--help'],
  options: {
    table: { names: ['-t', '--table'] },
    name: { names: ['-n', '--table-name'], value: 'required' },
    order: { names: ['-O', '--table-order'], value: 'required' },
    columns: { names: ['-N', '--table-columns'], value: 'required' },
    limit: { names: ['-l', '--table-columns-limit'], value: 'required' },
    noHeadings: { names: ['-d', '--table-noheadings'] },
    repeatHeader: { names: ['-e', '--table-header-repeat'] },
    hide: { names: ['-H', '--table-hide'], value: 'required' },
    right: { names: ['-R', '--table-right'], value: 'required' },
    keepEmpty: { names: ['-L', '--keep-empty-lines'] },
    json: { names: ['-J', '--json'] },
    width: { names: ['-c', '--output-width'], value: 'required' },
    outputSeparator: { names: ['-o', '--output-separator'], value: 'required' },
    separator: { names: ['-s', '--separator'], value: 'required' },
    fillRows: { names: ['-x', '--fillrows'] },
  },
  unsupported: [
    '-E',
    '--table-noextreme',
    '-T',
    '--table-truncate',
    '-W',
    '--table-wrap',
    '-r',
    '--tree',
    '-i',
    '--tree-id',
    '-p',
    '--tree-parent',
  ],
  async run(io, given) {
    const lines: string[] = []
    const status = await forEachInput(
      io,
      given.operands,
      async ({ reader }) => {
        const all = await readAll(reader)
        io.account(all.length * 2)
        const read = decodeText(all).split('\n')
        if (read.at(-1) === '') read.pop()
        for (const line of read) if (given.has('keepEmpty') || line.trim() !== '') lines.push(line)
      },
      (name, reason) => `${shownName(name)}: ${reason}`,
    )
    const isTable = given.has('table') || given.has('json')
    if (given.has('table') && given.has('fillRows')) {
      throw new ProgramError('mutually exclusive arguments: --table --fillrows')
    }
    const tableOnly = (['order', 'columns', 'limit', 'hide', 'right'] as const).some((key) => given.has(key))
    if (!isTable && tableOnly) throw new ProgramError('option --table required for all --table-*')
    if (given.has('json') && !given.has('columns')) throw new ProgramError('option --table-columns required for --json')
    const width = widthOf(given.value('width') ?? io.env.get('COLUMNS'))
    if (!isTable) {
      await io.stdout.write(given.has('fillRows') ? fillRows(lines, width) : fillColumns(lines, width))
      return status
    }
    const rules: TableRules = {
      separators: given.value('separator'),
      outputSeparator: given.value('outputSeparator') ?? '  ',
      names: given.value('columns')?.split(','),
      hasHeader: given.has('columns') && !given.has('noHeadings'),
      limit: given.has('limit') ? requireLimit(given.value('limit') ?? '') : Number.POSITIVE_INFINITY,
      order: given.value('order')?.split(',') ?? [],
      hidden: given.value('hide')?.split(',') ?? [],
      right: given.value('right')?.split(',') ?? [],
    }
    const shown = given.has('json') ? jsonTable(lines, rules, given.value('name') ?? 'table') : table(lines, rules)
    await io.stdout.write(shown)
    return status
  },
})

function requireLimit(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) === 0) throw new ProgramError('columns limit must be greater than zero')
  return Number(text)
}

function widthOf(text: string | undefined): number {
  if (text === 'unlimited') return Number.POSITIVE_INFINITY
  if (text === undefined) return usualWidth
  if (!/^\d+$/.test(text)) throw new ProgramError(`invalid columns argument: '${text}'`)
  return Number(text)
}

/** The width of a column with the tab that ends it. */
function cellWidth(lines: readonly string[]): number {
  const longest = lines.reduce((width, line) => Math.max(width, textWidth(line)), 0)
  return (longest + tabColumns) & ~(tabColumns - 1)
}

/** Tabs from one column of text to the next column of the list. */
function tabs(from: number, to: number): string {
  let count = 0
  for (let at = (from + tabColumns) & ~(tabColumns - 1); at <= to; at += tabColumns) count += 1
  return '\t'.repeat(count)
}

function fillColumns(lines: readonly string[], width: number): string {
  const cell = cellWidth(lines)
  if (cell >= width + tabColumns || Math.trunc(width / cell) < 1) return lines.map((line) => `${line}\n`).join('')
  const columns = Math.max(1, Math.trunc(width / cell))
  const rows = Math.ceil(lines.length / columns)
  return Array.from({ length: rows }, (_, row) => {
    const cells = lines.filter((_line, index) => index % rows === row)
    return rowOf(cells, cell)
  }).join('')
}

function fillRows(lines: readonly string[], width: number): string {
  const cell = cellWidth(lines)
  const columns = Math.max(1, Math.trunc(width / cell))
  const rows: string[] = []
  for (let start = 0; start < lines.length; start += columns)
    rows.push(rowOf(lines.slice(start, start + columns), cell))
  return rows.join('')
}

function rowOf(cells: readonly string[], cell: number): string {
  let text = ''
  let at = 0
  cells.forEach((value, index) => {
    text += value
    at += textWidth(value)
    if (index === cells.length - 1) return
    const end = (index + 1) * cell
    text += tabs(at, end)
    at = end
  })
  return `${text}\n`
}
