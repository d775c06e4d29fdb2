/** `REGEXP` of the shell: the few constructs it has, written for the engine of Perl's. */
import { compileRegex, RegexError } from '../../../regex/index.js'

const any = '(?:.|\\n)'
const classes: Readonly<Record<string, string>> = {
  w: 'A-Za-z0-9_',
  d: '0-9',
  s: ' \\t\\n\\x0b\\f\\r',
}
const controls: Readonly<Record<string, string>> = {
  a: '\\x07',
  f: '\\f',
  n: '\\n',
  r: '\\r',
  t: '\\t',
  v: '\\x0b',
}

class Wrong extends Error {}

/** Whether it matches, or what is wrong with the expression. */
export function matchesRegex(expression: string, text: string): boolean | string {
  try {
    return compileRegex(translated(expression), { syntax: 'perl', captures: false }).test(text)
  } catch (error) {
    if (error instanceof Wrong || error instanceof RegexError) return error.message
    throw error
  }
}

function translated(given: string): string {
  let made = given.startsWith('^') ? '\\A' : ''
  for (let at = made === '' ? 0 : 1; at < given.length; ) {
    const character = given[at] as string
    if (character === '\\') {
      const { text, length } = escapeAt(given, at, false)
      made += text
      at += length
    } else if (character === '[') {
      const { text, length } = set(given, at)
      made += text
      at += length
    } else {
      made += character === '.' ? any : character === '$' ? '\\z' : character === '^' ? '\\^' : character
      at += 1
    }
  }
  return made
}

function escapeAt(given: string, at: number, inSet: boolean): { text: string; length: number } {
  const name = given[at + 1] ?? ''
  const [hex] = /^(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})/.exec(given.slice(at + 1)) ?? []
  if (hex !== undefined) return { text: `\\x{${hex.slice(1)}}`, length: hex.length + 1 }
  const lower = classes[name.toLowerCase()]
  if (name === 'b' && !inSet) return { text: '\\b', length: 2 }
  if (lower !== undefined && !inSet) return { text: `[${name in classes ? '' : '^'}${lower}]`, length: 2 }
  if (controls[name] !== undefined) return { text: controls[name] as string, length: 2 }
  if (name !== '' && '\\{}()[]|*+?.^$-'.includes(name)) return { text: `\\${name}`, length: 2 }
  throw new Wrong('unknown \\ escape')
}

function set(given: string, start: number): { text: string; length: number } {
  let at = start + 1
  let made = '['
  if (given[at] === '^') {
    made += '^'
    at += 1
  }
  const first = at
  while (at < given.length && (given[at] !== ']' || at === first)) {
    if (given[at] === '\\') {
      const { text, length } = escapeAt(given, at, true)
      made += text
      at += length
    } else {
      made += given[at] === '[' || given[at] === ']' ? `\\${given[at]}` : given[at]
      at += 1
    }
  }
  if (at >= given.length) throw new Wrong("unclosed '['")
  return { text: `${made}]`, length: at + 1 - start }
}
