/** Queries of the shell's own. */
import { encodeText } from '../../../io/byte-text.js'
import { code, columnText, messageOf, sqlText } from '../engine/database.js'
import { bindText } from './parameters.js'
import type { ShellState } from './state.js'

export interface Answer {
  rows: Array<Array<string | undefined>>
  rc: number
  message: string
}

/** The first statement of `text`, with all its rows. */
export function query(state: ShellState, handle: number, text: string, values: readonly string[] = []): Answer {
  const { engine } = state
  const sql = sqlText(engine, encodeText(text))
  const rows: Answer['rows'] = []
  const { rc, statement } = sql.prepare(handle, 0)
  sql.free()
  if (rc !== code.ok) return { rows, rc, message: messageOf(engine, handle) }
  for (const [index, value] of values.entries()) bindText(state, statement, index + 1, value)
  const count = engine.call('sqlite3_column_count', statement)
  while (engine.call('sqlite3_step', statement) === code.row)
    rows.push(Array.from({ length: count }, (_, index) => columnText(engine, statement, index)))
  const ended = engine.call('sqlite3_finalize', statement)
  return { rows, rc: ended, message: ended === code.ok ? '' : messageOf(engine, handle) }
}

/** Text in SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
