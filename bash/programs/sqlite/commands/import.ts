/** `.import`: rows of a file into a table. */
import { isFsError } from '../../../../src/errors.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'
import { readAll } from '../../../io/streams.js'
import { code, messageOf, openFlag, sqlText } from '../engine/database.js'
import { type DotCommand, refuse } from '../shell/command.js'
import { closeHandle, openDatabase, openShellDatabase, saveFiles } from '../shell/connections.js'
import { run } from '../shell/execute.js'
import { bindText } from '../shell/parameters.js'
import { query } from '../shell/query.js'
import { cString, integerOf, quotedName } from '../shell/quoting.js'
import { outputOf } from '../shell/sink.js'
import { type ShellState, say } from '../shell/state.js'
import { automaticColumns } from './automatic-columns.js'
import { writeHelp } from './help.js'
import { type FieldReader, readFields } from './import-fields.js'

interface ImportRules {
  file: string
  table: string
  schema: string | undefined
  columnSeparator: string
  rowSeparator: string
  isAscii: boolean
  verbose: number
  skip: number
  usesMode: boolean
}

async function importFile(state: ShellState, words: readonly string[]): Promise<number> {
  const rules = await rulesOf(state, words)
  if (typeof rules === 'number') return rules
  const bytes = await contentOf(state, rules.file)
  if (bytes === undefined) return refuse(state, `Error: cannot open "${rules.file}"\n`)
  const shown = rules.file.startsWith('|') ? '<pipe>' : rules.file
  if (rules.verbose >= 2 || (rules.verbose >= 1 && rules.usesMode))
    await state.out.write(
      `Column separator ${cString(rules.columnSeparator)}, row separator ${cString(rules.rowSeparator)}\n`,
    )
  const fields = readFields(bytes, {
    name: shown,
    separator: rules.columnSeparator.charCodeAt(0),
    rowSeparator: rules.rowSeparator.charCodeAt(0),
    isAscii: rules.isAscii,
  })
  for (let left = rules.skip; left > 0; left -= 1) while (fields.next() !== undefined && fields.hasMore) {}
  const status = await importRows(state, rules, fields, shown)
  await writeFaults(state, fields)
  return status
}

async function writeFaults(state: ShellState, fields: FieldReader): Promise<void> {
  for (const fault of fields.faults.splice(0)) await say(state, `${fault}\n`)
}

async function rulesOf(state: ShellState, words: readonly string[]): Promise<ImportRules | number> {
  const rules: ImportRules = {
    file: '',
    table: '',
    schema: undefined,
    columnSeparator: '',
    rowSeparator: '',
    isAscii: state.layout.mode === 'ascii',
    verbose: 0,
    skip: 0,
    usesMode: true,
  }
  const names: string[] = []
  const wrong = async (message: string) => {
    await state.out.write(`ERROR: ${message}\n`)
    await writeHelp(state, 'import')
    return 1
  }
  for (let at = 1; at < words.length; at += 1) {
    const word = (words[at] as string).replace(/^--/, '-')
    const hasNext = at + 1 < words.length
    if (!word.startsWith('-')) {
      if (names.length === 2) return wrong(`extra argument: "${word}".  Usage:`)
      names.push(word)
    } else if (word === '-v') rules.verbose += 1
    else if (word === '-schema' && hasNext) {
      at += 1
      rules.schema = words[at] as string
    } else if (word === '-skip' && hasNext) {
      at += 1
      rules.skip = integerOf(words[at] as string)
    } else if (word === '-ascii') {
      Object.assign(rules, { columnSeparator: '\x1f', rowSeparator: '\x1e', isAscii: true, usesMode: false })
    } else if (word === '-csv') {
      Object.assign(rules, { columnSeparator: ',', rowSeparator: '\n', isAscii: false, usesMode: false })
    } else return wrong(`unknown option: "${word}".  Usage:`)
  }
  const [file, table] = names
  if (file === undefined || table === undefined)
    return wrong(`missing ${file === undefined ? 'FILE' : 'TABLE'} argument. Usage:`)
  await openShellDatabase(state)
  if (rules.usesMode) {
    const fault = separatorsOfMode(state, rules)
    if (fault !== undefined) return refuse(state, `Error: ${fault} for import\n`)
  }
  return { ...rules, file, table }
}

function separatorsOfMode({ layout }: ShellState, rules: ImportRules): string | undefined {
  // The end of a row that is written is not the one that is read.
  if (layout.mode === 'csv' && layout.rowSeparator === '\r\n') layout.rowSeparator = '\n'
  for (const [kind, separator] of [
    ['column', layout.columnSeparator],
    ['row', layout.rowSeparator],
  ] as const) {
    const length = encodeText(separator).length
    if (length === 0) return `non-null ${kind} separator required`
    if (length > 1) return `multi-character ${kind} separators not allowed`
  }
  rules.columnSeparator = layout.columnSeparator
  rules.rowSeparator = layout.rowSeparator
  return undefined
}

async function contentOf(state: ShellState, file: string): Promise<Uint8Array | undefined> {
  const { io } = state
  if (file.startsWith('|')) {
    await state.out.flush()
    await saveFiles(state)
    return outputOf(io, file.slice(1))
  }
  try {
    const path = io.path(file)
    const reader = path === '/dev/stdin' ? io.stdin : await io.fs.openRead(path)
    const bytes = await readAll(reader)
    io.account(bytes.length)
    return bytes
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  }
}

async function importRows(state: ShellState, rules: ImportRules, fields: FieldReader, file: string): Promise<number> {
  const { engine } = state
  const handle = await openShellDatabase(state)
  const table = (rules.schema === undefined ? '' : `${quotedName(rules.schema)}.`) + quotedName(rules.table)
  const columns = () => columnsOf(state, handle, table)
  let count = columns()
  if (typeof count === 'string' && /^no such table: /.test(count)) {
    const status = await createTable(state, handle, rules, table, fields, file)
    if (status !== 0) return status
    count = columns()
  }
  if (typeof count === 'string') return refuse(state, `Error: ${count}\n`)
  const insert = `INSERT INTO ${table} VALUES(${Array.from({ length: count }, () => '?').join(',')})`
  if (rules.verbose >= 2) await state.out.write(`Insert using: ${insert}\n`)
  const sql = sqlText(engine, encodeText(insert))
  const { rc, statement } = sql.prepare(handle, 0)
  sql.free()
  if (rc !== code.ok) return refuse(state, `Error: ${messageOf(engine, handle)}\n`)
  const commits = engine.call('sqlite3_get_autocommit', handle) !== 0
  if (commits) run(state, handle, 'BEGIN')
  const done = await insertRows(state, {
    handle,
    statement,
    count,
    fields,
    file,
    isAscii: state.layout.mode === 'ascii',
  })
  engine.call('sqlite3_finalize', statement)
  if (commits) run(state, handle, 'COMMIT')
  if (rules.verbose > 0)
    await state.out.write(
      `Added ${done.rows} rows with ${done.errors} errors using ${fields.line - 1} lines of input\n`,
    )
  return 0
}

function columnsOf(state: ShellState, handle: number, table: string): number | string {
  const { engine } = state
  const sql = sqlText(engine, encodeText(`SELECT * FROM ${table}`))
  const { rc, statement } = sql.prepare(handle, 0)
  sql.free()
  if (rc !== code.ok) return messageOf(engine, handle)
  const count = engine.call('sqlite3_column_count', statement)
  engine.call('sqlite3_finalize', statement)
  return count
}

/** With a column for each field of the first row. */
async function createTable(
  state: ShellState,
  handle: number,
  rules: ImportRules,
  table: string,
  fields: FieldReader,
  file: string,
): Promise<number> {
  const names: string[] = []
  for (let field = fields.next(); field !== undefined; field = fields.next()) {
    names.push(decodeText(field))
    if (!fields.hasMore) break
  }
  if (names.length === 0) return refuse(state, `${file}: empty file\n`)
  const own = await openDatabase(state, ':memory:', openFlag.readWrite | openFlag.create)
  const { definition, renamed } = automaticColumns(state, own.handle, names)
  closeHandle(state, own.handle)
  if (renamed !== undefined) await say(state, `Columns renamed during .import ${file} due to duplicates:\n${renamed}\n`)
  const create = `CREATE TABLE ${table}${definition}\n`
  if (rules.verbose >= 1) await state.out.write(`${create}\n`)
  const { rc, message } = query(state, handle, create)
  return rc === code.ok ? 0 : refuse(state, `${create} failed:\n${message}\n`)
}

interface Insertion {
  handle: number
  statement: number
  count: number
  fields: FieldReader
  file: string
  isAscii: boolean
}

async function insertRows(state: ShellState, given: Insertion): Promise<{ rows: number; errors: number }> {
  const { engine } = state
  const { handle, statement, count, fields, file } = given
  let rows = 0
  let errors = 0
  do {
    const start = fields.line
    let found = 0
    for (; found < count; found += 1) {
      const field = fields.next()
      await writeFaults(state, fields)
      if (found === 0 && (field === undefined || (given.isAscii && field.length === 0))) break
      if (field === undefined) engine.call('sqlite3_bind_null', statement, found + 1)
      else bindText(state, statement, found + 1, untilNul(field))
      if (found < count - 1 && !fields.hasMore) {
        await say(
          state,
          `${file}:${start}: expected ${count} columns but found ${found + 1} - filling the rest with NULL\n`,
        )
        for (found += 2; found <= count; found += 1) engine.call('sqlite3_bind_null', statement, found)
      }
    }
    if (fields.hasMore) {
      for (; fields.hasMore; found += 1) fields.next()
      await writeFaults(state, fields)
      await say(state, `${file}:${start}: expected ${count} columns but found ${found} - extras ignored\n`)
    }
    if (found >= count) {
      engine.call('sqlite3_step', statement)
      if (engine.call('sqlite3_reset', statement) === code.ok) rows += 1
      else {
        await say(state, `${file}:${start}: INSERT failed: ${messageOf(engine, handle)}\n`)
        errors += 1
      }
    }
    state.io.step()
  } while (!fields.isAtEnd)
  return { rows, errors }
}

function untilNul(field: Uint8Array): Uint8Array {
  const end = field.indexOf(0)
  return end < 0 ? field : field.subarray(0, end)
}

export const importCommands: readonly DotCommand[] = [{ name: 'import', run: importFile }]
