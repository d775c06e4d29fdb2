/** The text of `a`, `i` and `c`. */
import { characterEscape, withEscapes } from './escapes.js'
import type { ScriptReader } from './script-reader.js'

const missingBackslash = "expected \\ after `a', `c' or `i'"

/**
 * Either on the lines after `a\`, or on the same line after blanks; a backslash there keeps the blanks after it. The
 * text ends with the first line end without a backslash before it.
 */
export function readText(reader: ScriptReader, { posix }: { posix: boolean }): string {
  reader.skipBlanks()
  if (posix && reader.peek() !== undefined && reader.peek() !== '\\' && reader.peek() !== '\n') {
    reader.next()
    reader.fail(missingBackslash)
  }
  // The end of a line is an empty text, that of an expression is none.
  if (reader.isAtPartEnd() || (posix && reader.peek() === '\n')) reader.fail(missingBackslash)
  if (reader.peek() === '\\') {
    reader.next()
    if (reader.peek() === undefined && posix) reader.fail('incomplete command')
    if (reader.peek() === undefined) return ''
    if (reader.peek() === '\n') reader.next()
  }
  return withEscapes(reader, () => readLines(reader))
}

function readLines(reader: ScriptReader): string {
  let source = ''
  for (let next = reader.next(); next !== undefined && next !== '\n'; next = reader.next()) {
    source += next
    if (next !== '\\') continue
    const escaped = reader.next()
    if (escaped === undefined) break
    source += escaped
  }
  return `${withoutBackslashes(source)}\n`
}

function withoutBackslashes(source: string): string {
  let text = ''
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] !== '\\') {
      text += source[at]
      continue
    }
    const found = characterEscape(source, at + 1)
    text += found?.character ?? source[at + 1] ?? ''
    at = found === undefined ? at + 1 : found.next - 1
  }
  return text
}
