/** `EXPLAIN` and `EXPLAIN QUERY PLAN`, as the shell lays them out. */
import { encodeText } from '../../../io/byte-text.js'
import { code, columnName, columnText, sqlText } from '../engine/database.js'
import type { ShellState } from './state.js'

export interface PlanRow {
  id: number
  parent: number
  text: string
}

/** As a tree. A line that begins with `-` is the title of what follows. */
export function planLines(rows: readonly PlanRow[]): string {
  let made = ''
  let group: PlanRow[] = []
  const end = () => {
    made += tree(group)
    group = []
  }
  for (const row of rows) {
    if (row.text.startsWith('-')) end()
    group.push(row)
  }
  end()
  return made
}

function tree(rows: readonly PlanRow[]): string {
  const [first, ...others] = rows
  if (first === undefined) return ''
  const hasTitle = first.text.startsWith('-')
  if (hasTitle && others.length === 0) return ''
  const all = hasTitle ? others : rows
  return `${hasTitle ? first.text.slice(3) : 'QUERY PLAN'}\n${level(all, 0, '')}`
}

const longestPrefix = 93

function level(rows: readonly PlanRow[], parent: number, prefix: string): string {
  const own = rows.filter((row) => row.parent === parent)
  return own
    .map((row, index) => {
      const isLast = index === own.length - 1
      const below = prefix.length < longestPrefix ? level(rows, row.id, `${prefix}${isLast ? '   ' : '|  '}`) : ''
      return `${prefix}${isLast ? '`--' : '|--'}${row.text}\n${below}`
    })
    .join('')
}

/** Before a statement, when `.eqp` is on. */
export async function queryPlan(state: ShellState, handle: number, source: string): Promise<void> {
  const sql = sqlText(state.engine, encodeText(`EXPLAIN QUERY PLAN ${source}`))
  const { rc, statement } = sql.prepare(handle, 0)
  const rows: PlanRow[] = []
  if (rc === code.ok)
    while (state.engine.call('sqlite3_step', statement) === code.row)
      rows.push({
        id: state.engine.call('sqlite3_column_int', statement, 0),
        parent: state.engine.call('sqlite3_column_int', statement, 1),
        text: columnText(state.engine, statement, 3) ?? '',
      })
  state.engine.call('sqlite3_finalize', statement)
  sql.free()
  await state.out.write(planLines(rows))
}

const explainColumns = ['addr', 'opcode', 'p1', 'p2', 'p3', 'p4', 'p5', 'comment']
const backwards = ['Next', 'Prev', 'VPrev', 'VNext', 'SorterNext', 'Return']
const loopStarts = ['Yield', 'SeekLT', 'SeekGT', 'RowSetRead', 'Rewind']

/** How far each instruction is indented: what a loop repeats stands further right. Undefined for what is no `EXPLAIN`. */
export function explainIndents(state: ShellState, statement: number): number[] | undefined {
  const { engine } = state
  const isExplain = explainColumns.every((name, index) => columnName(engine, statement, index) === name)
  if (!isExplain || !/^[ \t\n\f\r]*explain/i.test(engine.text('sqlite3_sql', statement) ?? '')) return undefined
  const indents: number[] = []
  const starts: boolean[] = []
  const indent = (from: number, to: number) => {
    for (let index = from; index < to; index += 1) indents[index] = (indents[index] ?? 0) + 2
  }
  for (let row = 0; engine.call('sqlite3_step', statement) === code.row; row += 1) {
    const address = engine.call('sqlite3_column_int', statement, 0)
    const instruction = columnText(engine, statement, 1) ?? ''
    const target = engine.call('sqlite3_column_int', statement, 3) + (row - address)
    starts.push(loopStarts.includes(instruction))
    indents.push(0)
    if (backwards.includes(instruction) && target > 0) indent(target, row)
    const goesBack = instruction === 'Goto' && target < indents.length
    if (goesBack && (starts[target] || engine.call('sqlite3_column_int', statement, 2) !== 0)) indent(target, row)
  }
  engine.call('sqlite3_reset', statement)
  return indents
}
