/** The parts of `s/regex/replacement/` and of `/regex/`. */
import type { ScriptReader } from './script-reader.js'

/**
 * The text up to the delimiter; undefined when there is none on the line. A backslash before the delimiter is removed,
 * except before `&` in a replacement. In a regex, `\n` becomes a line feed, and brackets are taken as they are.
 */
export function readDelimited(reader: ScriptReader, delimiter: string, isRegex: boolean): string | undefined {
  let text = ''
  for (;;) {
    const character = reader.next()
    if (character === undefined || character === '\n') return undefined
    if (character === delimiter) return text
    if (character === '[' && isRegex) {
      const bracket = readBracket(reader)
      if (bracket === undefined) return undefined
      text += bracket
      continue
    }
    if (character !== '\\') {
      text += character
      continue
    }
    const escaped = reader.next()
    if (escaped === undefined) return undefined
    if (escaped === delimiter && !(!isRegex && escaped === '&')) text += escaped
    else if (escaped === 'n' && isRegex) text += '\n'
    else if (escaped === '\n') text += isRegex ? '\n' : '\\\n'
    else text += `\\${escaped}`
  }
}

/** A bracket expression from after its `[`, with it. */
function readBracket(reader: ScriptReader): string | undefined {
  let text = '['
  if (reader.peek() === '^') text += reader.next()
  if (reader.peek() === ']') text += reader.next()
  for (;;) {
    const character = reader.next()
    if (character === undefined || character === '\n') return undefined
    text += character
    if (character === ']') return text
    const kind = reader.peek()
    if (character !== '[' || kind === undefined || !':.='.includes(kind)) continue
    text += reader.next()
    // A class ends with its own mark, and may contain a closing bracket.
    let last = ''
    for (;;) {
      const inner = reader.next()
      if (inner === undefined || inner === '\n') return undefined
      text += inner
      if (last === kind && inner === ']') break
      last = inner
    }
  }
}
