/** Patterns that users write. None of them can take long: git runs beside the workspace, not in a worker. */
import { compileRegex, RegexError, type ShellRegex } from '../regex/index.js'
import { fatal } from './git-error.js'

export type Pattern = Pick<ShellRegex, 'test' | 'exec'>

export interface PatternOptions {
  syntax: 'basic' | 'extended' | 'perl' | 'fixed'
  ignoreCase?: boolean
  /** `^` and `$` match at every line. */
  lines?: boolean
}

export function regexPattern(text: string, { syntax, ignoreCase = false, lines = false }: PatternOptions): Pattern {
  const source = syntax === 'fixed' ? [...text].map(literal).join('') : text
  try {
    return compileRegex(source, { syntax: syntax === 'fixed' ? 'extended' : syntax, ignoreCase, newline: lines })
  } catch (error) {
    if (error instanceof RegexError) throw fatal(`invalid regular expression: ${text}`)
    throw error
  }
}

/** `*` also matches slashes, unless a pattern is for one component. */
export function globPattern(glob: string, { component = false } = {}): Pattern {
  const any = component ? '[^/]' : '(.|\n)'
  let source = ''
  for (const character of glob) {
    if (character === '*') source += `${any}*`
    else if (character === '?') source += any
    else if (character === '[' || character === ']') source += character
    else source += literal(character)
  }
  return regexPattern(`^(${source})$`, { syntax: 'extended' })
}

/** The character itself in an extended regular expression. */
export function literal(character: string): string {
  return /[\\^$.*+?()[\]{}|]/.test(character) ? `\\${character}` : character
}

/** How often a pattern matches, without overlaps. */
export function countMatches(pattern: Pattern, text: string): number {
  let count = 0
  let at = 0
  for (let match = pattern.exec(text, at); match !== undefined; match = pattern.exec(text, at)) {
    count += 1
    at = match.end > match.start ? match.end : match.end + 1
    if (at > text.length) break
  }
  return count
}
