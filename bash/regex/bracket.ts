/** Bracket expressions: `[^a-z[:digit:]]`. */
import {
  type CodePoints,
  codePoints,
  difference,
  noCodePoint,
  union,
} from '../../src/search/patterns/regex/code-points.js'
import { awkEscape } from './awk-escape.js'
import { classNamed, negated } from './character-sets.js'
import { closeOverGnuCase } from './gnu-case.js'
import { messages, RegexError } from './regex-error.js'
import type { SyntaxRules } from './syntax.js'

export interface BracketOptions {
  rules: SyntaxRules
  ignoreCase: boolean
  /** Negated sets do not match line feeds. */
  newline: boolean
}

/** An element: one character, which can be an end of a range, or a class. */
type Element = { code: number; hyphen: boolean } | { set: CodePoints }

/** Parses from after the `[`. Returns the set and the place after the `]`. */
export function parseBracket(
  source: readonly string[],
  start: number,
  { rules, ignoreCase, newline }: BracketOptions,
): { set: CodePoints; next: number } {
  let at = start
  const isNegated = source[at] === '^'
  if (isNegated) at += 1
  const first = at
  let set: CodePoints = noCodePoint
  if (source[first] === undefined) throw new RegexError(messages.invalid)
  const end = closing(source, first) ?? first
  if (rules.checksClassSyntax && /^:(?!:*:$)[^-]+:$/u.test(source.slice(first, end).join(''))) {
    throw new RegexError('character class syntax is [[:space:]], not [:space:]')
  }

  for (;;) {
    if (source[at] === undefined) throw new RegexError(messages.brackets)
    if (source[at] === ']' && at > first) break
    const isFirst = at === first
    const low = element()
    if ('code' in low && low.hyphen && !isFirst && source[at] !== ']') throw new RegexError(messages.range)
    if (source[at] !== '-' || source[at + 1] === ']' || source[at + 1] === undefined) {
      set = union(set, 'set' in low ? low.set : [low.code, low.code])
      continue
    }
    at += 1
    const high = element()
    if (!('code' in low && 'code' in high) || low.code > high.code) throw new RegexError(messages.range)
    set = union(set, codePoints([[low.code, high.code]]))
  }
  if (ignoreCase) set = closeOverGnuCase(set)
  if (isNegated) set = negated(set, rules.bytes)
  if (isNegated && newline) set = difference(set, [0x0a, 0x0a])
  return { set, next: at + 1 }

  function element(): Element {
    const kind = source[at] === '[' ? source[at + 1] : undefined
    if (rules.classes && (kind === ':' || kind === '.' || kind === '=')) return named(kind)
    if (rules.awkEscapes && source[at] === '\\') {
      const escaped = awkEscape(source, at, rules.bytes)
      at = escaped.next
      return escaped.set === undefined ? { code: escaped.code, hyphen: false } : { set: escaped.set }
    }
    const character = source[at]
    if (character === undefined) throw new RegexError(messages.brackets)
    at += 1
    return { code: character.codePointAt(0) as number, hyphen: character === '-' }
  }

  /** `[:alpha:]`, `[.-.]` and `[=a=]`. */
  function named(kind: ':' | '.' | '='): Element {
    let close = at + 2
    while (source[close] !== undefined && !(source[close] === kind && source[close + 1] === ']')) close += 1
    if (source[close] === undefined) {
      // A class that does not end is a plain bracket; the others are an error.
      if (kind !== ':') throw new RegexError(messages.brackets)
      at += 1
      return { code: 0x5b, hyphen: false }
    }
    const name = source.slice(at + 2, close)
    at = close + 2
    if (kind === ':') {
      const given = name.join('')
      // Without regard to case, capitals and small letters are all letters, also those that have only one of the two.
      const found = classNamed(ignoreCase && (given === 'upper' || given === 'lower') ? 'alpha' : given)
      if (found === undefined || given === 'word') throw new RegexError(messages.className)
      return { set: found }
    }
    const [only] = name
    if (only === undefined || name.length !== 1) throw new RegexError(messages.collation)
    const code = only.codePointAt(0) as number
    return kind === '=' ? { set: [code, code] } : { code, hyphen: false }
  }
}

/** The place of the `]` of a bracket expression without classes. */
function closing(source: readonly string[], first: number): number | undefined {
  for (let at = first + 1; at < source.length; at += 1) {
    if (source[at] === '[') return undefined
    if (source[at] === ']') return at
  }
  return undefined
}
