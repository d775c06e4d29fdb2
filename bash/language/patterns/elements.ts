/** The parts of a pattern. */
import { type CharacterTest, type Fold, parseBrackets } from './brackets.js'
import type { PatternCharacter } from './pattern-text.js'

export type Element =
  | { type: 'literal'; text: string }
  /** `?` */
  | { type: 'any' }
  /** `*` */
  | { type: 'star' }
  /** `[…]` */
  | { type: 'set'; test: CharacterTest; negated: boolean }
  | { type: 'group'; kind: GroupKind; alternatives: Element[][] }

/** `?(…)` at most once, `*(…)` any number of times, `+(…)` at least once, `@(…)` once, `!(…)` anything else. */
export type GroupKind = '?' | '*' | '+' | '@' | '!'

const deepest = 100

export interface ElementOptions {
  extglob: boolean
  fold?: Fold | undefined
}

/** Parses the characters from `start` to `end`. */
export function parseElements(
  characters: readonly PatternCharacter[],
  options: ElementOptions,
  start = 0,
  end = characters.length,
  depth = 0,
): Element[] {
  const elements: Element[] = []
  let literal = ''
  let hasBrackets = true
  const add = (element: Element) => {
    if (literal !== '') elements.push({ type: 'literal', text: literal })
    literal = ''
    const last = elements[elements.length - 1]
    if (element.type !== 'star' || last?.type !== 'star') elements.push(element)
  }
  for (let at = start; at < end; ) {
    const { text, quoted } = characters[at] as PatternCharacter
    if (quoted) {
      literal += text
      at += 1
      continue
    }
    const group = options.extglob && depth < deepest ? parseGroup(characters, options, at, end, depth) : undefined
    if (group !== undefined) {
      add(group.element)
      at = group.next
      continue
    }
    const brackets = text === '[' && hasBrackets ? parseBrackets(characters, at, end, options.fold) : undefined
    // Without an end for this one, there is none for those that follow.
    if (text === '[' && brackets === undefined) hasBrackets = false
    if (brackets !== undefined) add({ type: 'set', test: brackets.test, negated: brackets.negated })
    else if (text === '*') add({ type: 'star' })
    else if (text === '?') add({ type: 'any' })
    else literal += text
    at = brackets?.next ?? at + 1
  }
  if (literal !== '') elements.push({ type: 'literal', text: literal })
  return elements
}

/** The group that begins at `at`, if one does and if it ends. */
function parseGroup(
  characters: readonly PatternCharacter[],
  options: ElementOptions,
  at: number,
  end: number,
  depth: number,
): { element: Element; next: number } | undefined {
  const kind = (characters[at] as PatternCharacter).text
  const open = characters[at + 1]
  if (!'?*+@!'.includes(kind) || at + 1 >= end || open?.text !== '(' || open.quoted) return undefined
  const alternatives: Element[][] = []
  let level = 0
  let from = at + 2
  let hasBrackets = true
  for (let index = at + 2; index < end; index += 1) {
    const { text, quoted } = characters[index] as PatternCharacter
    if (quoted) continue
    if (text === '[') {
      const next: number | undefined = hasBrackets ? parseBrackets(characters, index, end)?.next : undefined
      hasBrackets = next !== undefined
      if (next !== undefined) index = next - 1
    } else if (text === '(') level += 1
    else if (text === ')' && level > 0) level -= 1
    else if (level === 0 && (text === '|' || text === ')')) {
      alternatives.push(parseElements(characters, options, from, index, depth + 1))
      from = index + 1
      if (text === ')') {
        return { element: { type: 'group', kind: kind as GroupKind, alternatives }, next: index + 1 }
      }
    }
  }
  return undefined
}

/** The same pattern for text that is read backwards. */
export function reverseElements(elements: readonly Element[]): Element[] {
  return elements
    .map((element): Element => {
      if (element.type === 'literal') return { type: 'literal', text: reverseText(element.text) }
      if (element.type !== 'group') return element
      return { ...element, alternatives: element.alternatives.map(reverseElements) }
    })
    .reverse()
}

/** Reverses by characters, so that pairs of surrogates stay. */
export function reverseText(text: string): string {
  return [...text].reverse().join('')
}
