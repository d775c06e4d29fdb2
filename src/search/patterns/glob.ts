/**
 * Glob patterns, compiled to automata rather than to regular expressions: those of picomatch backtrack exponentially on `*a*a*a*a*b`. The
 * limits here only bound the size of an automaton. Braces are branches of it, never expanded; extended globs such as `+(a|b)` are branches
 * and loops, in dialects that have them, else plain characters.
 */
import { FsError } from '../../errors.js'
import {
  type Automaton,
  anything,
  automatonBuilder,
  type Builder,
  type CharacterSet,
  type Node,
  single,
  singleFolded,
  slash,
  visibleStart,
  withinName,
} from './automaton.js'
import { parseClass } from './character-class.js'

export interface GlobRules {
  /**
   * Whether a pattern without `/` matches names at any depth or only at the base. `wild-at-any-depth`: at any depth if it has wildcards,
   * else only at the base.
   */
  slashless: 'any-depth' | 'at-base' | 'wild-at-any-depth'
  /** `*`, `?` and classes match `/` too. */
  starCrosses: boolean
  ignoreCase: boolean
  /** Wildcards match a leading dot. */
  dot: boolean
  /** Braces without a comma are removed, and there are no ranges; otherwise such braces are characters, as in a shell. */
  loneBraces?: boolean
  /** `@(a|b)`, `+(a|b)`, `*(a|b)`, `?(a|b)` and `(a|b)` are groups. The last also stands for its own text, as names may contain it. */
  extended?: boolean
  /** A pattern that does not end in a star also matches everything below what it matches, and may end in a slash. */
  expandsDirectories?: boolean
  /** A leading slash means the top of the tree, which callers have to convert (see `patternsBelow`); otherwise the base. */
  absolute?: boolean
}

/** The meaning of a pattern unless a caller gives rules of its own: a name at any depth, leading dots included. */
export const defaultGlobRules: GlobRules = { slashless: 'any-depth', starCrosses: false, ignoreCase: false, dot: true }

/** Patterns of which at least one has to match. */
export interface Glob {
  /** Reads paths relative to the base. */
  readonly automaton: Automaton
  /** Whether a path relative to the base matches. */
  matches(path: string): boolean
  /** What it was compiled from: plain data, so that it can be sent to a thread. */
  readonly source: { readonly patterns: readonly string[]; readonly rules: GlobRules }
}

const maxPatternLength = 1000
/** Each star adds states that are active at the same time. */
const maxStars = 50
/** Of a range such as `{1..50}`. */
const maxRangeItems = 1000
/** Of all patterns together. */
const maxNodes = 10_000

/**
 * Compiles patterns. Fails with `INVALID_PATTERN` for unclosed brackets or braces and for an empty pattern, and with
 * `PATTERN_TOO_COMPLEX` beyond the limits. An empty list matches nothing.
 */
export function compileGlobs(patterns: readonly string[], rules: GlobRules): Glob {
  const builder = automatonBuilder()
  for (const pattern of patterns) addPattern(builder, pattern, rules)
  const automaton = builder.build()
  return {
    automaton,
    matches: (path) => automaton.advance(automaton.start, path).fileRule >= 0,
    source: { patterns, rules },
  }
}

function addPattern(builder: Builder, pattern: string, rules: GlobRules): void {
  if (pattern.length > maxPatternLength) throw tooComplex(pattern, `longer than ${maxPatternLength} characters`)
  const text = textOf(pattern, rules)
  if (text === '') throw invalid(pattern, 'empty')
  if (text.startsWith('!'))
    throw invalid(pattern, 'a leading ! has no meaning here; write \\! for the character itself')
  const isAnyDepth =
    text === pattern &&
    !text.includes('/') &&
    (rules.slashless === 'any-depth' || (rules.slashless === 'wild-at-any-depth' && /[*?[{]/.test(text)))
  const start = isAnyDepth ? builder.directories(builder.root, rules.dot ? withinName : visibleStart) : builder.root
  const end = parse(builder, start, { pattern, text, rules })
  end.directoryRule = 0
  end.fileRule = 0
  if (!rules.expandsDirectories || text.endsWith('*')) return
  const below = builder.repeat(builder.read(end, single(slash)), anything)
  below.directoryRule = 0
  below.fileRule = 0
  below.holdsBelow = true
}

/** The pattern relative to the base. */
function textOf(pattern: string, { expandsDirectories }: GlobRules): string {
  const text = pattern.replace(/^(\.?\/)+/, '')
  if (!expandsDirectories) return text
  // The base itself.
  if (pattern !== '' && (text === '' || text === '.')) return '**'
  const normal = text.replace(/\/(\.?\/)+/g, '/').replace(/([^\\])\/+$/, '$1')
  // `a/**` matches `a` too, which is what an expanded `a` does.
  return normal.replace(/([^*\\])\/\*\*$/, '$1')
}

interface Source {
  /** The whole pattern, for errors. */
  pattern: string
  text: string
  rules: GlobRules
}

/** The position while parsing. */
interface Place {
  node: Node
  /** A name starts at the node. */
  atStart: boolean
  /** Where a name starts if the star before it matched nothing; only set where wildcards must not match a leading dot. */
  emptyStar?: Node | undefined
}

function parse(builder: Builder, start: Node, { pattern, text, rules }: Source): Node {
  const only = rules.ignoreCase ? singleFolded : single
  const within = rules.starCrosses ? anything : withinName
  const first = rules.dot ? within : visibleStart
  const closings = closingBraces(text)
  const groupEnds = rules.extended ? closingParentheses(text) : new Map<number, number>()
  let starCount = 0
  let at = 0
  return sequence({ node: start, atStart: true }, text.length, undefined).node

  /** Parses up to `stop`; `after` is the character there. */
  function sequence(from: Place, stop: number, after: string | undefined): Place {
    let place = from
    while (at < stop) {
      if (builder.nodeCount > maxNodes) throw tooComplex(pattern, 'it stands for too many names')
      place = item(place, stop, after)
    }
    return place
  }

  function item(place: Place, stop: number, after: string | undefined): Place {
    const close = groupEnds.get(at) ?? ('@+*?!'.includes(text[at] as string) ? groupEnds.get(at + 1) : undefined)
    if (close !== undefined && close < stop) return group(place, close, stop, after)
    switch (text[at]) {
      case '*':
        return stars(place, stop, after)
      case '?':
        at += 1
        return read(place, within, 'wildcard')
      case '[': {
        const characterClass = parseClass(text, at, { ignoreCase: rules.ignoreCase, matchesSlash: rules.starCrosses })
        if (characterClass === undefined || characterClass.end > stop) throw invalid(pattern, 'a [ is never closed')
        at = characterClass.end
        return read(place, characterClass.set, 'wildcard')
      }
      case '{':
        return braces(place, stop, after)
      case '\\':
        at += 1
        if (at === stop) throw invalid(pattern, 'it ends in a backslash')
        return character(place)
      default:
        return character(place)
    }
  }

  function character(place: Place): Place {
    const code = text.codePointAt(at) as number
    at += code > 0xffff ? 2 : 1
    return { ...read(place, only(code), 'literal'), atStart: code === slash }
  }

  function read({ node, atStart, emptyStar }: Place, set: CharacterSet, as: 'literal' | 'wildcard'): Place {
    const isGuarded = atStart && as === 'wildcard' && !rules.dot
    const to = builder.read(node, isGuarded ? both(set, visibleStart) : set)
    if (emptyStar) builder.link(emptyStar, both(set, visibleStart), to)
    return { node: to, atStart: false }
  }

  function stars({ node, atStart, emptyStar }: Place, stop: number, after: string | undefined): Place {
    const count = countStars(text, at)
    at += count
    starCount += 1
    if (starCount > maxStars) throw tooComplex(pattern, `more than ${maxStars} stars`)
    const next = at < stop ? text[at] : after
    const isWhole = atStart && (next === undefined || next === '/')
    if (isWhole && count === 2 && at < stop) {
      at += 1
      // Repeated `**/` mean the same as one.
      while (text.startsWith('**/', at) && at + 3 <= stop) at += 3
      return { node: builder.directories(node, rules.dot ? withinName : visibleStart), atStart: true }
    }
    if (isWhole && count === 2) {
      if (rules.dot && at === text.length) node.holdsBelow = true
      const inside = rules.dot ? node : builder.directories(node, visibleStart)
      return { node: builder.repeat(builder.read(inside, first), rules.dot ? anything : withinName), atStart: false }
    }
    if (isWhole) return { node: builder.repeat(builder.read(node, first), within), atStart: false }
    if (atStart && count === 2 && next === '.') {
      // `**.ts` matches at any depth, as in picomatch.
      const inside = builder.directories(node, rules.dot ? withinName : visibleStart)
      return { node: builder.repeat(rules.dot ? inside : builder.read(inside, visibleStart), within), atStart: false }
    }
    if (!atStart) return { node: builder.repeat(node, within), atStart: false, emptyStar }
    if (rules.dot) return { node: builder.repeat(node, within), atStart: false }
    return { node: builder.repeat(builder.read(node, visibleStart), within), atStart: false, emptyStar: node }
  }

  function braces(place: Place, stop: number, after: string | undefined): Place {
    const close = closings.get(at)
    if (close === undefined) throw invalid(pattern, 'a { is never closed')
    const range =
      !rules.loneBraces && /^\{(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])\}$/.exec(text.slice(at, close + 1))
    const commas = commasIn(text, at, close, closings)
    if (commas.length === 0 && !range && !rules.loneBraces) return character(place)

    const ends: Place[] = []
    if (range) {
      for (const word of wordsOf(range[1] as string, range[2] as string)) {
        let end = place
        for (const letter of word) end = read(end, only(letter.charCodeAt(0)), 'literal')
        ends.push(end)
      }
    } else {
      const afterBraces = close + 1 < stop ? text[close + 1] : after
      for (const branchStop of [...commas, close]) {
        at += 1
        ends.push(sequence(place, branchStop, afterBraces))
      }
    }
    at = close + 1
    return joined(ends)
  }

  /** Everything starts at a new node, because a loop must not lead back into what other patterns share. */
  function group(place: Place, close: number, stop: number, after: string | undefined): Place {
    const opening = at
    const mark = text[opening] === '(' ? '' : (text[opening] as string)
    if (mark === '!') throw invalid(pattern, 'groups that are negated, as in !(a|b), are not supported')
    const open = builder.fresh()
    builder.skip(place.node, open)
    const inside: Place = { ...place, node: open }
    const afterGroup = close + 1 < stop ? text[close + 1] : after
    at = opening + mark.length
    const ends: Place[] = []
    for (const branchStop of [...barsIn(text, at, close, groupEnds), close]) {
      at += 1
      ends.push(sequence(inside, branchStop, mark === '*' || mark === '+' ? '(' : afterGroup))
    }
    if (mark === '') {
      let end = inside
      for (at = opening; at <= close; ) end = character(end)
      ends.push(end)
    }
    at = close + 1
    const end = joined(ends)
    if (mark === '+' || mark === '*') builder.skip(end.node, open)
    if (mark === '?' || mark === '*') builder.skip(open, end.node)
    return mark === '' || mark === '@' ? end : { ...end, atStart: false }
  }

  function joined(ends: readonly Place[]): Place {
    const node = builder.fresh()
    let emptyStar: Node | undefined
    for (const end of ends) {
      builder.skip(end.node, node)
      if (end.emptyStar === undefined) continue
      emptyStar ??= builder.fresh()
      builder.skip(end.emptyStar, emptyStar)
    }
    return { node, atStart: ends.every(({ atStart }) => atStart), emptyStar }
  }

  function wordsOf(from: string, to: string): string[] {
    const isNumeric = /\d/.test(from)
    if (isNumeric !== /\d/.test(to)) throw invalid(pattern, `{${from}..${to}} is no range`)
    const [a, b] = isNumeric ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)]
    const count = Math.abs(b - a) + 1
    if (count > maxRangeItems) throw tooComplex(pattern, `{${from}..${to}} stands for more than ${maxRangeItems} names`)
    return Array.from({ length: count }, (_, index) => {
      const value = Math.min(a, b) + index
      return isNumeric ? String(value) : String.fromCharCode(value)
    })
  }
}

function both(one: CharacterSet, other: CharacterSet): CharacterSet {
  return { has: (code) => one.has(code) && other.has(code) }
}

function countStars(text: string, at: number): number {
  let end = at
  while (text[end] === '*') end += 1
  return end - at
}

/** The offsets of closing braces by those of opening ones. Escaped braces and those in classes are characters. */
function closingBraces(text: string): Map<number, number> {
  const closings = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '[') at = (parseClass(text, at, { ignoreCase: false })?.end ?? at + 1) - 1
    else if (text[at] === '{') open.push(at)
    else if (text[at] === '}') {
      const opening = open.pop()
      if (opening !== undefined) closings.set(opening, at)
    }
  }
  return closings
}

/** The offsets of closing parentheses by those of opening ones, as `closingBraces`. */
function closingParentheses(text: string): Map<number, number> {
  const closings = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '[') at = (parseClass(text, at, { ignoreCase: false })?.end ?? at + 1) - 1
    else if (text[at] === '(') open.push(at)
    else if (text[at] === ')') {
      const opening = open.pop()
      if (opening !== undefined) closings.set(opening, at)
    }
  }
  return closings
}

/** The bars between the branches of a group, without those of inner ones. */
function barsIn(text: string, open: number, close: number, closings: ReadonlyMap<number, number>): number[] {
  const bars: number[] = []
  for (let at = open + 1; at < close; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '[') at = (parseClass(text, at, { ignoreCase: false })?.end ?? at + 1) - 1
    else if (text[at] === '(') at = closings.get(at) ?? at
    else if (text[at] === '|') bars.push(at)
  }
  return bars
}

/** The commas between the branches of one pair of braces, without those of inner braces. */
function commasIn(text: string, open: number, close: number, closings: ReadonlyMap<number, number>): number[] {
  const commas: number[] = []
  for (let at = open + 1; at < close; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '[') at = (parseClass(text, at, { ignoreCase: false })?.end ?? at + 1) - 1
    else if (text[at] === '{') at = closings.get(at) ?? at
    else if (text[at] === ',') commas.push(at)
  }
  return commas
}

function invalid(pattern: string, reason: string): FsError {
  return new FsError('INVALID_PATTERN', { pattern: pattern.slice(0, maxPatternLength), reason })
}

function tooComplex(pattern: string, reason: string): FsError {
  return new FsError('PATTERN_TOO_COMPLEX', { pattern: pattern.slice(0, maxPatternLength), reason })
}
