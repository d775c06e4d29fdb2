/** Shell patterns for names of files, where a star matches slashes too. */
import { compileRegex, RegexError } from '../../regex/index.js'

export function nameGlob(pattern: string, { ignoreCase = false } = {}): (name: string) => boolean {
  try {
    const regex = compileRegex(`^${expressionOf(pattern)}$`, { syntax: 'extended', captures: false, ignoreCase })
    return (name) => regex.test(name)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    return (name) => name === pattern
  }
}

function expressionOf(pattern: string): string {
  const characters = Array.from(pattern)
  let expression = ''
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] as string
    if (character === '*') expression += '.*'
    else if (character === '?') expression += '.'
    else if (character === '\\' && at + 1 < characters.length) expression += quote(characters[++at] as string)
    else if (character === '[') {
      const bracket = bracketAt(characters, at)
      expression += bracket?.expression ?? '\\['
      at = bracket?.last ?? at
    } else expression += quote(character)
  }
  return expression
}

function bracketAt(characters: readonly string[], start: number): { expression: string; last: number } | undefined {
  let at = start + 1
  const isNegated = characters[at] === '!' || characters[at] === '^'
  if (isNegated) at += 1
  const first = at
  while (characters[at] !== undefined && (characters[at] !== ']' || at === first)) {
    if (characters[at] === '[' && /^[:.=]$/.test(characters[at + 1] ?? '')) {
      const kind = characters[at + 1]
      const close = characters.findIndex((_, index) => {
        return index > at + 1 && characters[index] === kind && characters[index + 1] === ']'
      })
      if (close > 0) at = close + 1
    }
    at += 1
  }
  if (characters[at] === undefined) return undefined
  return { expression: `[${isNegated ? '^' : ''}${characters.slice(first, at).join('')}]`, last: at }
}

function quote(character: string): string {
  return /^[.[\]{}()*+?^$|\\]$/.test(character) ? `\\${character}` : character
}
