/** Absolute patterns, converted for automata that read paths relative to a directory. */
import { resolve, split } from '../../fs/path.js'
import { compileGlobs } from './glob.js'

/** Splits an absolute pattern before its first wildcard into a directory and the rest, which has at least one name. */
export function splitAbsolute(pattern: string): { directory: string; rest: string } {
  const parts = partsOf(pattern)
  const wild = parts.findIndex((part) => /[*?[\]{}\\]/.test(part))
  const literal = wild < 0 ? parts.length - 1 : Math.min(wild, parts.length - 1)
  return {
    directory: resolve('/', `/${parts.slice(0, literal).join('/')}`),
    rest: parts.slice(literal).join('/'),
  }
}

/** A pattern that matches exactly this path. */
export function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{},!]/g, '\\$&')
}

/**
 * Converts an absolute pattern to patterns relative to a directory. An empty pattern means that the directory itself or one above it
 * matches; no pattern at all that nothing in it can match.
 */
export function patternsBelow(pattern: string, directory: string): string[] {
  const parts = partsOf(pattern)
  let places = new Set([0])
  for (const name of split(directory)) {
    const next = new Set<number>()
    for (const place of places) advance(place, name, next)
    places = next
  }
  return [...places].map((place) => parts.slice(place).join('/'))

  function advance(place: number, name: string, next: Set<number>): void {
    const part = parts[place]
    if (part === undefined) next.add(place)
    else if (part === '**') {
      next.add(place)
      advance(place + 1, name, next)
    } else if (compileGlobs([part], nameRules).matches(name)) next.add(place + 1)
  }
}

const nameRules = { slashless: 'at-base', starCrosses: false, ignoreCase: true, dot: true } as const

/** Splits at slashes outside braces; repeated `**` count once. */
function partsOf(pattern: string): string[] {
  const parts: string[] = []
  let part = ''
  let depth = 0
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] as string
    if (character === '{') depth += 1
    if (character === '}' && depth > 0) depth -= 1
    if (character === '/' && depth === 0) {
      addPart()
      continue
    }
    part += character
    if (character === '\\') {
      at += 1
      part += pattern[at] ?? ''
    }
  }
  addPart()
  return parts

  function addPart(): void {
    const repeats = part === '**' && parts.at(-1) === '**'
    if (part !== '' && part !== '.' && !repeats) parts.push(part)
    part = ''
  }
}
