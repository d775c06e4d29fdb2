/** Backslashes in Perl's regular expressions that stand for one character or for a set. */
import { type CodePoints, characters, codePoints, union } from '../../src/search/patterns/regex/code-points.js'
import { asciiDigit, asciiWord, property } from '../../src/search/patterns/regex/unicode.js'
import { negated } from './character-sets.js'
import { RegexError } from './regex-error.js'

const asciiSpace = characters('\t\n\v\f\r ')
const horizontal = characters(
  '\t \u00a0\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
)
const vertical = characters('\n\v\f\r\u0085\u2028\u2029')
const lineFeed = characters('\n')
const sets: Readonly<Record<string, CodePoints>> = {
  d: asciiDigit,
  w: asciiWord,
  s: asciiSpace,
  h: horizontal,
  v: vertical,
}
const controls: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, a: 7, e: 27 }

export const asciiClasses: Readonly<Record<string, CodePoints>> = {
  alpha: characters('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'),
  digit: asciiDigit,
  alnum: union(asciiDigit, [0x41, 0x5a, 0x61, 0x7a]),
  upper: [0x41, 0x5a],
  lower: [0x61, 0x7a],
  space: asciiSpace,
  blank: characters('\t '),
  punct: codePoints([
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ]),
  cntrl: [0, 0x1f, 0x7f, 0x7f],
  print: [0x20, 0x7e],
  graph: [0x21, 0x7e],
  word: asciiWord,
  xdigit: characters('0123456789abcdefABCDEF'),
  ascii: [0, 0x7f],
}

export type PerlEscape = { next: number; code: number } | { next: number; set: CodePoints }

/** Of the backslash at `at`; undefined when it is something else, such as a reference. */
export function perlEscape(source: readonly string[], at: number, inClass: boolean): PerlEscape | undefined {
  const letter = source[at + 1]
  if (letter === undefined) throw new RegexError('\\ at end of pattern')
  const next = at + 2
  const set = sets[letter]
  if (set !== undefined) return { next, set }
  const opposite = /^[DWSHV]$/.test(letter) ? sets[letter.toLowerCase()] : undefined
  if (opposite !== undefined) return { next, set: negated(opposite) }
  if (letter === 'N' && !inClass) return { next, set: negated(lineFeed) }
  if (letter === 'p' || letter === 'P') return unicodeProperty(source, next, letter === 'P')
  if (letter === 'x') return hexadecimal(source, next)
  if (letter === 'c') return control(source, next)
  if (letter === 'b' && inClass) return { next, code: 8 }
  const code = controls[letter]
  if (code !== undefined) return { next, code }
  if (letter === '0' || (inClass && /^[1-7]$/.test(letter))) return octal(source, at + 1)
  if (letter === 'o') return bracedOctal(source, next)
  if (/^[A-Za-z0-9]$/.test(letter)) return undefined
  return { next, code: letter.codePointAt(0) as number }
}

function unicodeProperty(source: readonly string[], start: number, isNegated: boolean): PerlEscape {
  const rest = source.slice(start, start + 64).join('')
  const [all, caret = '', braced, letter] = /^(?:\{(\^?)([^}]*)\}|([A-Za-z]))/.exec(rest) ?? ['']
  const name = braced ?? letter
  const set = name === undefined ? undefined : property(name === 'L&' ? 'LC' : name)
  if (set === undefined) throw new RegexError('unknown property after \\P or \\p')
  return { next: start + all.length, set: isNegated !== (caret === '^') ? negated(set) : set }
}

function hexadecimal(source: readonly string[], start: number): PerlEscape {
  const rest = source.slice(start, start + 16).join('')
  const [all, braced, plain] = /^(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{0,2}))/.exec(rest) ?? ['']
  const code = Number.parseInt(braced ?? plain ?? '', 16)
  if (code > 0x10ffff) throw new RegexError('character code point value in \\x{} or \\o{} is too large')
  return { next: start + all.length, code: Number.isNaN(code) ? 0 : code }
}

function control(source: readonly string[], start: number): PerlEscape {
  const letter = source[start]
  if (letter === undefined) throw new RegexError('\\c at end of pattern')
  return { next: start + 1, code: letter.toUpperCase().charCodeAt(0) ^ 0x40 }
}

function octal(source: readonly string[], start: number): PerlEscape {
  const [digits = '0'] = /^[0-7]{1,3}/.exec(source.slice(start, start + 3).join('')) ?? []
  return { next: start + digits.length, code: Number.parseInt(digits, 8) }
}

function bracedOctal(source: readonly string[], start: number): PerlEscape {
  const [all = '', digits = ''] = /^\{([0-7]+)\}/.exec(source.slice(start, start + 16).join('')) ?? []
  if (all === '') throw new RegexError('missing opening brace after \\o')
  return { next: start + all.length, code: Number.parseInt(digits, 8) }
}
