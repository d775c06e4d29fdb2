/** Patterns that count from the top of the tree, for machines that read paths from a directory in it. */
import { resolve, split } from '../../fs/path.js'
import { compileGlobs } from './glob.js'

/** The directory an absolute pattern names before its first wildcard, and the rest of it, which is at least a name. */
export function splitAbsolute(pattern: string): { directory: string; rest: string } {
  const parts = partsOf(pattern)
  const wild = parts.findIndex((part) => /[*?[\]{}\\]/.test(part))
  const literal = wild < 0 ? parts.length - 1 : Math.min(wild, parts.length - 1)
  return {
    directory: resolve('/', `/${parts.slice(0, literal).join('/')}`),
    rest: parts.slice(literal).join('/'),
  }
}

/** A path as a pattern that names it and nothing else. */
export function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{},!]/g, '\\$&')
}

/**
 * What an absolute pattern names below a directory, as patterns that count from there. An empty one: the directory itself is named, or
 * one above it. None at all: nothing in it is.
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

/** Between the slashes that are not within braces; a run of `**` counts once. */
function partsOf(pattern: string): string[] {
  const parts: string[] = []
  let part = ''
  let depth = 0
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] as string
    if (character === '{') depth += 1
    if (character === '}' && depth > 0) depth -= 1
    if (character === '/' && depth === 0) {
      keep()
      continue
    }
    part += character
    if (character === '\\') {
      at += 1
      part += pattern[at] ?? ''
    }
  }
  keep()
  return parts

  function keep(): void {
    const repeats = part === '**' && parts.at(-1) === '**'
    if (part !== '' && part !== '.' && !repeats) parts.push(part)
    part = ''
  }
}
