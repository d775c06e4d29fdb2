/** Statements of a schema, as `.schema` and `.dump` print them. */

import { byteLength } from './quoting.js'

/** A comment that the statement ends in is closed first, so that it does not swallow the semicolon. */
export function schemaLine(sql: string | undefined, tail: string, isComplete: (sql: string) => boolean): string {
  if (sql === undefined) return ''
  let text = sql
  if (tail.startsWith(';') && (sql.includes('/*') || sql.includes('--'))) {
    const end = ['', '*/', '\n'].find((closing) => isComplete(`${sql}${closing};`))
    if (end !== undefined) text = sql + end
  }
  // Shadow tables of virtual tables, which may be there already.
  return /^CREATE TABLE ['"]/.test(text) ? `CREATE TABLE IF NOT EXISTS ${text.slice(13)}${tail}` : text + tail
}

const shortLine = 79
const space = /[ \t\n\v\f\r]/

/** With one column in each line, if it is long. */
export function schemaLines(sql: string | undefined, isComplete: (sql: string) => boolean): string {
  if (sql === undefined) return ''
  if (/^CREATE (VIEW|TRIG)/i.test(sql)) return `${sql};\n`
  const text = squeezed(sql)
  if (byteLength(text) < shortLine) return schemaLine(text, ';\n', isComplete)
  let made = ''
  let line = ''
  let depth = 0
  let closing = ''
  let lines = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    if (character === closing) closing = ''
    else if (character === '"' || character === "'" || character === '`') closing = character
    else if (character === '[') closing = ']'
    else if (character === '-' && text[at + 1] === '-') closing = '\n'
    else if (character === '(') depth += 1
    else if (character === ')') {
      depth -= 1
      if (lines > 0 && depth === 0 && line !== '') {
        made += schemaLine(line, '\n', isComplete)
        line = ''
      }
    }
    line += character
    const breaks = character === '(' || character === '\n' || (character === ',' && !isBlankToEnd(text, at + 1))
    if (depth !== 1 || closing !== '' || !breaks) continue
    if (character === '\n') line = line.slice(0, -1)
    made += schemaLine(line, '\n  ', isComplete)
    line = ''
    lines += 1
    while (space.test(text[at + 1] ?? '')) at += 1
  }
  return made + schemaLine(line, ';\n', isComplete)
}

function squeezed(sql: string): string {
  let made = ''
  for (const character of sql.replace(/^[ \t\n\v\f\r]+/, '')) {
    const last = made.at(-1) ?? ''
    if (space.test(character)) {
      if (last === '\r') made = `${made.slice(0, -1)}\n`
      if (space.test(last) || last === '(') continue
    } else if ((character === '(' || character === ')') && space.test(last)) made = made.slice(0, -1)
    made += character
  }
  return made.replace(/[ \t\n\v\f\r]+$/, '')
}

function isBlankToEnd(text: string, from: number): boolean {
  const rest = text.slice(from)
  return /^[ \t\v\f\r]*(\n|--|$)/.test(rest)
}
