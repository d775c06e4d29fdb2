/** Names of SQL. */
import { encodeText } from '../../../io/byte-text.js'
import type { Engine } from '../engine/engine.js'
import { quotedName } from './quoting.js'

/** True for what is no plain name, and for words of the language. */
export function needsQuotes(engine: Engine, name: string): boolean {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return true
  const bytes = encodeText(name)
  return engine.withBytes(bytes, (at) => engine.call('sqlite3_keyword_check', at, bytes.length)) !== 0
}

export function nameInSql(engine: Engine, name: string): string {
  return needsQuotes(engine, name) ? quotedName(name) : name
}
