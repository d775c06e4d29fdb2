/** Values for the parameters of statements, from the table that `.parameter` fills. */

import { encodeText } from '../../../io/byte-text.js'
import { code, columnBytes, columnDouble, columnText, sqlText, type } from '../engine/database.js'
import type { ShellState } from './state.js'

export function bindParameters(state: ShellState, handle: number, statement: number): void {
  const { engine } = state
  const count = engine.call('sqlite3_bind_parameter_count', statement)
  if (count === 0 || !hasTable(state, handle)) return
  const sql = sqlText(engine, encodeText('SELECT value FROM temp.sqlite_parameters WHERE key=?1'))
  const { rc, statement: query } = sql.prepare(handle, 0)
  if (rc === code.ok)
    for (let index = 1; index <= count; index += 1) {
      const name = engine.text('sqlite3_bind_parameter_name', statement, index) ?? `?${index}`
      bindText(state, query, 1, name)
      if (engine.call('sqlite3_step', query) === code.row) bindColumn(state, statement, index, query)
      else engine.call('sqlite3_bind_null', statement, index)
      engine.call('sqlite3_reset', query)
    }
  engine.call('sqlite3_finalize', query)
  sql.free()
}

function hasTable(state: ShellState, handle: number): boolean {
  const { engine } = state
  return engine.withText('temp', (schema) =>
    engine.withText('sqlite_parameters', (table) =>
      engine.withText(
        'key',
        (column) =>
          engine.call('sqlite3_table_column_metadata', handle, schema, table, column, 0, 0, 0, 0, 0) === code.ok,
      ),
    ),
  )
}

const transient = -1

export function bindText(state: ShellState, statement: number, index: number, text: string | Uint8Array): number {
  const bytes = typeof text === 'string' ? encodeText(text) : text
  return state.engine.withBytes(bytes, (at) =>
    state.engine.call('sqlite3_bind_text', statement, index, at, bytes.length, transient),
  )
}

/** The first column of `from`. */
function bindColumn(state: ShellState, statement: number, index: number, from: number): void {
  const { engine } = state
  const kind = engine.call('sqlite3_column_type', from, 0)
  if (kind === type.integer)
    engine.call('sqlite3_bind_int64', statement, index, engine.callLong('sqlite3_column_int64', from, 0))
  else if (kind === type.real) engine.call('sqlite3_bind_double', statement, index, columnDouble(engine, from, 0))
  else if (kind === type.text) bindText(state, statement, index, columnText(engine, from, 0) ?? '')
  else if (kind === type.null) engine.call('sqlite3_bind_null', statement, index)
  else {
    const bytes = columnBytes(engine, from, 0)
    engine.withBytes(bytes, (at) => engine.call('sqlite3_bind_blob', statement, index, at, bytes.length, transient))
  }
}
