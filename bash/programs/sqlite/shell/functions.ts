/** Functions of SQL that the shell adds to the engine's own. */
import { isFsError } from '../../../../src/errors.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'
import { columnText, sqlText, type } from '../engine/database.js'
import type { Engine } from '../engine/engine.js'
import { nameInSql, needsQuotes } from './names.js'
import { quotedName } from './quoting.js'
import { matchesRegex } from './regex-function.js'
import type { ShellState } from './state.js'

/** The arguments of a call, and its result. */
interface Call {
  count: number
  typeOf(index: number): number
  text(index: number): string
  bytes(index: number): Uint8Array<ArrayBuffer>
  integer(index: number): number
  result(value: string | Uint8Array | number | undefined): undefined
  /** The result is this argument. */
  same(index: number): undefined
  fail(message: string): undefined
}

interface Definition {
  name: string
  /** -1: any number. */
  count: number
  run(call: Call, state: ShellState, handle: number): undefined
}

const transient = -1
const utf8 = 1

export function addFunctions(state: ShellState, handle: number): void {
  const { engine } = state
  for (const { name, count, run } of definitions) {
    const callback = engine.callback(3, false, (context, given, values) => {
      run(callOf(engine, context as number, given as number, values as number), state, handle)
      return undefined
    })
    engine.withText(name, (at) => engine.call('sqlite3_create_function', handle, at, count, utf8, 0, callback, 0, 0))
  }
}

function callOf(engine: Engine, context: number, count: number, values: number): Call {
  const value = (index: number) => engine.memory.view().getInt32(values + index * 4, true)
  return {
    count,
    typeOf: (index) => engine.call('sqlite3_value_type', value(index)),
    text: (index) => engine.text('sqlite3_value_text', value(index)) ?? '',
    bytes(index) {
      const at = engine.call('sqlite3_value_blob', value(index))
      return engine.memory.slice(at, engine.call('sqlite3_value_bytes', value(index)))
    },
    integer: (index) => engine.call('sqlite3_value_int', value(index)),
    result(result) {
      if (result === undefined) engine.call('sqlite3_result_null', context)
      else if (typeof result === 'number') engine.call('sqlite3_result_int', context, result)
      else if (typeof result === 'string') {
        const bytes = encodeText(result)
        engine.withBytes(bytes, (at) => engine.call('sqlite3_result_text', context, at, bytes.length, transient))
      } else engine.withBytes(result, (at) => engine.call('sqlite3_result_blob', context, at, result.length, transient))
    },
    same: (index) => {
      const bytes = engine.call('sqlite3_value_bytes', value(index))
      if (engine.call('sqlite3_value_type', value(index)) === type.null) engine.call('sqlite3_result_null', context)
      else
        engine.call('sqlite3_result_text', context, engine.call('sqlite3_value_text', value(index)), bytes, transient)
    },
    fail: (message) => {
      const bytes = encodeText(message)
      engine.withBytes(bytes, (at) => engine.call('sqlite3_result_error', context, at, bytes.length))
    },
  }
}

const waiting = 'waits for an answer'

const definitions: readonly Definition[] = [
  { name: 'readfile', count: 1, run: readFile },
  { name: 'writefile', count: -1, run: writeFile },
  { name: 'edit', count: 1, run: edit },
  { name: 'edit', count: 2, run: edit },
  { name: 'soundex', count: 1, run: (call) => call.result(soundex(call.text(0))) },
  { name: 'regexp', count: 2, run: regexp },
  { name: 'shell_add_schema', count: 3, run: addSchema },
  {
    name: 'shell_module_schema',
    count: 1,
    run(call, state, handle) {
      const made = fakeSchema(state, handle, undefined, call.text(0))
      call.result(made === undefined ? undefined : `/* ${made} */`)
    },
  },
]

/** Also what this program wrote and has not saved yet. */
function readFile(call: Call, state: ShellState): undefined {
  const path = state.io.path(call.text(0))
  const held = state.files.get(path)
  if (held !== undefined) return call.result(held.bytes.slice(0, held.size))
  const found = state.answers.get(`read ${path}`, async () => {
    try {
      return await state.io.fs.readFile(path)
    } catch (error) {
      if (isFsError(error)) return undefined
      throw error
    }
  })
  if (found === undefined) return call.fail(waiting)
  call.result(found.answer)
}

function writeFile(call: Call, state: ShellState): undefined {
  if (call.count < 2 || call.count > 4) return call.fail('wrong number of arguments to function writefile()')
  const path = state.io.path(call.text(0))
  const bytes = call.bytes(1)
  const number = call.count < 3 ? 0 : call.integer(2)
  if ((number & 0o170000) !== 0 && (number & 0o170000) !== 0o100000)
    return call.fail('writefile() of links and directories is not supported by this shell')
  const found = state.answers.get(`write ${state.answers.next()}`, async () => {
    try {
      await state.io.fs.writeFile(path, bytes, number === 0 ? {} : { mode: number & 0o777 })
      if (call.count === 4) await state.io.fs.setModified(path, Number(call.integer(3)) * 1000)
      return true
    } catch (error) {
      if (isFsError(error)) return false
      throw error
    }
  })
  if (found === undefined) return call.fail(waiting)
  if (found.answer) call.result(bytes.length)
  else call.fail(`failed to write file: ${call.text(0)}`)
}

function edit(call: Call, state: ShellState): undefined {
  const { io } = state
  const editor = call.count === 2 ? call.text(1) : io.env.get('VISUAL')
  if (editor === undefined) return call.fail('no editor for edit()')
  if (call.typeOf(0) === type.null) return call.fail('NULL input to edit()')
  const isBlob = call.typeOf(0) === type.blob
  const bytes = call.bytes(0)
  const key = `edit ${state.answers.next()}`
  const found = state.answers.get(key, async () => {
    const path = `${io.env.get('TMPDIR') ?? '/tmp'}/etilqs_${Math.floor(io.random() * 2 ** 48).toString(16)}`
    await io.fs.writeFile(path, bytes)
    const status = await io.run(['sh', '-c', `${editor} "${path}"`])
    const changed = status === 0 ? await io.fs.readFile(path) : undefined
    await io.fs.remove(path)
    return changed
  })
  if (found === undefined) return call.fail(waiting)
  if (found.answer === undefined) return call.fail('EDITOR returned non-zero')
  if (isBlob) return call.result(found.answer)
  const text = decodeText(found.answer)
  call.result(decodeText(bytes).includes('\r\n') ? text : text.replaceAll('\r\n', '\n'))
}

const soundexCodes = '01230120022455012623010202'

/** Of English words, as the C library of the original computes it. */
function soundex(text: string): string {
  const letters = text.replace(/^[^A-Za-z]+/, '')
  if (letters === '') return '?000'
  const codeOf = (letter: string) => soundexCodes[(letter.toUpperCase().codePointAt(0) ?? 65) - 65] ?? '0'
  let made = letters[0]?.toUpperCase() ?? ''
  let last = codeOf(letters[0] as string)
  for (const character of letters.slice(1)) {
    if (made.length === 4) break
    const code = /[A-Za-z]/.test(character) ? codeOf(character) : '0'
    if (code === '0') last = '0'
    else if (code !== last) {
      last = code
      made += code
    }
  }
  return made.padEnd(4, '0')
}

function regexp(call: Call): undefined {
  if (call.typeOf(0) === type.null || call.typeOf(1) === type.null) return call.result(undefined)
  const found = matchesRegex(call.text(0), call.text(1))
  if (typeof found === 'string') call.fail(found)
  else call.result(found ? 1 : 0)
}

const kinds = ['TABLE', 'INDEX', 'UNIQUE INDEX', 'VIEW', 'TRIGGER', 'VIRTUAL TABLE']

/** The name of the schema, put into a statement of an attached database. */
function addSchema(call: Call, state: ShellState, handle: number): undefined {
  const sql = call.text(0)
  const schema = call.typeOf(1) === type.null ? undefined : call.text(1)
  const kind = kinds.find((name) => sql.startsWith(`CREATE ${name} `))
  if (kind === undefined) return call.same(0)
  const begin = `CREATE ${kind}`
  const isQuoted = schema !== undefined && schema.toLowerCase() !== 'temp' && needsQuotes(state.engine, schema)
  const prefix = schema === undefined ? '' : `${isQuoted ? quotedName(schema) : schema}.`
  const made = `${begin} ${prefix}${sql.slice(begin.length + 1)}`
  const fake = kind.startsWith('V') ? fakeSchema(state, handle, schema, call.text(2)) : undefined
  if (schema === undefined && fake === undefined) return call.same(0)
  call.result(fake === undefined ? made : `${made}\n/* ${fake} */`)
}

function fakeSchema(state: ShellState, handle: number, schema: string | undefined, name: string): string | undefined {
  const { engine } = state
  const query = `PRAGMA ${quotedName(schema ?? 'main')}.table_info='${name.replaceAll("'", "''")}'`
  const sql = sqlText(engine, encodeText(query))
  const { statement } = sql.prepare(handle, 0)
  const columns: string[] = []
  while (statement !== 0 && engine.call('sqlite3_step', statement) === 100)
    columns.push(nameInSql(engine, columnText(engine, statement, 1) ?? ''))
  engine.call('sqlite3_finalize', statement)
  sql.free()
  if (columns.length === 0) return undefined
  const inSchema =
    schema === undefined ? '' : `${schema.toLowerCase() === 'temp' ? schema : nameInSql(engine, schema)}.`
  return `${inSchema}${nameInSql(engine, name)}(${columns.join(',')})`
}
