/** The character classes of the locale C.UTF-8, as sets of code points. */

import {
  type CodePoints,
  characters,
  codePoints,
  difference,
  everyCodePoint,
  union,
} from '../../src/search/patterns/regex/code-points.js'
import { property } from '../../src/search/patterns/regex/unicode.js'
import { entryOf } from '../../src/text/entry-of.js'

/** Bytes that are not UTF-8 are lone surrogates; no class and no `.` matches them. */
const escapedBytes: CodePoints = [0xdc80, 0xdcff]

export const anyCharacter: CodePoints = difference(everyCodePoint, escapedBytes)

/** `bytes`: every byte is a character. */
export function negated(set: CodePoints, bytes = false): CodePoints {
  return difference(bytes ? everyCodePoint : anyCharacter, set)
}

const known = new Map<string, CodePoints>()

/** The set of a class such as `alpha`; undefined for an unknown name. */
export function classNamed(name: string): CodePoints | undefined {
  const found = known.get(name)
  if (found !== undefined) return found
  const set = entryOf(makers, name)?.()
  if (set !== undefined) known.set(name, set)
  return set
}

export function wordCharacters(): CodePoints {
  return named('word')
}

export function spaceCharacters(): CodePoints {
  return named('space')
}

function named(name: string): CodePoints {
  return classNamed(name) ?? []
}

const digit: CodePoints = [0x30, 0x39]

const makers: Readonly<Record<string, () => CodePoints>> = {
  digit: () => digit,
  xdigit: () => characters('0123456789abcdefABCDEF'),
  blank: () => difference(union(characters('\t '), property('Zs') ?? []), noBreakSpaces),
  space: () => difference(union(characters('\t\n\v\f\r '), property('White_Space') ?? []), noBreakSpaces),
  // The C library counts the digits of other scripts as letters, since `digit` is for ASCII alone.
  alpha: () => difference(union(property('Alphabetic') ?? [], property('Nd') ?? []), digit),
  alnum: () => union(named('alpha'), digit),
  word: () => union(named('alnum'), characters('_')),
  upper: () => property('Uppercase') ?? [],
  lower: () => property('Lowercase') ?? [],
  cntrl: () => union(codePoints([[0, 0x1f]]), [0x7f, 0x9f], [0x2028, 0x2029]),
  print: () => difference(difference(anyCharacter, property('Cn') ?? []), union(named('cntrl'), [0xd800, 0xdfff])),
  graph: () => difference(named('print'), named('space')),
  punct: () => difference(named('graph'), named('alnum')),
}

const noBreakSpaces = characters('\u00a0\u2007\u202f\u0085')
