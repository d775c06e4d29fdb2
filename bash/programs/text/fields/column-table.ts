/** Tables of `column -t`. */
import { ProgramError } from '../../program-error.js'
import { textWidth } from '../common/char-width.js'

export interface TableRules {
  /** Characters that each end a field; without it fields are between runs of blanks. */
  separators: string | undefined
  outputSeparator: string
  names: readonly string[] | undefined
  hasHeader: boolean
  /** The last field has the rest of the line. */
  limit: number
  /** Columns by number or name. */
  order: readonly string[]
  hidden: readonly string[]
  right: readonly string[]
}

interface Columns {
  rows: string[][]
  /** The indexes of the columns to show, in order. */
  shown: number[]
}

export function table(lines: readonly string[], rules: TableRules): string {
  const { rows, shown } = columnsOf(lines, rules)
  if (rows.length === 0) return ''
  const right = new Set(rules.right.flatMap((name) => (name === '0' ? shown : [indexOf(name, rules)])))
  const named = [[...(rules.names ?? [])], ...rows]
  const all = rules.hasHeader ? named : rows
  const widths = shown.map((index) => named.reduce((width, row) => Math.max(width, textWidth(row[index] ?? '')), 0))
  return all
    .map((row) => {
      const cells = shown.map((index, position) => {
        const text = row[index] ?? ''
        const padding = ' '.repeat((widths[position] as number) - textWidth(text))
        const isLast = position === shown.length - 1
        if (right.has(index)) return isLast && text === '' ? '' : padding + text
        return isLast ? text : text + padding
      })
      return `${cells.join(rules.outputSeparator)}\n`
    })
    .join('')
}

export function jsonTable(lines: readonly string[], rules: TableRules, name: string): string {
  const { rows, shown } = columnsOf(lines, rules)
  const items = rows.map((row) => {
    const fields = shown.map((index) => {
      const key = (rules.names?.[index] ?? '').toLowerCase()
      return `         ${JSON.stringify(key)}: ${row[index] === undefined ? 'null' : JSON.stringify(row[index])}`
    })
    return `{\n${fields.join(',\n')}\n      }`
  })
  return `{\n   ${JSON.stringify(name)}: [\n      ${items.join(',')}\n   ]\n}\n`
}

function columnsOf(lines: readonly string[], rules: TableRules): Columns {
  const rows = lines.map((line) => fieldsOf(line, rules))
  const count = rows.reduce((most, row) => Math.max(most, row.length), rules.names?.length ?? 0)
  const first = rules.order.map((name) => indexOf(name, rules)).filter((index) => index < count)
  const rest = Array.from({ length: count }, (_, index) => index).filter((index) => !first.includes(index))
  const hidden = new Set(rules.hidden.map((name) => indexOf(name, rules)))
  return { rows, shown: [...first, ...rest].filter((index) => !hidden.has(index)) }
}

function indexOf(name: string, { names }: TableRules): number {
  const named = names?.indexOf(name) ?? -1
  if (named !== -1) return named
  if (/^\d+$/.test(name)) return Number(name) - 1
  throw new ProgramError(`undefined column name '${name}'`)
}

function fieldsOf(line: string, { separators, limit }: TableRules): string[] {
  const fields: string[] = []
  let at = 0
  const isEnd = (character: string | undefined) =>
    separators === undefined
      ? character === ' ' || character === '\t'
      : character !== undefined && separators.includes(character)
  const skip = () => {
    if (separators === undefined) while (isEnd(line[at])) at += 1
  }
  skip()
  while (at < line.length || (separators !== undefined && at === line.length && at > 0 && isEnd(line[at - 1]))) {
    if (fields.length === limit - 1) {
      fields.push(line.slice(at))
      return fields
    }
    const start = at
    while (at < line.length && !isEnd(line[at])) at += 1
    fields.push(line.slice(start, at))
    if (at === line.length) break
    at += 1
    if (fields.length < limit - 1) skip()
    if (at === line.length && separators === undefined) break
  }
  return fields
}
