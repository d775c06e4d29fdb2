/** Patterns of `case`, `[[ == ]]`, `${x#pattern}` and pathname expansion. */
import { type Element, parseElements, reverseElements, reverseText } from './elements.js'
import { findEnds, findExtremes, matchesSimple, widthAt } from './match.js'
import { charactersOf, type PatternText } from './pattern-text.js'

export type { PatternText } from './pattern-text.js'

export interface PatternOptions {
  extglob?: boolean
  nocase?: boolean
  /** For whole paths, as in `GLOBIGNORE`: only a star at the end matches slashes. */
  paths?: boolean
}

export interface Pattern {
  /** The text, if only that one matches. */
  readonly literal: string | undefined
  /** Whether it names a leading dot, which `*` and the like do not match in file names. */
  readonly matchesLeadingDot: boolean
  matches(text: string): boolean
  removePrefix(text: string, longest: boolean): string
  removeSuffix(text: string, longest: boolean): string
  /** Replaces the first match, all of them, or one at the beginning or the end; always the longest. */
  replace(text: string, where: 'first' | 'all' | 'prefix' | 'suffix', replacement: (matched: string) => string): string
}

const cacheSize = 500
const cache = new Map<string, Pattern>()

export function compilePattern(
  pattern: PatternText,
  { extglob = true, nocase = false, paths = false }: PatternOptions = {},
): Pattern {
  const key = `${extglob ? 'x' : ''}${nocase ? 'i' : ''}${paths ? '/' : ''}${pattern.map(({ text, quoted }) => `${quoted ? 'q' : 'p'}${text.length}:${text}`).join('')}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const elements = parseElements(charactersOf(pattern), { extglob, fold: nocase ? foldCharacter : undefined })
  const compiled = compile(paths ? withinComponents(elements) : elements, nocase)
  if (cache.size >= cacheSize) cache.clear()
  if (key.length < 1000) cache.set(key, compiled)
  return compiled
}

function compile(written: Element[], nocase: boolean): Pattern {
  const elements = nocase ? foldElements(written) : written
  const hasGroups = elements.some(({ type }) => type === 'group')
  const only = elements[0]
  const isLiteral = elements.length === 0 || (elements.length === 1 && only?.type === 'literal')
  const plain = isLiteral ? (only?.type === 'literal' ? only.text : '') : undefined
  let reversed: Element[] | undefined

  function matches(text: string): boolean {
    if (plain !== undefined) return text === plain
    if (!hasGroups) return matchesSimple(elements, text)
    return findEnds(elements, text, [0]).at(-1) === text.length
  }

  /** The length of a matching prefix. */
  function prefixLength(text: string, longest: boolean): number | undefined {
    if (plain !== undefined) return text.startsWith(plain) ? plain.length : undefined
    const ends = findExtremes(elements, text, 0)
    return longest ? ends.at(-1) : ends[0]
  }

  function suffixLength(text: string, longest: boolean): number | undefined {
    if (plain !== undefined) return text.endsWith(plain) ? plain.length : undefined
    reversed ??= reverseElements(elements)
    const ends = findExtremes(reversed, reverseText(text), 0)
    return longest ? ends.at(-1) : ends[0]
  }

  function replaceAll(text: string, all: boolean, replacement: (matched: string) => string): string {
    if (elements.length === 0) return text
    let result = ''
    let done = 0
    const last = lastStart(text)
    for (let at = 0; at < text.length; ) {
      const start = nextStart(text, at)
      if (start === undefined || start > last) break
      const end = findExtremes(elements, text, start).at(-1)
      if (end === undefined) {
        // A star at the beginning has tried all places already.
        if (only?.type === 'star') break
        at = start + widthAt(text, start)
        continue
      }
      result += text.slice(done, start) + replacement(text.slice(start, end))
      done = end
      if (!all) break
      at = end > start ? end : start + widthAt(text, start)
    }
    return result + text.slice(done)
  }

  /** The next place where a match can begin. */
  function nextStart(text: string, from: number): number | undefined {
    if (only?.type !== 'literal') return from
    const found = text.indexOf(only.text, from)
    return found < 0 ? undefined : found
  }

  /** Behind this place no match can begin: a text of the pattern does not occur any more. */
  function lastStart(text: string): number {
    let last = text.length
    for (const element of elements) {
      if (element.type === 'literal') last = Math.min(last, text.lastIndexOf(element.text))
    }
    return last
  }

  return {
    literal: plain,
    matchesLeadingDot: namesDot(written),
    matches,
    removePrefix(text, longest) {
      return text.slice(prefixLength(text, longest) ?? 0)
    },
    removeSuffix(text, longest) {
      return text.slice(0, text.length - (suffixLength(text, longest) ?? 0))
    },
    replace(text, where, replacement) {
      // In an empty text bash replaces nothing but a star, except at the end.
      if (text === '' && elements.length > 0 && where !== 'suffix')
        return elements.length === 1 && only?.type === 'star' ? replacement('') : ''
      if (where === 'first' || where === 'all') return replaceAll(text, where === 'all', replacement)
      const length = where === 'prefix' ? prefixLength(text, true) : suffixLength(text, true)
      if (length === undefined) return text
      if (where === 'prefix') return replacement(text.slice(0, length)) + text.slice(length)
      return text.slice(0, text.length - length) + replacement(text.slice(text.length - length))
    },
  }
}

const notSlash: Element = { type: 'set', negated: true, test: (character) => character === '/' }

function withinComponents(elements: readonly Element[]): Element[] {
  return elements.map((element, at): Element => {
    switch (element.type) {
      case 'star':
        return at === elements.length - 1 ? element : { type: 'group', kind: '*', alternatives: [[notSlash]] }
      case 'any':
        return notSlash
      case 'set': {
        const { test, negated } = element
        return { type: 'set', negated: false, test: (character) => character !== '/' && test(character) !== negated }
      }
      case 'group':
        return { ...element, alternatives: element.alternatives.map(withinComponents) }
      default:
        return element
    }
  })
}

function namesDot(elements: readonly Element[]): boolean {
  const first = elements[0]
  if (first?.type === 'literal') return first.text.startsWith('.')
  return first?.type === 'group' && first.kind !== '!' && first.alternatives.some(namesDot)
}

function foldCharacter(character: string): string {
  return character.toLowerCase()
}

/** Texts become sets of one character each, which do not regard its case. */
function foldElements(elements: readonly Element[]): Element[] {
  return elements.flatMap((element): Element[] => {
    if (element.type === 'group') return [{ ...element, alternatives: element.alternatives.map(foldElements) }]
    if (element.type !== 'literal') return [element]
    return [...element.text].map((character) => {
      const folded = foldCharacter(character)
      return { type: 'set', negated: false, test: (other) => foldCharacter(other) === folded }
    })
  })
}
