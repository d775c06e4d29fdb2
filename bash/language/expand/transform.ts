/** `${name@operator}` */
import { ExpansionFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import { decodeAnsiQuotes } from '../syntax/ansi-quotes.js'
import { attributeLetters, declarationOf } from './declaration.js'
import { quoteDouble, quoteKey, quoteSingle } from './quote.js'
import { findVariable } from './variable-access.js'

/** The operators that work on one value. */
export function transformText(operator: string, text: string): string {
  switch (operator) {
    case 'Q':
      return quoteSingle(text)
    case 'E':
      return decodeAnsiQuotes(text)
    case 'U':
      return upper(text)
    case 'u': {
      const [first = '', ...rest] = [...text]
      return upper(first) + rest.join('')
    }
    case 'L':
      return lower(text)
    default:
      throw new ExpansionFailure(`\${...@${operator}}: bad substitution`)
  }
}

export function transformList(operator: string, list: readonly string[]): string[] {
  return list.map((text) => transformText(operator, text))
}

/** The operators that work on the variable: `A`, `K`, `k`, `a`. */
export function transformAll(
  shell: Shell,
  operator: string,
  { name, subscript }: { name: string; subscript: string | undefined },
  value: { text: string | undefined; list?: readonly string[] },
): string[] | undefined {
  if (name === '@' || name === '*') {
    if (operator === 'a') return value.list?.map(() => '')
    if (operator !== 'A') return value.list?.map(quoteSingle)
    return ['set', '--', ...(value.list ?? []).map(quoteSingle)].slice(0, (value.list?.length ?? 0) > 0 ? undefined : 0)
  }
  const variable = findVariable(shell, name)
  if (operator === 'a') {
    if (variable === undefined) return undefined
    const letters = attributeLetters(variable)
    return value.list === undefined ? [letters] : value.list.map(() => letters)
  }
  if (operator === 'A') {
    if (variable === undefined) return undefined
    if (value.text === undefined && value.list === undefined)
      return [`declare -${attributeLetters(variable) || '-'} ${name}`]
    if (value.list === undefined && value.text !== undefined) {
      const letters = attributeLetters(variable)
      const assignment = `${name}=${quoteSingle(value.text ?? '')}`
      return [letters === '' ? assignment : `declare -${letters} ${assignment}`]
    }
    const text = declarationOf(name, variable)
    const [, start = '', letters = '', rest = ''] = /^(declare) (-\S+) (.*)$/s.exec(text) ?? []
    return value.list === undefined ? [text] : [start, letters, rest]
  }
  const isMap = variable?.map !== undefined
  if (value.list === undefined || subscript === undefined)
    return value.text === undefined ? undefined : [quoteSingle(value.text)]
  const entries: Array<[string, string]> = isMap
    ? (variable.map?.entries() ?? [])
    : (variable?.list?.indexes() ?? []).map((index) => [String(index), variable?.list?.get(index) ?? ''])
  if (operator === 'k') return entries.flat()
  return [entries.map(([key, text]) => `${quoteKey(key)} ${quoteDouble(text)}`).join(' ') + (isMap ? ' ' : '')]
}

/** Letter by letter, without those whose other case is several letters. */
export function upper(text: string): string {
  return changeLetters(text, (letter) => letter.toUpperCase())
}

export function lower(text: string): string {
  return changeLetters(text, (letter) => letter.toLowerCase())
}

function changeLetters(text: string, change: (letter: string) => string): string {
  const changed = change(text)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it asks for ASCII
  if (/^[\u0000-\u007f]*$/.test(text)) return changed
  return Array.from(text, (letter) => {
    const other = change(letter)
    return [...other].length === 1 ? other : letter
  }).join('')
}
