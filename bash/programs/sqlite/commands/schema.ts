/** Commands that show what is in a database. */
import { type DotCommand, isOption, refuse } from '../shell/command.js'
import { openShellDatabase } from '../shell/connections.js'
import { execute, isComplete } from '../shell/execute.js'
import { nameInSql } from '../shell/names.js'
import { literal, query } from '../shell/query.js'
import { byteLength, quotedName } from '../shell/quoting.js'
import { rowWriter } from '../shell/rows.js'
import type { Layout, Mode, ShellState } from '../shell/state.js'

const schemaTables = ['sqlite_master', 'sqlite_schema', 'sqlite_temp_master', 'sqlite_temp_schema']
const lineWidth = 80
const space = 2

function layoutOf(state: ShellState, mode: Mode): Layout {
  return { ...state.layout, mode, showHeader: false }
}

async function schema(state: ShellState, words: readonly string[]): Promise<number> {
  const handle = await openShellDatabase(state)
  let layout = layoutOf(state, 'semi')
  let name: string | undefined
  let withoutSystem = false
  let isShown = false
  for (const word of words.slice(1)) {
    if (isOption(word, 'indent')) layout = layoutOf(state, 'pretty')
    else if (isOption(word, 'debug')) isShown = true
    else if (isOption(word, 'nosys')) withoutSystem = true
    else if (word.startsWith('-')) return refuse(state, `Unknown option: "${word}"\n`)
    else if (name !== undefined) return refuse(state, 'Usage: .schema ?--indent? ?--nosys? ?LIKE-PATTERN?\n')
    else name = word
  }
  if (name !== undefined && isSchemaTable(state, handle, name)) await writeSchemaTable(state, layout, name)
  const databases = query(state, handle, 'SELECT name FROM pragma_database_list')
  if (databases.rc !== 0) return refuse(state, `Error: ${databases.message}\n`)
  const sql = schemaQuery(
    state,
    databases.rows.map(([database]) => database ?? ''),
    name,
    withoutSystem,
  )
  if (isShown) {
    await state.out.write(`SQL: ${sql};\n`)
    return 0
  }
  const failed = await execute(state, sql, { layout })
  return failed === undefined ? 0 : refuse(state, `Error: ${failed.message.replace(/ \(\d+\)[\s\S]*$/, '')}\n`)
}

function isSchemaTable(state: ShellState, handle: number, pattern: string): boolean {
  const tests = schemaTables.map((table) => `'${table}' LIKE ?1 ESCAPE '\\'`)
  return query(state, handle, `SELECT ${tests.join(' OR ')}`, [pattern]).rows[0]?.[0] === '1'
}

async function writeSchemaTable(state: ShellState, layout: Layout, name: string): Promise<void> {
  const columns = ['type text', 'name text', 'tbl_name text', 'rootpage integer', 'sql text']
  const text = `CREATE TABLE ${name} (\n${columns.map((column) => `  ${column}`).join(',\n')}\n)`
  const writer = rowWriter({
    layout,
    mode: layout.mode,
    names: ['sql'],
    indents: [],
    keepsNewlines: false,
    needsQuotes: () => false,
    isComplete: (sql) => isComplete(state, sql),
  })
  await state.out.write(writer.row([{ text, type: 3 }]))
}

function schemaQuery(
  state: ShellState,
  databases: readonly string[],
  name: string | undefined,
  withoutSystem: boolean,
): string {
  const parts = databases.map((database, index) => {
    const own = database.toLowerCase() === 'main' ? 'NULL' : literal(database)
    return (
      `SELECT shell_add_schema(sql,${own},name) AS sql, type, tbl_name, name, rowid,${index + 1}` +
      ` AS snum, ${literal(database)} AS sname FROM ${nameInSql(state.engine, database)}.sqlite_schema`
    )
  })
  if (name !== undefined)
    parts.push("SELECT shell_module_schema(name), 'table', name, name, name, 9e+99, 'main' FROM pragma_module_list")
  const conditions: string[] = []
  if (name !== undefined) {
    const isGlob = /[*?[]/.test(name)
    const subject = name.includes('.') ? "lower(printf('%s.%s',sname,tbl_name))" : 'lower(tbl_name)'
    conditions.push(`${subject} ${isGlob ? 'GLOB' : 'LIKE'} ${literal(name)}${isGlob ? '' : " ESCAPE '\\' "}`)
  }
  if (withoutSystem) conditions.push("name NOT LIKE 'sqlite_%'")
  conditions.push('sql IS NOT NULL')
  return `SELECT sql FROM(${parts.join(' UNION ALL ')}) WHERE ${conditions.join(' AND ')} ORDER BY snum, rowid`
}

async function list(state: ShellState, words: readonly string[], isTables: boolean): Promise<number> {
  const handle = await openShellDatabase(state)
  const databases = query(state, handle, 'PRAGMA database_list')
  if (databases.rc !== 0) return refuse(state, `Error: ${databases.message}\n`)
  if (!isTables && words.length > 2) return refuse(state, 'Usage: .indexes ?LIKE-PATTERN?\n')
  const condition = isTables
    ? "type IN ('table','view') AND name NOT LIKE 'sqlite_%' AND name LIKE ?1"
    : "type='index' AND tbl_name LIKE ?1"
  const parts = databases.rows.map(([, database = '']) => {
    const name = database.toLowerCase() === 'main' ? 'name' : `${literal(database)}||'.'||name`
    return `SELECT ${name} FROM ${quotedName(database)}.sqlite_schema WHERE ${condition}`
  })
  const { rows, rc, message } = query(state, handle, `${parts.join(' UNION ALL ')} ORDER BY 1`, [words[1] ?? '%'])
  if (rc !== 0) return refuse(state, `Error: ${message}\n`)
  await state.out.write(inColumns(rows.map(([name]) => name ?? '')))
  return 0
}

function inColumns(names: readonly string[]): string {
  if (names.length === 0) return ''
  const width = Math.max(...names.map(byteLength))
  const columns = Math.max(1, Math.floor(lineWidth / (width + space)))
  const lines = Math.ceil(names.length / columns)
  let made = ''
  for (let line = 0; line < lines; line += 1) {
    const own = names.filter((_, index) => index % lines === line)
    made += `${own.map((name) => name + ' '.repeat(width - byteLength(name))).join('  ')}\n`
  }
  return made
}

async function fullSchema(state: ShellState, words: readonly string[]): Promise<number> {
  const isIndented = words.length === 2 && isOption(words[1] as string, 'indent')
  if (words.length > 1 && !isIndented) return refuse(state, 'Usage: .fullschema ?--indent?\n')
  const handle = await openShellDatabase(state)
  await execute(
    state,
    'SELECT sql FROM (SELECT sql sql, type type, tbl_name tbl_name, name name, rowid x FROM sqlite_schema' +
      ' UNION ALL SELECT sql, type, tbl_name, name, rowid FROM sqlite_temp_schema)' +
      " WHERE type!='meta' AND sql NOTNULL AND name NOT LIKE 'sqlite_%' ORDER BY x",
    { layout: layoutOf(state, isIndented ? 'pretty' : 'semi') },
  )
  const statistics = query(state, handle, "SELECT rowid FROM sqlite_schema WHERE name GLOB 'sqlite_stat[134]'")
  if (statistics.rows.length === 0) {
    await state.out.write('/* No STAT tables available */\n')
    return 0
  }
  await state.out.write('ANALYZE sqlite_schema;\n')
  for (const table of ['sqlite_stat1', 'sqlite_stat4'])
    await execute(state, `SELECT * FROM ${table}`, { layout: { ...layoutOf(state, 'insert'), table } })
  await state.out.write('ANALYZE sqlite_schema;\n')
  return 0
}

const transactionStates = ['', ' read-txn', ' write-txn']

async function databases(state: ShellState): Promise<number> {
  const { engine } = state
  const handle = await openShellDatabase(state)
  const found = query(state, handle, 'PRAGMA database_list')
  if (found.rc !== 0) return refuse(state, `Error: ${found.message}\n`)
  for (const [, name = '', file = ''] of found.rows) {
    const ask = (what: string) => engine.withText(name, (at) => engine.call(what, handle, at))
    const rights = ask('sqlite3_db_readonly') === 0 ? 'r/w' : 'r/o'
    const transaction = transactionStates[ask('sqlite3_txn_state')] ?? ''
    await state.out.write(`${name}: ${file === '' ? '""' : file} ${rights}${transaction}\n`)
  }
  return 0
}

export const schemaCommands: readonly DotCommand[] = [
  { name: 'schema', run: schema },
  { name: 'fullschema', run: fullSchema },
  { name: 'tables', shortest: 2, run: (state, words) => list(state, words, true) },
  { name: 'indexes', run: (state, words) => list(state, words, false) },
  { name: 'indices', run: (state, words) => list(state, words, false) },
  { name: 'databases', shortest: 2, run: databases },
]
