/** Bracketed classes in Perl's regular expressions. */

import { type CodePoints, codePoints, noCodePoint, union } from '../../src/search/patterns/regex/code-points.js'
import { entryOf } from '../../src/text/entry-of.js'
import { negated } from './character-sets.js'
import { asciiClasses, type PerlEscape, perlEscape } from './perl-escape.js'
import { RegexError } from './regex-error.js'

/** Parses from after the `[`. Returns the set and the place after the `]`. */
export function parsePerlClass(
  source: readonly string[],
  start: number,
  foldCase: ((set: CodePoints) => CodePoints) | undefined,
): { set: CodePoints; next: number } {
  let at = start
  const isNegated = source[at] === '^'
  if (isNegated) at += 1
  const first = at
  let set: CodePoints = noCodePoint
  while (source[at] !== ']' || at === first) {
    const low = item()
    const isRange = source[at] === '-' && source[at + 1] !== ']' && 'code' in low
    if (!isRange) {
      set = union(set, 'set' in low ? low.set : [low.code, low.code])
      continue
    }
    const hyphen = at
    at += 1
    const high = item()
    if (!('code' in high)) {
      set = union(set, [low.code, low.code], [0x2d, 0x2d], high.set)
      continue
    }
    if (high.code < low.code) throw new RegexError(`range out of order in character class at offset ${hyphen}`)
    set = union(set, codePoints([[low.code, high.code]]))
  }
  if (foldCase !== undefined) set = foldCase(set)
  return { set: isNegated ? negated(set) : set, next: at + 1 }

  function item(): PerlEscape {
    const character = source[at]
    if (character === undefined) throw new RegexError('missing terminating ] for character class')
    if (character === '[' && source[at + 1] === ':') {
      const named = posixClass()
      if (named !== undefined) return named
    }
    if (character !== '\\') {
      at += 1
      return { next: at, code: character.codePointAt(0) as number }
    }
    const escaped = perlEscape(source, at, true)
    if (escaped === undefined) {
      throw new RegexError('unrecognized character follows \\')
    }
    at = escaped.next
    return escaped
  }

  function posixClass(): PerlEscape | undefined {
    const [all = '', caret, name = ''] = /^\[:(\^?)([a-z]+):\]/.exec(source.slice(at, at + 16).join('')) ?? []
    if (all === '') return undefined
    const found = entryOf(asciiClasses, name)
    if (found === undefined) throw new RegexError('unknown POSIX class name')
    at += all.length
    return { next: at, set: caret === '^' ? negated(found) : found }
  }
}
