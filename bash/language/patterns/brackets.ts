/** Bracket expressions: `[a-z]`, `[!x]`, `[[:alpha:]]`. */
import { entryOf } from '../../../src/text/entry-of.js'
import type { PatternCharacter } from './pattern-text.js'

/** Makes characters that differ in case the same. Classes such as `[:upper:]` see them as they are. */
export type Fold = (character: string) => string

const same: Fold = (character) => character

export type CharacterTest = (character: string) => boolean

const classes: Readonly<Record<string, RegExp>> = {
  alpha: /^[A-Za-z]$|^(?![\0-\x7f])[\p{Alphabetic}\p{Nd}]$/u,
  digit: /^[0-9]$/,
  alnum: /^[A-Za-z0-9]$|^(?![\0-\x7f])[\p{Alphabetic}\p{Nd}]$/u,
  upper: /^[A-Z]$|^(?![\0-\x7f])\p{Uppercase}$/u,
  lower: /^[a-z]$|^(?![\0-\x7f])\p{Lowercase}$/u,
  space: /^(?![\u00a0\u2007\u202f\ufeff])\s$/,
  blank: /^(?![\u00a0\u2007\u202f])[\t\p{Zs}]$/u,
  punct: /^[!-/:-@[-`{-~]$|^(?![\0-\x7f])[^\p{Alphabetic}\p{Nd}\p{Z}\p{C}]$/u,
  print: /^[ -~]$|^(?![\0-\x7f])[^\p{Cc}\p{Cs}\p{Cn}]$/u,
  graph: /^[!-~]$|^(?![\0-\x7f])[^\p{Z}\p{Cc}\p{Cs}\p{Cn}]$/u,
  cntrl: /^[\p{Cc}\u2028\u2029]$/u,
  xdigit: /^[0-9A-Fa-f]$/,
  ascii: /^[\0-\x7f]$/,
  word: /^[A-Za-z0-9_]$|^(?![\0-\x7f])[\p{Alphabetic}\p{Nd}]$/u,
}

/** Parses the expression whose `[` is at `at`. Nothing when it has no end: then the bracket is text. */
export function parseBrackets(
  characters: readonly PatternCharacter[],
  at: number,
  end: number,
  fold: Fold = same,
): { test: CharacterTest; negated: boolean; next: number } | undefined {
  let index = at + 1
  const isPlain = (offset: number, text: string) => {
    const character = characters[offset]
    return offset < end && character !== undefined && !character.quoted && character.text === text
  }
  const negated = isPlain(index, '!') || isPlain(index, '^')
  if (negated) index += 1
  const tests: CharacterTest[] = []
  for (let isFirst = true; isFirst || !isPlain(index, ']'); isFirst = false) {
    if (index >= end) return undefined
    const named = isPlain(index, '[') ? parseNamed(characters, index, end) : undefined
    if (named?.test !== undefined) {
      tests.push(named.test)
      index = named.next
      continue
    }
    const from = named?.character ?? (characters[index] as PatternCharacter).text
    index = named?.next ?? index + 1
    if (!isPlain(index, '-') || isPlain(index + 1, ']') || index + 1 >= end) {
      const folded = fold(from)
      tests.push((character) => fold(character) === folded)
      continue
    }
    const upper = isPlain(index + 1, '[') ? parseNamed(characters, index + 1, end) : undefined
    const to = upper?.character ?? (characters[index + 1] as PatternCharacter).text
    index = upper?.next ?? index + 2
    tests.push(rangeTest(fold(from), fold(to), fold))
  }
  return { test: (character) => tests.some((test) => test(character)), negated, next: index + 1 }
}

/** `[:class:]`, `[=x=]` or `[.x.]`. */
function parseNamed(
  characters: readonly PatternCharacter[],
  at: number,
  end: number,
): { test?: CharacterTest; character?: string; next: number } | undefined {
  const mark = characters[at + 1]?.text
  if (mark !== ':' && mark !== '=' && mark !== '.') return undefined
  for (let close = at + 2; close + 1 < end; close += 1) {
    if (characters[close]?.text !== mark || characters[close + 1]?.text !== ']') continue
    const name = characters
      .slice(at + 2, close)
      .map(({ text }) => text)
      .join('')
    const next = close + 2
    if (mark !== ':') return [...name].length === 1 ? { character: name, next } : { test: () => false, next }
    const expression = entryOf(classes, name)
    return { test: (character) => expression?.test(character) ?? false, next }
  }
  return undefined
}

function rangeTest(from: string, to: string, fold: Fold): CharacterTest {
  const low = from.codePointAt(0) as number
  const high = to.codePointAt(0) as number
  return (character) => {
    const code = fold(character).codePointAt(0) as number
    return code >= low && code <= high
  }
}
