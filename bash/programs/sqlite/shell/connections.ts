/** Opens and closes databases. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import { code, messageOf, openConnection, openFlag } from '../engine/database.js'
import { run, useAlone } from './execute.js'
import { addFunctions } from './functions.js'
import { Exit, type ShellState, say } from './state.js'

const doubleQuotedText = [1013, 1014]
/** Of real numbers as text. */
const realDigits = 1023
/** As the original has it: so many arguments of a function. */
const argumentLimit = { number: 6, value: 127 }
const instructionsPerStep = 1000

/** What the original was built with, and this engine was not. */
const asTheOriginal = 'PRAGMA page_size=4096; PRAGMA secure_delete=ON; PRAGMA cache_size=-2000'

export function isInMemory(name: string | undefined): boolean {
  return name === undefined || name === '' || name === ':memory:'
}

/** The path of a database that is named so, or as a URI. */
export function pathOfDatabase(state: ShellState, name: string): string | undefined {
  const [, uri] = /^file:([^?#]*)/.exec(name) ?? []
  const path = uri === undefined ? name : decodeURIComponent(uri.replace(/^\/\/(localhost)?(?=\/)/, ''))
  return path === '' || path === ':memory:' ? undefined : state.io.path(path)
}

export interface Opened {
  rc: number
  handle: number
  message: string
}

/** A connection of its own. */
export async function openDatabase(state: ShellState, name: string | undefined, flags: number): Promise<Opened> {
  const { engine } = state
  const path = name === undefined ? undefined : pathOfDatabase(state, name)
  if (path !== undefined) await state.files.fetchDatabase(path)
  const { rc, connection } = openConnection(engine, name ?? ':memory:', flags)
  const failed = rc !== code.ok
  if (!failed) await prepareConnection(state, connection)
  return { rc, handle: connection, message: failed ? messageOf(engine, connection) : '' }
}

async function prepareConnection(state: ShellState, handle: number): Promise<void> {
  const { engine } = state
  for (const option of doubleQuotedText) engine.call('sqlite3__wasm_db_config_ip', handle, option, 1, 0)
  engine.call('sqlite3__wasm_db_config_ip', handle, realDigits, 15, 0)
  engine.call('sqlite3_limit', handle, argumentLimit.number, argumentLimit.value)
  engine.call('sqlite3_progress_handler', handle, instructionsPerStep, state.progress, 0)
  if (state.files.hasLog()) useAlone(state, handle)
  run(state, handle, asTheOriginal)
  addFunctions(state, handle)
  state.addSeries(handle)
}

/** The database of the shell, opened when it is first used. */
export async function openShellDatabase(state: ShellState, { keepsGoing = false } = {}): Promise<number> {
  const active = state.connections[state.active]
  if (active !== undefined && active.handle !== 0) return active.handle
  const name = active?.name
  const flags =
    state.openMode === 'readonly' ? openFlag.readOnly : openFlag.readWrite | openFlag.create | state.openFlags
  const { rc, handle, message } = await openDatabase(state, name, flags | openFlag.uri)
  if (rc === code.ok) {
    state.connections[state.active] = { handle, name }
    return handle
  }
  await say(state, `Error: unable to open database "${name ?? ''}": ${message}\n`)
  state.engine.call('sqlite3_close_v2', handle)
  if (!keepsGoing) throw new Exit(1)
  const memory = await openDatabase(state, ':memory:', openFlag.readWrite | openFlag.create)
  state.connections[state.active] = { handle: memory.handle, name }
  return memory.handle
}

export function closeHandle(state: ShellState, handle: number): void {
  if (handle !== 0) state.engine.call('sqlite3_close_v2', handle)
}

export async function closeAll(state: ShellState): Promise<void> {
  for (const connection of state.connections) closeHandle(state, connection?.handle ?? 0)
  state.connections = []
}

/** Stores what changed. False: it could not be, and that was said. */
export async function saveFiles(state: ShellState): Promise<boolean> {
  try {
    await state.files.save()
    return true
  } catch (error) {
    if (!isFsError(error)) throw error
    const path = 'path' in error.facts ? `${error.facts.path}: ` : ''
    await say(state, `Error: ${path}${describeError(error)}\n`)
    return false
  }
}

/** Runs another command: what was changed so far is there for it, and what it changes is seen. */
export async function runBeside(state: ShellState, commandText: string): Promise<number> {
  await state.out.flush()
  await saveFiles(state)
  const status = await state.io.run(['sh', '-c', commandText], { cwd: state.cwd })
  await state.files.refresh()
  return status
}
