/** Pages and columns for printing. */
import { minuteText } from '../../../../src/text/calendar.js'
import { decodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { forEachInput, orStdin } from '../common/inputs.js'

const options = {
  columns: { names: ['--columns'], value: 'required' },
  across: { names: ['-a', '--across'] },
  doubleSpace: { names: ['-d', '--double-space'] },
  header: { names: ['-h', '--header'], value: 'required' },
  length: { names: ['-l', '--length'], value: 'required' },
  merge: { names: ['-m', '--merge'] },
  number: { names: ['-n', '--number-lines'], value: 'optional' },
  margin: { names: ['-o', '--indent'], value: 'required' },
  noWarnings: { names: ['-r', '--no-file-warnings'] },
  separator: { names: ['-s', '--separator'], value: 'optional' },
  noHeader: { names: ['-t', '--omit-header'] },
  noPages: { names: ['-T', '--omit-pagination'] },
  width: { names: ['-w', '--width'], value: 'required' },
  pageWidth: { names: ['-W', '--page-width'], value: 'required' },
} as const

type Given = ParsedArguments<typeof options>

interface Rules {
  columns: number
  isAcross: boolean
  isMerge: boolean
  isDouble: boolean
  hasHeader: boolean
  header: string | undefined
  pageLines: number
  width: number
  /** The width to cut lines at. */
  cellWidth: number | undefined
  /** Columns are separated by this; without it they are padded. */
  separator: string | undefined
  margin: number
  /** The last line has no line feed: no empty line follows it. */
  endsOpen?: boolean
  number: { separator: string; digits: number } | undefined
}

const usualWidth = 72
const usualLength = 66
const headerLines = 5
const tabColumns = 8

export const pr = defineProgram({
  name: 'pr',
  usage: '[OPTION]... [FILE]...',
  options,
  unsupported: [
    '-c',
    '--show-control-chars',
    '-D',
    '--date-format',
    '-e',
    '--expand-tabs',
    '-F',
    '-f',
    '--form-feed',
    '-i',
    '--output-tabs',
    '-J',
    '--join-lines',
    '-N',
    '--first-line-number',
    '-S',
    '--sep-string',
    '-v',
    '--show-nonprinting',
    '--pages',
  ],
  rewrite: rewriteHistoric,
  async run(io, given) {
    const rules = rulesOf(given)
    const names = orStdin(given.operands)
    if (rules.isMerge) return printMerged(io, names, { ...rules, ...cells(given, names.length) })
    return forEachInput(io, names, async ({ name, reader }) => {
      const bytes = await readAll(reader)
      io.account(bytes.length * 2)
      const text = decodeText(bytes)
      await print(io, rowsOf(linesOf(text), rules), { ...rules, endsOpen: !text.endsWith('\n') }, name)
      io.account(-bytes.length * 2)
    })
  },
})

/** `-3` is `--columns=3`; it may be followed by other letters. */
function rewriteHistoric(args: readonly string[]): readonly string[] {
  return args.flatMap((arg) => {
    if (/^\+\d/.test(arg)) throw new ProgramError(`option '${arg}' is not supported by this shell`, 2)
    const [, digits, letters] = /^-(\d+)(.*)$/.exec(arg) ?? []
    if (digits === undefined) return [arg]
    return [`--columns=${digits}`, ...(letters === '' ? [] : [`-${letters}`])]
  })
}

function requirePositive(text: string | undefined, usual: number, what: string, least = 1): number {
  if (text === undefined) return usual
  if (!/^\d+$/.test(text) || Number(text) < least) throw new ProgramError(`${what}: ${quoted(text)}`)
  return Number(text)
}

function rulesOf(given: Given): Rules {
  const columns = requirePositive(given.value('columns'), 1, 'invalid number of columns')
  const length = requirePositive(given.value('length'), usualLength, "'-l PAGE_LENGTH' invalid number of lines")
  const hasHeader = !given.has('noHeader') && !given.has('noPages') && length > 2 * headerLines
  const isMerge = given.has('merge')
  if (isMerge && given.has('columns'))
    throw new ProgramError('cannot specify number of columns when printing in parallel')
  if (isMerge && given.has('across'))
    throw new ProgramError('cannot specify both printing across and printing in parallel')
  if (given.has('number') && (columns > 1 || isMerge)) {
    throw new ProgramError("option '-n' with columns is not supported by this shell", 2)
  }
  const body = hasHeader ? length - 2 * headerLines : length
  return {
    columns,
    isAcross: given.has('across'),
    isMerge,
    isDouble: given.has('doubleSpace'),
    hasHeader,
    header: given.value('header'),
    pageLines: given.has('doubleSpace') ? Math.max(1, Math.floor(body / 2)) : body,
    margin: requirePositive(given.value('margin'), 0, "'-o MARGIN' invalid line offset", 0),
    number: numberRules(given),
    ...cells(given, columns),
  }
}

function cells(given: Given, columns: number): Pick<Rules, 'width' | 'cellWidth' | 'separator'> {
  const pageWidth = given.value('pageWidth')
  const width = requirePositive(
    pageWidth ?? given.value('width'),
    usualWidth,
    "'-w PAGE_WIDTH' invalid number of characters",
  )
  const separator = given.has('separator') ? (given.value('separator') ?? '\t') : undefined
  if (separator !== undefined && [...separator].length > 1) {
    throw new ProgramError('a separator of several characters is not supported by this shell', 2)
  }
  const isCut = pageWidth !== undefined || (columns > 1 && (separator === undefined || given.has('width')))
  const cell = Math.floor((width - (columns - 1)) / columns)
  if (isCut && cell < 1) throw new ProgramError('page width too narrow')
  return { width, cellWidth: isCut ? cell : undefined, separator }
}

function numberRules(given: Given): Rules['number'] {
  if (!given.has('number')) return undefined
  const [, mark = '', digits = ''] = /^(\D?)(\d*)$/s.exec(given.value('number') ?? '') ?? []
  return { separator: mark === '' ? '\t' : mark, digits: digits === '' ? 5 : Number(digits) }
}

function linesOf(text: string): string[] {
  if (text.includes('\f')) throw new ProgramError('form feeds are not supported by this shell', 2)
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The rows of all pages; columns are filled page by page. */
function rowsOf(lines: readonly string[], { columns, isAcross, pageLines }: Rules): string[][] {
  if (columns === 1) return lines.map((line) => [line])
  const rows: string[][] = []
  if (isAcross) {
    for (let start = 0; start < lines.length; start += columns) rows.push(lines.slice(start, start + columns))
    return rows
  }
  for (let start = 0; start < lines.length; start += pageLines * columns) {
    rows.push(...downRows(lines.slice(start, start + pageLines * columns), columns))
  }
  return rows
}

/** As even as possible: the first columns have a line more. */
function downRows(lines: readonly string[], columns: number): string[][] {
  const least = Math.floor(lines.length / columns)
  const longer = lines.length % columns
  const height = least + (longer > 0 ? 1 : 0)
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: columns }, (_column, column) => {
      const size = column < longer ? least + 1 : least
      return row < size ? lines[column * least + Math.min(column, longer) + row] : undefined
    }).filter((cell) => cell !== undefined),
  )
}

async function printMerged(io: ProgramIo, names: readonly string[], rules: Rules): Promise<number> {
  const files: string[][] = []
  const status = await forEachInput(io, names, async ({ reader }) => {
    const bytes = await readAll(reader)
    io.account(bytes.length * 2)
    files.push(linesOf(decodeText(bytes)))
  })
  const height = files.reduce((most, lines) => Math.max(most, lines.length), 0)
  const rows = Array.from({ length: height }, (_, row) => files.map((lines) => lines[row] ?? ''))
  await print(io, rows, rules, '')
  return status
}

async function print(io: ProgramIo, rows: readonly string[][], rules: Rules, name: string): Promise<void> {
  const date = rules.hasHeader ? await dateOf(io, name) : ''
  let page = 0
  for (let start = 0; start < rows.length; start += rules.pageLines) {
    page += 1
    const shown = rows.slice(start, start + rules.pageLines)
    const whole = shown.map((row, index) => lineOf(row, start + index + 1, rules)).join('')
    const isOpen = rules.isDouble && rules.endsOpen && start + shown.length === rows.length
    const text = isOpen ? whole.slice(0, -1) : whole
    if (!rules.hasHeader) {
      await io.stdout.write(text)
      continue
    }
    const used = shown.length * (rules.isDouble ? 2 : 1)
    const body = rules.pageLines * (rules.isDouble ? 2 : 1)
    const title = rules.header ?? (name === '-' ? '' : name)
    await io.stdout.write(`\n\n${headerLine(date, title, `Page ${page}`, rules)}\n\n\n`)
    await io.stdout.write(text + '\n'.repeat(Math.max(0, body - used) + headerLines))
  }
}

async function dateOf(io: ProgramIo, name: string): Promise<string> {
  const found = name === '-' || name === '' ? undefined : await io.fs.stat(name)
  return minuteText(found?.modifiedMs ?? io.now())
}

function headerLine(date: string, title: string, page: string, { width, margin }: Rules): string {
  const free = Math.max(2, width - date.length - title.length - page.length)
  const left = Math.floor(free / 2)
  return `${' '.repeat(margin)}${date}${' '.repeat(left)}${title}${' '.repeat(free - left)}${page}`
}

function lineOf(row: readonly string[], number: number, rules: Rules): string {
  let text = ''
  let column = 0
  const add = (piece: string) => {
    text += piece
    for (const character of piece) column = character === '\t' ? nextTab(column) : column + 1
  }
  add(' '.repeat(rules.margin))
  if (rules.number !== undefined) {
    add(String(number).padStart(rules.number.digits).slice(-rules.number.digits))
    add(rules.number.separator)
  }
  row.forEach((cell, index) => {
    if (index > 0 && rules.separator !== undefined) add(rules.separator)
    else if (index > 0) add(padding(column, rules.margin + index * ((rules.cellWidth ?? 0) + 1)))
    add(rules.cellWidth === undefined ? cell : [...expanded(cell)].slice(0, rules.cellWidth).join(''))
  })
  const end = rules.isDouble ? '\n\n' : '\n'
  return text + end
}

function expanded(cell: string): string {
  let text = ''
  for (const character of cell) text += character === '\t' ? ' '.repeat(nextTab(text.length) - text.length) : character
  return text
}

function nextTab(column: number): number {
  return (Math.floor(column / tabColumns) + 1) * tabColumns
}

/** Tabs as far as they reach, then spaces. */
function padding(from: number, to: number): string {
  let column = from
  let text = ''
  while (to - column > 1 && nextTab(column) <= to) {
    text += '\t'
    column = nextTab(column)
  }
  return text + ' '.repeat(Math.max(0, to - column))
}
