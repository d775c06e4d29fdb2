/** Commands that write data as SQL, and set the values of parameters. */
import { code } from '../engine/database.js'
import { type DotCommand, refuse } from '../shell/command.js'
import { openShellDatabase } from '../shell/connections.js'
import { execute, isComplete, run } from '../shell/execute.js'
import { nameInSql } from '../shell/names.js'
import { literal, query } from '../shell/query.js'
import { schemaLine } from '../shell/schema-text.js'
import type { Layout, ShellState } from '../shell/state.js'
import { writeHelp } from './help.js'

interface DumpRules {
  dataOnly: boolean
  withoutSystem: boolean
  keepsNewlines: boolean
  keepsRowIds: boolean
}

interface Dump {
  state: ShellState
  handle: number
  rules: DumpRules
  errors: number
  isWritable: boolean
}

const dumpOptions: Readonly<Record<string, keyof DumpRules>> = {
  'preserve-rowids': 'keepsRowIds',
  newlines: 'keepsNewlines',
  'data-only': 'dataOnly',
  nosys: 'withoutSystem',
}

async function dump(state: ShellState, words: readonly string[]): Promise<number> {
  const rules: DumpRules = { dataOnly: false, withoutSystem: false, keepsNewlines: false, keepsRowIds: false }
  const patterns: string[] = []
  for (const word of words.slice(1)) {
    if (!word.startsWith('-')) {
      patterns.push(word)
      continue
    }
    const option = dumpOptions[word.replace(/^--?/, '')]
    if (option === undefined) return refuse(state, `Unknown option "${word}" on ".dump"\n`)
    rules[option] = true
  }
  const handle = await openShellDatabase(state)
  const wanted = patterns.length === 0 ? 'true' : patterns.map(condition).join(' OR ')
  const echo = state.echo
  state.echo = false
  const { out } = state
  if (!rules.dataOnly) await out.write('PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n')
  run(state, handle, 'SAVEPOINT dump; PRAGMA writable_schema=ON')
  const dumped: Dump = { state, handle, rules, errors: 0, isWritable: false }
  const tables = query(
    state,
    handle,
    `SELECT name, type, sql FROM sqlite_schema AS o WHERE (${wanted}) AND type=='table' AND sql NOT NULL` +
      " ORDER BY tbl_name='sqlite_sequence', rowid",
  )
  for (const [name, , sql] of tables.rows) await dumpTable(dumped, name ?? '', sql ?? '')
  if (!rules.dataOnly) await dumpOthers(dumped, wanted)
  if (dumped.isWritable) await out.write('PRAGMA writable_schema=OFF;\n')
  run(state, handle, 'PRAGMA writable_schema=OFF;')
  run(state, handle, 'RELEASE dump;')
  if (!rules.dataOnly) await out.write(dumped.errors > 0 ? 'ROLLBACK; -- due to errors\n' : 'COMMIT;\n')
  state.echo = echo
  return 0
}

/** Tables that are named so, and those in which a virtual table named so keeps its data. */
function condition(pattern: string): string {
  const name = `name LIKE ${literal(pattern)} ESCAPE '\\'`
  return (
    `${name} OR EXISTS (SELECT 1 FROM sqlite_schema WHERE ${name} AND sql LIKE 'CREATE VIRTUAL TABLE%'` +
    " AND substr(o.name, 1, length(name)+1) == (name||'_'))"
  )
}

async function dumpTable(dumped: Dump, name: string, sql: string): Promise<void> {
  const { state, handle, rules } = dumped
  const { out } = state
  if (name === 'sqlite_sequence' && !rules.withoutSystem) {
    if (!rules.dataOnly) await out.write('DELETE FROM sqlite_sequence;\n')
  } else if (/^sqlite_stat.$/s.test(name) && !rules.withoutSystem) {
    if (!rules.dataOnly) await out.write('ANALYZE sqlite_schema;\n')
  } else if (name.startsWith('sqlite_')) return
  else if (!rules.dataOnly && sql.startsWith('CREATE VIRTUAL TABLE')) {
    if (!dumped.isWritable) await out.write('PRAGMA writable_schema=ON;\n')
    dumped.isWritable = true
    const values = `VALUES('table',${literal(name)},${literal(name)},0,${literal(sql)});\n`
    await out.write(`INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)${values}`)
    return
  } else if (!rules.dataOnly) await out.write(schemaLine(sql, ';\n', (text) => isComplete(state, text)))
  const columns = query(state, handle, `PRAGMA table_info=${literal(name)}`)
  if (columns.rc !== code.ok || columns.rows.length === 0) {
    dumped.errors += 1
    return
  }
  const inSql = (text: string) => nameInSql(state.engine, text)
  const names = columns.rows.map(([, column]) => column ?? '')
  const rowId = rules.keepsRowIds ? rowIdOf(dumped, name, columns.rows) : undefined
  const all = [...(rowId === undefined ? [] : [rowId]), ...names.map(inSql)]
  const table = inSql(name) + (rowId === undefined ? '' : `(${all.join(',')})`)
  const layout: Layout = { ...state.layout, mode: 'insert', showHeader: false, table }
  const select = `SELECT ${all.join(',')} FROM ${inSql(name)}`
  const { keepsNewlines } = rules
  const failed = await execute(state, select, { layout, keepsNewlines })
  if (failed === undefined) return
  if ((failed.rc & 0xff) === code.corrupt) await out.write('/****** CORRUPTION ERROR *******/\n')
  dumped.errors += 1
}

/** A name for the row number of tables where it is nothing else. */
function rowIdOf(
  { state, handle }: Dump,
  table: string,
  columns: Array<Array<string | undefined>>,
): string | undefined {
  const keys = columns.filter(([, , , , , key]) => key !== '0')
  const isInteger = keys.length === 1 && keys[0]?.[2]?.toLowerCase() === 'integer'
  if (isInteger) {
    const index = query(state, handle, `SELECT 1 FROM pragma_index_list(${literal(table)}) WHERE origin='pk'`)
    if (index.rows.length === 0) return undefined
  }
  const taken = columns.map(([, name]) => name?.toLowerCase())
  const free = ['rowid', '_rowid_', 'oid'].find((name) => !taken.includes(name))
  if (free === undefined) return undefined
  return query(state, handle, `SELECT ${free} FROM ${nameInSql(state.engine, table)} LIMIT 0`).rc === code.ok
    ? free
    : undefined
}

async function dumpOthers(dumped: Dump, wanted: string): Promise<void> {
  const { state, handle } = dumped
  const { rows, rc, message } = query(
    state,
    handle,
    `SELECT sql FROM sqlite_schema AS o WHERE (${wanted}) AND sql NOT NULL AND type IN ('index','trigger','view')`,
  )
  // A comment at the end must not swallow the semicolon.
  for (const [sql = ''] of rows) await state.out.write(`${sql}${sql.includes('--') ? '\n;\n' : ';\n'}`)
  if (rc === code.ok) return
  await state.out.write(`/**** ERROR: (${rc}) ${message} *****/\n`)
  if ((rc & 0xff) !== code.corrupt) dumped.errors += 1
}

const parameterTable =
  'CREATE TABLE IF NOT EXISTS temp.sqlite_parameters(\n  key TEXT PRIMARY KEY,\n  value\n) WITHOUT ROWID;'
const writableSchema = 1011
const defensive = 1010
const longestKey = 40

function makeParameterTable(state: ShellState, handle: number): void {
  const set = (option: number, value: number) =>
    state.engine.call('sqlite3__wasm_db_config_ip', handle, option, value, 0)
  set(defensive, 0)
  set(writableSchema, 1)
  run(state, handle, parameterTable)
  set(writableSchema, 0)
}

async function parameter(state: ShellState, words: readonly string[]): Promise<number> {
  const handle = await openShellDatabase(state)
  const [, what, key = '', value = ''] = words
  const count = words.length
  if (count === 2 && what === 'clear') run(state, handle, 'DROP TABLE IF EXISTS temp.sqlite_parameters;')
  else if (count === 2 && what === 'list') await listParameters(state, handle)
  else if (count === 2 && what === 'init') makeParameterTable(state, handle)
  else if (count === 3 && what === 'unset')
    run(state, handle, `DELETE FROM temp.sqlite_parameters WHERE key=${literal(key)}`)
  else if (count === 4 && what === 'set') {
    makeParameterTable(state, handle)
    const replace = (text: string) =>
      query(state, handle, `REPLACE INTO temp.sqlite_parameters(key,value)VALUES(${literal(key)},${text});`)
    // What is no value of SQL is text.
    if (replace(value).rc === code.error) {
      const { rc, message } = replace(literal(value))
      if (rc !== code.ok) {
        await state.out.write(`Error: ${message}\n`)
        return 1
      }
    }
  } else await writeHelp(state, 'parameter')
  return 0
}

async function listParameters(state: ShellState, handle: number): Promise<void> {
  const longest = query(state, handle, 'SELECT max(length(key)) FROM temp.sqlite_parameters;')
  const width = Math.min(longestKey, Number(longest.rows[0]?.[0] ?? 0))
  if (width === 0) return
  const { rows } = query(state, handle, 'SELECT key, quote(value) FROM temp.sqlite_parameters;')
  for (const [key = '', value = ''] of rows) await state.out.write(`${key.padEnd(width)} ${value}\n`)
}

export const dataCommands: readonly DotCommand[] = [
  { name: 'dump', run: dump },
  { name: 'parameter', shortest: 3, run: parameter },
]
