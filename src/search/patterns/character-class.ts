import { entryOf } from '../../text/entry-of.js'
import { type CharacterSet, fold, slash } from './automaton.js'

export interface CharacterClass {
  set: CharacterSet
  /** The offset after the closing bracket. */
  end: number
}

/**
 * Parses the class that opens with the `[` at `start` as git does: `!` or `^` negates, `]` in first place is a character, a backslash
 * escapes, `[:alpha:]` and the like name sets. Never matches `/` unless `matchesSlash` is set. Undefined when it is not closed or names an
 * unknown set.
 */
export function parseClass(
  pattern: string,
  start: number,
  options: { ignoreCase: boolean; matchesSlash?: boolean },
): CharacterClass | undefined {
  let at = start + 1
  const isNegated = pattern[at] === '!' || pattern[at] === '^'
  if (isNegated) at += 1
  const tests: ((code: number) => boolean)[] = []
  /** The character a range may start from. */
  let previous: number | undefined

  for (let isFirst = true; isFirst || pattern[at] !== ']'; isFirst = false) {
    const named = pattern[at] === '[' && pattern[at + 1] === ':' ? namedSet(pattern, at) : undefined
    if (named === 'unknown') return undefined
    if (named !== undefined) {
      tests.push(inEitherCase(named.has, options.ignoreCase))
      at = named.end
      previous = undefined
      continue
    }
    if (pattern[at] === '-' && previous !== undefined && pattern[at + 1] !== undefined && pattern[at + 1] !== ']') {
      const last = character(pattern, at + 1)
      if (last === undefined) return undefined
      tests.push(range(previous, last.code, options.ignoreCase))
      at = last.end
      previous = undefined
      continue
    }
    const one = character(pattern, at)
    if (one === undefined) return undefined
    tests.push(range(one.code, one.code, options.ignoreCase))
    at = one.end
    previous = one.code
  }

  const matchesSlash = options.matchesSlash ?? false
  return {
    set: {
      has: (code) => (matchesSlash || code !== slash) && tests.some((test) => test(code)) !== isNegated,
    },
    end: at + 1,
  }
}

/** One character, escaped or not. */
function character(pattern: string, at: number): { code: number; end: number } | undefined {
  const start = pattern[at] === '\\' ? at + 1 : at
  const code = pattern.codePointAt(start)
  return code === undefined ? undefined : { code, end: start + (code > 0xffff ? 2 : 1) }
}

function range(first: number, last: number, ignoreCase: boolean): (code: number) => boolean {
  return inEitherCase((code) => code >= first && code <= last, ignoreCase)
}

function inEitherCase(has: (code: number) => boolean, ignoreCase: boolean): (code: number) => boolean {
  if (!ignoreCase) return has
  return (code) =>
    has(code) || has(fold(code)) || has(String.fromCodePoint(code).toUpperCase().codePointAt(0) as number)
}

/** A `[:name:]` inside a class; undefined when it has no `:]` and is plain characters. */
function namedSet(pattern: string, at: number) {
  const close = pattern.indexOf(']', at + 2)
  if (close === -1) return 'unknown'
  if (close < at + 3 || pattern[close - 1] !== ':') return undefined
  const has = entryOf(namedSets, pattern.slice(at + 2, close - 1))
  return has === undefined ? 'unknown' : { has, end: close + 1 }
}

const isLower = (code: number) => code >= 0x61 && code <= 0x7a
const isUpper = (code: number) => code >= 0x41 && code <= 0x5a
const isDigit = (code: number) => code >= 0x30 && code <= 0x39
const isAlpha = (code: number) => isLower(code) || isUpper(code)
const isGraphic = (code: number) => code > 0x20 && code < 0x7f

const namedSets: Readonly<Record<string, (code: number) => boolean>> = {
  __proto__: null as never,
  alnum: (code) => isAlpha(code) || isDigit(code),
  alpha: isAlpha,
  blank: (code) => code === 0x20 || code === 0x09,
  cntrl: (code) => code < 0x20 || code === 0x7f,
  digit: isDigit,
  graph: isGraphic,
  lower: isLower,
  print: (code) => isGraphic(code) || code === 0x20,
  punct: (code) => isGraphic(code) && !isAlpha(code) && !isDigit(code),
  space: (code) => code === 0x20 || (code >= 0x09 && code <= 0x0d),
  upper: isUpper,
  xdigit: (code) => isDigit(code) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46),
}
