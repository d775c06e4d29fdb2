/** Commands that open databases and copy them. */
import { code, messageOf, openFlag } from '../engine/database.js'
import { type DotCommand, isOption, refuse } from '../shell/command.js'
import { closeHandle, openDatabase, openShellDatabase, pathOfDatabase, saveFiles } from '../shell/connections.js'
import { execute, run } from '../shell/execute.js'
import { literal, query } from '../shell/query.js'
import { quotedName } from '../shell/quoting.js'
import type { ShellState } from '../shell/state.js'

const pagesAtOnce = 100
const readWrite = openFlag.readWrite | openFlag.create | openFlag.uri
const unsupportedOpen = ['append', 'zip', 'deserialize', 'hexdb', 'maxsize']

async function open(state: ShellState, words: readonly string[]): Promise<number> {
  let name: string | undefined
  let isNew = false
  state.openMode = 'normal'
  state.openFlags = 0
  for (const word of words.slice(1)) {
    const refused = unsupportedOpen.find((option) => isOption(word, option))
    if (refused !== undefined) return refuse(state, `Error: .open --${refused} is not supported by this shell\n`)
    if (isOption(word, 'new')) isNew = true
    else if (isOption(word, 'readonly')) state.openMode = 'readonly'
    else if (isOption(word, 'nofollow')) state.openFlags |= openFlag.noFollow
    else if (word.startsWith('-')) return refuse(state, `unknown option: ${word}\n`)
    else if (name !== undefined) return refuse(state, `extra argument: "${word}"\n`)
    else name = word
  }
  closeHandle(state, state.connections[state.active]?.handle ?? 0)
  await saveFiles(state)
  const path = name === undefined ? undefined : pathOfDatabase(state, name)
  if (isNew && path !== undefined) {
    await state.files.fetchDatabase(path)
    state.files.remove(path)
  }
  state.connections[state.active] = { handle: 0, name }
  await openShellDatabase(state, { keepsGoing: true })
  return 0
}

/** All pages of one database into another. */
async function copy(
  state: ShellState,
  from: { handle: number; name: string },
  to: { handle: number; name: string },
): Promise<number> {
  const { engine } = state
  const backup = engine.withText(from.name, (source) =>
    engine.withText(to.name, (target) => engine.call('sqlite3_backup_init', to.handle, target, from.handle, source)),
  )
  if (backup === 0) return refuse(state, `Error: ${messageOf(engine, to.handle)}\n`)
  let rc: number = code.ok
  while (rc === code.ok) {
    rc = engine.call('sqlite3_backup_step', backup, pagesAtOnce)
    state.io.step(pagesAtOnce)
  }
  engine.call('sqlite3_backup_finish', backup)
  return rc === code.done ? 0 : refuse(state, `Error: ${messageOf(engine, to.handle)}\n`)
}

async function backup(state: ShellState, words: readonly string[]): Promise<number> {
  const names: string[] = []
  for (const word of words.slice(1)) {
    if (isOption(word, 'append')) return refuse(state, 'Error: --append is not supported by this shell\n')
    // It only says how the file is written.
    if (isOption(word, 'async')) continue
    if (word.startsWith('-')) return refuse(state, `unknown option: ${word}\n`)
    names.push(word)
  }
  if (names.length > 2) return refuse(state, 'Usage: .backup ?DB? ?OPTIONS? FILENAME\n')
  const file = names.at(-1)
  if (file === undefined) return refuse(state, 'missing FILENAME argument on .backup\n')
  const target = await openDatabase(state, file, readWrite)
  try {
    if (target.rc !== code.ok) return await refuse(state, `Error: cannot open "${file}"\n`)
    const handle = await openShellDatabase(state)
    const name = names.length === 2 ? (names[0] as string) : 'main'
    return await copy(state, { handle, name }, { handle: target.handle, name: 'main' })
  } finally {
    closeHandle(state, target.handle)
  }
}

async function restore(state: ShellState, words: readonly string[]): Promise<number> {
  if (words.length < 2 || words.length > 3) return refuse(state, 'Usage: .restore ?DB? FILE\n')
  const file = words.at(-1) as string
  const name = words.length === 3 ? (words[1] as string) : 'main'
  const source = await openDatabase(state, file, readWrite)
  try {
    if (source.rc !== code.ok) return await refuse(state, `Error: cannot open "${file}"\n`)
    const handle = await openShellDatabase(state)
    return await copy(state, { handle: source.handle, name: 'main' }, { handle, name })
  } finally {
    closeHandle(state, source.handle)
  }
}

async function clone(state: ShellState, words: readonly string[]): Promise<number> {
  const [, file = ''] = words
  if (words.length !== 2) return refuse(state, 'Usage: .clone FILENAME\n')
  const path = state.io.path(file)
  await state.files.fetchDatabase(path)
  if (state.files.get(path) !== undefined) {
    await refuse(state, `File "${file}" already exists.\n`)
    return 0
  }
  const handle = await openShellDatabase(state)
  const target = await openDatabase(state, file, readWrite)
  if (target.rc !== code.ok) {
    closeHandle(state, target.handle)
    return refuse(state, `Cannot create output database: ${target.message}\n`)
  }
  closeHandle(state, target.handle)
  const rows = (type: string) =>
    query(state, handle, `SELECT name, sql FROM sqlite_schema WHERE ${type}`).rows.filter(
      ([name, sql]) => name !== undefined && sql !== undefined,
    )
  run(state, handle, `ATTACH ${literal(path)} AS clone_target; BEGIN`)
  for (const [name = '', sql = ''] of [...rows("type='table'"), ...rows("type!='table'")]) {
    await state.io.stdout.write(`${name}... `)
    await cloneEntry(state, handle, name, sql)
    await state.io.stdout.write('done\n')
  }
  run(state, handle, 'COMMIT; DETACH clone_target')
  return 0
}

async function cloneEntry(state: ShellState, handle: number, name: string, sql: string): Promise<void> {
  const made = `${sql.replace(/^(CREATE\s+(?:UNIQUE\s+|VIRTUAL\s+)?\w+\s+)/i, '$1clone_target.')}`
  if (/^sqlite_/.test(name)) return
  const { rc, message } = query(state, handle, made)
  if (rc !== code.ok) await refuse(state, `Error: ${message}\nSQL: [${sql}]\n`)
  else if (/^CREATE\s+TABLE/i.test(sql))
    await execute(
      state,
      `INSERT OR IGNORE INTO clone_target.${quotedName(name)} SELECT * FROM main.${quotedName(name)}`,
    )
}

const headerFields: ReadonlyArray<[string, number]> = [
  ['file change counter:', 24],
  ['database page count:', 28],
  ['freelist page count:', 36],
  ['schema cookie:', 40],
  ['schema format:', 44],
  ['default cache size:', 48],
  ['autovacuum top root:', 52],
  ['incremental vacuum:', 64],
  ['text encoding:', 56],
  ['user version:', 60],
  ['application id:', 68],
  ['software version:', 96],
]
const encodings = ['', ' (utf8)', ' (utf16le)', ' (utf16be)']
const counted: ReadonlyArray<[string, string]> = [
  ['number of tables:', "SELECT count(*) FROM S WHERE type='table'"],
  ['number of indexes:', "SELECT count(*) FROM S WHERE type='index'"],
  ['number of triggers:', "SELECT count(*) FROM S WHERE type='trigger'"],
  ['number of views:', "SELECT count(*) FROM S WHERE type='view'"],
  ['schema size:', 'SELECT CAST(total(length(sql)) AS INT) FROM S'],
]
const dataVersion = 35

async function info(state: ShellState, [, name = 'main']: readonly string[]): Promise<number> {
  const { engine, out } = state
  const handle = await openShellDatabase(state)
  const found = query(state, handle, 'SELECT hex(substr(data,1,100)) FROM sqlite_dbpage(?1) WHERE pgno=1', [name])
  if (found.rc !== code.ok) return refuse(state, `error: ${found.message}\n`)
  const header = found.rows[0]?.[0] ?? ''
  if (header.length < 200) return refuse(state, 'unable to read database header\n')
  const number = (at: number, length: number) => Number.parseInt(header.slice(at * 2, (at + length) * 2), 16)
  const line = (title: string, value: string | number) => out.write(`${title.padEnd(20)} ${value}\n`)
  const pageSize = number(16, 2)
  await line('database page size:', pageSize === 1 ? 65536 : pageSize)
  for (const [index, title] of ['write format:', 'read format:', 'reserved bytes:'].entries())
    await line(title, number(18 + index, 1))
  for (const [title, at] of headerFields) {
    const value = number(at, 4)
    await line(title, `${value}${title === 'text encoding:' ? (encodings[value] ?? '') : ''}`)
  }
  const schema = name === 'temp' ? 'sqlite_temp_schema' : `${quotedName(name)}.sqlite_schema`
  for (const [title, sql] of counted)
    await line(title, query(state, handle, sql.replace(' S', ` ${schema}`)).rows[0]?.[0] ?? 0)
  const version = engine.withBytes(new Uint8Array(4), (at) =>
    engine.withText(name, (database) => {
      engine.call('sqlite3_file_control', handle, database, dataVersion, at)
      return engine.memory.view().getUint32(at, true)
    }),
  )
  await line('data version', version)
  return 0
}

export const databaseCommands: readonly DotCommand[] = [
  { name: 'open', shortest: 2, run: open },
  { name: 'backup', shortest: 3, run: backup },
  { name: 'save', shortest: 3, run: backup },
  { name: 'restore', shortest: 3, run: restore },
  { name: 'clone', run: clone },
  { name: 'dbinfo', shortest: 3, run: info },
]
