/** Connections and statements. What a statement needs and is not here yet is fetched, and the statement runs again. */
import type { Engine } from './engine.js'

export const code = {
  ok: 0,
  error: 1,
  abort: 4,
  noMemory: 7,
  corrupt: 11,
  row: 100,
  done: 101,
} as const

export const type = { integer: 1, real: 2, text: 3, blob: 4, null: 5 } as const

export const openFlag = { readOnly: 1, readWrite: 2, create: 4, uri: 0x40, noFollow: 0x1000000 } as const

/** SQL as the engine reads it: bytes in its memory, read from some place on. */
export interface SqlText {
  /** Prepares what begins at `offset`: a statement, or 0 for space and comments, and where the rest begins. */
  prepare(connection: number, offset: number): { rc: number; statement: number; rest: number }
  /** All from `offset` on. */
  from(offset: number): string
  readonly length: number
  free(): void
}

export function sqlText(engine: Engine, bytes: Uint8Array): SqlText {
  const at = engine.call('malloc', bytes.length + 1)
  engine.memory.bytes().set(bytes, at)
  engine.memory.bytes()[at + bytes.length] = 0
  const results = engine.call('malloc', 8)
  return {
    length: bytes.length,
    prepare(connection, offset) {
      const rc = engine.call('sqlite3_prepare_v2', connection, at + offset, -1, results, results + 4)
      const view = engine.memory.view()
      return { rc, statement: view.getInt32(results, true), rest: view.getInt32(results + 4, true) - at }
    },
    from: (offset) => engine.memory.text(at + offset),
    free() {
      engine.call('free', at)
      engine.call('free', results)
    },
  }
}

export interface Opened {
  rc: number
  connection: number
}

export function openConnection(engine: Engine, path: string, flags: number): Opened {
  const at = engine.call('malloc', 4)
  try {
    const rc = engine.withText(path, (name) => engine.call('sqlite3_open_v2', name, at, flags, 0))
    return { rc, connection: engine.memory.view().getInt32(at, true) }
  } finally {
    engine.call('free', at)
  }
}

export function messageOf(engine: Engine, connection: number): string {
  return engine.text('sqlite3_errmsg', connection) ?? ''
}

export function columnText(engine: Engine, statement: number, index: number): string | undefined {
  return engine.text('sqlite3_column_text', statement, index)
}

export function columnBytes(engine: Engine, statement: number, index: number): Uint8Array {
  const at = engine.call('sqlite3_column_blob', statement, index)
  return engine.memory.slice(at, engine.call('sqlite3_column_bytes', statement, index))
}

export function columnDouble(engine: Engine, statement: number, index: number): number {
  return engine.call('sqlite3_column_double', statement, index)
}

export function columnName(engine: Engine, statement: number, index: number): string {
  return engine.text('sqlite3_column_name', statement, index) ?? ''
}
