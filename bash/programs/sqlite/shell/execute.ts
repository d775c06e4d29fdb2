/** Runs SQL text: statement after statement, each with its rows written in the mode that is set. */
import { decodeText, encodeText } from '../../../io/byte-text.js'
import {
  code,
  columnBytes,
  columnDouble,
  columnName,
  columnText,
  messageOf,
  type SqlText,
  sqlText,
  type,
} from '../engine/database.js'
import { tableText } from './columnar.js'
import { needsQuotes } from './names.js'
import { bindParameters } from './parameters.js'
import { explainIndents, planLines, queryPlan } from './query-plan.js'
import { untilNul } from './quoting.js'
import { type Cell, rowWriter } from './rows.js'
import { columnarModes, handleOf, type Layout, type Mode, type ShellState } from './state.js'

export interface Failed {
  /** What the engine returned. */
  rc: number
  phase: 'prepare' | 'step'
  message: string
}

export interface RunRules {
  layout?: Layout
  keepsNewlines?: boolean
  /** Called with each row instead of writing it. */
  onRow?(cells: Array<string | undefined>): Promise<void> | undefined
}

const isSpace = (byte: number | undefined) => byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13)
const savedAfterMs = 250

export async function execute(state: ShellState, text: string, rules: RunRules = {}): Promise<Failed | undefined> {
  const bytes = encodeText(untilNul(text))
  const { engine } = state
  const handle = handleOf(state)
  const sql = sqlText(engine, bytes)
  try {
    for (let at = 0; at < bytes.length; ) {
      const prepared = await prepare(state, handle, sql, at)
      if (prepared.rc !== code.ok)
        return { rc: prepared.rc, phase: 'prepare', message: described(state, prepared.rc, sql, at) }
      if (prepared.statement !== 0) {
        const failed = await runStatement(state, handle, prepared.statement, rules)
        if (failed !== undefined) return failed
      }
      at = prepared.rest
      while (isSpace(bytes[at])) at += 1
    }
    return undefined
  } finally {
    sql.free()
  }
}

/** The engine knows no encoding but this, so it does not say so. */
const asksEncoding = /^\s*pragma\s+(?:[\w"]+\s*\.\s*)?encoding\s*;?\s*$/i
const encodingAnswer = "SELECT 'UTF-8' AS encoding"

/** What is missed while a statement is compiled, such as a file of an attached database, is fetched. */
async function prepare(
  state: ShellState,
  handle: number,
  sql: SqlText,
  at: number,
): Promise<ReturnType<SqlText['prepare']>> {
  for (;;) {
    const prepared = sql.prepare(handle, at)
    if (prepared.rc === code.ok || !(await fetched(state, handle))) return prepared
  }
}

/** A database whose journal is a write-ahead log can be used by one connection alone, as there is no memory to share. */
export function useAlone(state: ShellState, handle: number): void {
  run(state, handle, 'PRAGMA locking_mode=EXCLUSIVE')
}

/** Runs SQL of the shell's own; its rows are nobody's. */
export function run(state: ShellState, handle: number, sql: string): number {
  return state.engine.withText(sql, (at) => state.engine.call('sqlite3_exec', handle, at, 0, 0, 0))
}

async function fetched(state: ShellState, handle: number): Promise<boolean> {
  if (state.answers.isMissing) {
    await state.answers.fetchMissing()
    return true
  }
  if (!(await state.files.fetchMissed())) return false
  if (state.files.hasLog()) useAlone(state, handle)
  return true
}

const writeAheadLog = /^\s*pragma\s+(?:[\w"]+\s*\.\s*)?journal_mode\s*(?:=|\()\s*['"]?wal\b/i

async function runStatement(
  state: ShellState,
  handle: number,
  statement: number,
  rules: RunRules,
): Promise<Failed | undefined> {
  const { engine } = state
  const source = engine.text('sqlite3_sql', statement) ?? ''
  if (asksEncoding.test(source)) {
    engine.call('sqlite3_finalize', statement)
    return execute(state, encodingAnswer, rules)
  }
  if (state.queryPlan !== 'off' && rules.onRow === undefined && engine.call('sqlite3_stmt_isexplain', statement) === 0)
    await queryPlan(state, handle, source.trimStart())
  if (writeAheadLog.test(source)) useAlone(state, handle)
  bindParameters(state, handle, statement)
  state.answers.reset()
  // How many rows were written before something was missed.
  let skipped = 0
  for (;;) {
    state.answers.restart()
    const rows = await writeRows(state, statement, { ...rules, skipped })
    skipped = rows
    const rc = engine.call('sqlite3_reset', statement)
    if (rc === code.ok) break
    const message = messageOf(engine, handle)
    const extended = rc
    if (await fetched(state, handle)) continue
    engine.call('sqlite3_finalize', statement)
    return { rc: extended, phase: 'step', message: message + numberOf(extended) }
  }
  engine.call('sqlite3_finalize', statement)
  await saveInTime(state, handle)
  return undefined
}

/** Where others may look, changes are not held for long; on a clock of its own it would depend on the machine. */
async function saveInTime(state: ShellState, handle: number): Promise<void> {
  const { clock } = state.io
  if (clock.isVirtual || state.engine.call('sqlite3_get_autocommit', handle) === 0) return
  const now = clock.elapsed()
  if (now - state.savedAtMs < savedAfterMs) return
  await state.files.save()
  state.savedAtMs = now
}

/** Returns how many rows there were. */
async function writeRows(
  state: ShellState,
  statement: number,
  { skipped, onRow, layout = state.layout, keepsNewlines = false }: RunRules & { skipped: number },
): Promise<number> {
  const { engine, io } = state
  const step = () => engine.call('sqlite3_step', statement) === code.row
  const count = engine.call('sqlite3_column_count', statement)
  const names = Array.from({ length: count }, (_, index) => columnName(engine, statement, index))
  const { mode, indents } = modeOf(state, statement, layout)
  if (columnarModes.has(mode)) {
    if (skipped > 0 || !step()) return skipped
    return writeTable(state, statement, layout)
  }
  let rows = 0
  const writer = rowWriter({
    layout,
    mode,
    names,
    indents,
    keepsNewlines,
    needsQuotes: (name) => needsQuotes(engine, name),
    isComplete: (sql) => isComplete(state, sql),
  })
  const plan: Cell[][] = []
  while (step()) {
    rows += 1
    if (rows <= skipped) continue
    if (onRow !== undefined) {
      await onRow(Array.from({ length: count }, (_, index) => columnText(engine, statement, index)))
      continue
    }
    const cells = Array.from({ length: count }, (_, index) => cellOf(state, statement, index, mode))
    if (mode === 'eqp') plan.push(cells)
    else await state.out.write(writer.row(cells))
    if (rows % 64 === 0) io.step(64)
  }
  if (mode === 'eqp') await state.out.write(planText(plan))
  // When something is missing it runs again.
  if (rows > 0 && onRow === undefined && !isMissing(state)) await state.out.write(writer.end(rows))
  return rows
}

function isMissing(state: ShellState): boolean {
  return state.answers.isMissing || state.files.hasMissed()
}

function planText(plan: Cell[][]): string {
  return planLines(
    plan.map(([id, parent, , detail]) => ({
      id: Number(id?.text ?? 0),
      parent: Number(parent?.text ?? 0),
      text: detail?.text ?? '',
    })),
  )
}

function modeOf(state: ShellState, statement: number, layout: Layout): { mode: Mode; indents: number[] } {
  const kind = state.autoExplain ? state.engine.call('sqlite3_stmt_isexplain', statement) : 0
  if (kind === 2) return { mode: 'eqp', indents: [] }
  if (kind !== 1 && layout.mode !== 'explain') return { mode: layout.mode, indents: [] }
  const indents = explainIndents(state, statement)
  return indents === undefined ? { mode: layout.mode, indents: [] } : { mode: 'explain', indents }
}

function cellOf(state: ShellState, statement: number, index: number, mode: Mode): Cell {
  const { engine } = state
  const kind = engine.call('sqlite3_column_type', statement, index)
  if (kind === type.blob && (mode === 'insert' || mode === 'quote'))
    return { type: kind, text: undefined, bytes: columnBytes(engine, statement, index) }
  const cell: Cell = { type: kind, text: columnText(engine, statement, index) }
  if (kind === type.real) cell.double = columnDouble(engine, statement, index)
  if (kind === type.blob && mode === 'json')
    cell.text = String.fromCharCode(...columnBytes(engine, statement, index)).replaceAll(/[\x80-\xff]/g, (character) =>
      String.fromCharCode(0xdc00 + character.charCodeAt(0)),
    )
  return cell
}

async function writeTable(state: ShellState, statement: number, layout: Layout): Promise<number> {
  const { engine, io } = state
  const count = engine.call('sqlite3_column_count', statement)
  let rows = 0
  let held = 0
  function* all(): Generator<string[]> {
    do {
      rows += 1
      yield Array.from({ length: count }, (_, index) =>
        layout.columns.quote
          ? quotedColumn(state, statement, index)
          : (columnText(engine, statement, index) ?? layout.nullValue),
      )
    } while (engine.call('sqlite3_step', statement) === code.row)
  }
  const account = (bytes: number) => {
    held += bytes
    io.account(bytes)
  }
  const names = Array.from({ length: count }, (_, index) => columnName(engine, statement, index))
  const table = tableText({ names, rows: all() }, layout, account)
  for (const line of table) {
    if (isMissing(state)) return 0
    await state.out.write(line)
  }
  io.account(-held)
  return rows
}

function quotedColumn(state: ShellState, statement: number, index: number): string {
  const { engine } = state
  const kind = engine.call('sqlite3_column_type', statement, index)
  if (kind === type.null) return 'NULL'
  if (kind === type.blob) {
    const digits = Array.from(columnBytes(engine, statement, index), (byte) => byte.toString(16).padStart(2, '0'))
    return `x'${digits.join('')}'`
  }
  const text = columnText(engine, statement, index) ?? ''
  return kind === type.text ? `'${text.replaceAll("'", "''")}'` : text
}

export function isComplete(state: ShellState, sql: string): boolean {
  return state.engine.withText(sql, (at) => state.engine.call('sqlite3_complete', at)) === 1
}

function numberOf(rc: number): string {
  return rc > 1 ? ` (${rc})` : ''
}

function described(state: ShellState, rc: number, sql: SqlText, at: number): string {
  const handle = handleOf(state)
  const offset = state.engine.call('sqlite3_error_offset', handle)
  return messageOf(state.engine, handle) + numberOf(rc) + context(sql.from(at), offset)
}

const contextBytes = 78
const contextBefore = 50

/** The text around a mistake, and an arrow to it. */
function context(sql: string, given: number): string {
  if (given < 0) return ''
  const bytes = encodeText(sql)
  const continues = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80
  let start = 0
  let offset = given
  while (offset > contextBefore) {
    offset -= 1
    start += 1
    for (; continues(start); start += 1) offset -= 1
  }
  let end = Math.min(bytes.length, start + contextBytes)
  if (bytes.length - start > contextBytes) while (continues(end)) end -= 1
  const text = decodeText(bytes.slice(start, end)).replaceAll(/[\t\n\v\f\r]/g, ' ')
  const arrow = offset < 25 ? `${' '.repeat(offset)}^--- error here` : `${' '.repeat(offset - 14)}error here ---^`
  return `\n  ${text}\n  ${arrow}`
}
