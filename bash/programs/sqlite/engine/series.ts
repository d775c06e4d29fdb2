/** `generate_series`, a table that the shell of SQLite adds: start, stop and step are hidden columns. */

import type { Engine } from './engine.js'
import { encodeCText } from './memory.js'

const declaration = 'CREATE TABLE x(value,start hidden,stop hidden,step hidden)'
const hidden = [1, 2, 3]
const equals = 2
const constraintBytes = 12
const usageBytes = 8
const constraintFailed = 19
const nullType = 5
const largestWithoutEnd = 0xffffffffn

interface Cursor {
  value: bigint
  start: bigint
  stop: bigint
  step: bigint
  isDown: boolean
  isEmpty: boolean
  row: number
}

function hasEnded({ value, start, stop, isDown, isEmpty }: Cursor): boolean {
  return isEmpty || (isDown ? value < start : value > stop)
}

/** Returns what adds the table to a connection. */
export function seriesTable(engine: Engine): (handle: number) => void {
  const { memory } = engine
  const cursors = new Map<number, Cursor>()
  const view = () => memory.view()
  const ok = 0

  const connect = engine.callback(6, true, (handle = 0, _1, _2, _3, into = 0) => {
    const rc = engine.withText(declaration, (at) => engine.call('sqlite3_declare_vtab', handle, at))
    if (rc !== ok) return rc
    const table = engine.call('sqlite3_malloc', 16)
    memory.bytes().fill(0, table, table + 16)
    view().setInt32(into, table, true)
    return ok
  })
  const disconnect = engine.callback(1, true, (table = 0) => {
    engine.free(table)
    return ok
  })

  /** Which of the hidden columns are given; their values become the arguments of the filter. */
  const bestIndex = engine.callback(2, true, (_table, info = 0) => {
    const count = view().getInt32(info, true)
    const constraints = view().getInt32(info + 4, true)
    const usage = view().getInt32(info + 16, true)
    const found = new Map<number, number>()
    for (let index = 0; index < count; index += 1) {
      const at = constraints + index * constraintBytes
      const column = view().getInt32(at, true)
      const isEqual = memory.bytes()[at + 4] === equals
      if (!hidden.includes(column) || !isEqual) continue
      // Another order of the tables may know the value first.
      if (memory.bytes()[at + 5] === 0) return constraintFailed
      found.set(column, index)
    }
    let number = 0
    for (const [index, column] of hidden.entries()) {
      const constraint = found.get(column)
      if (constraint === undefined) continue
      number |= 1 << index
      const given = [...found.keys()].filter((each) => each < column).length
      view().setInt32(usage + constraint * usageBytes, given + 1, true)
      memory.bytes()[usage + constraint * usageBytes + 4] = 1
    }
    view().setInt32(info + 20, number, true)
    // A series with both ends is found at less cost than one that goes on.
    view().setFloat64(info + 40, (number & 3) === 3 ? 1 : 2147483647, true)
    return ok
  })

  const open = engine.callback(2, true, (_table, into = 0) => {
    const cursor = engine.call('sqlite3_malloc', 16)
    memory.bytes().fill(0, cursor, cursor + 16)
    cursors.set(cursor, { value: 0n, start: 0n, stop: 0n, step: 1n, isDown: false, isEmpty: true, row: 0 })
    view().setInt32(into, cursor, true)
    return ok
  })
  const close = engine.callback(1, true, (at = 0) => {
    cursors.delete(at)
    engine.free(at)
    return ok
  })
  const filter = engine.callback(5, true, (at = 0, number = 0, _name, count = 0, values = 0) => {
    const all = Array.from({ length: count }, (_, index) => view().getInt32(values + index * 4, true))
    const isNull = all.some((value) => engine.call('sqlite3_value_type', value) === nullType)
    let next = 0
    const given = (bit: number, otherwise: bigint) => {
      if ((number & bit) === 0) return otherwise
      next += 1
      return engine.callLong('sqlite3_value_int64', all[next - 1] as number)
    }
    const start = given(1, 0n)
    const stop = given(2, largestWithoutEnd)
    const asked = given(4, 1n) || 1n
    const step = asked < 0n ? -asked : asked
    const isDown = asked < 0n
    // Downwards it begins with what an upward series would end with.
    const value = isDown ? stop - ((stop - start) % step) : start
    cursors.set(at, { value, start, stop, step, isDown, isEmpty: isNull, row: 1 })
    return ok
  })
  const cursorAt = (at: number) => cursors.get(at) as Cursor
  const next = engine.callback(1, true, (at = 0) => {
    const cursor = cursorAt(at)
    cursor.value += cursor.isDown ? -cursor.step : cursor.step
    cursor.row += 1
    return ok
  })
  const isAtEnd = engine.callback(1, true, (at = 0) => (hasEnded(cursorAt(at)) ? 1 : 0))
  const column = engine.callback(3, true, (at = 0, context = 0, index = 0) => {
    const { value, start, stop, step } = cursorAt(at)
    engine.call('sqlite3_result_int64', context, [value, start, stop, step][index] ?? 0n)
    return ok
  })
  const rowId = engine.callback(2, true, (at = 0, into = 0) => {
    view().setBigInt64(into, BigInt(cursorAt(at).row), true)
    return ok
  })

  const none = 0
  const methods = [0, none, connect, bestIndex, disconnect, none, open, close, filter, next, isAtEnd, column, rowId]
  const module = engine.call('malloc', 128)
  memory.bytes().fill(0, module, module + 128)
  for (const [index, method] of methods.entries()) view().setInt32(module + index * 4, method, true)
  const bytes = encodeCText('generate_series')
  const name = engine.call('malloc', bytes.length)
  memory.bytes().set(bytes, name)
  return (handle) => void engine.call('sqlite3_create_module', handle, name, module, 0)
}
