/** Parses POSIX regular expressions with GNU's extensions, as the C library reads them. */
import { type Node, nothing, type Pattern } from '../../src/search/patterns/regex/ast.js'
import { type CodePoints, difference } from '../../src/search/patterns/regex/code-points.js'
import { closeOverCase } from '../../src/search/patterns/regex/unicode.js'
import { awkEscape } from './awk-escape.js'
import { parseBracket } from './bracket.js'
import { anyCharacter, negated, spaceCharacters, wordCharacters } from './character-sets.js'
import { messages, RegexError } from './regex-error.js'
import type { SyntaxRules } from './syntax.js'

export interface ParseOptions {
  rules: SyntaxRules
  ignoreCase: boolean
  /** `^` and `$` match at line feeds too, which `.` and negated sets do not match. */
  newline: boolean
  /** Told of a backslash that means nothing. */
  stray?(character: string): void
}

type Token =
  | { kind: 'end' | 'open' | 'close' | 'or' | 'bracket' | 'any' | 'interval' }
  | { kind: 'repeat'; min: number; max: number }
  | { kind: 'character'; code: number }
  | { kind: 'set'; set: CodePoints }
  | { kind: 'assertion'; node: Node }
  | { kind: 'reference'; group: number }

const maxRepeats = 32767

export function parsePosix(text: string, { rules, ignoreCase, newline, stray }: ParseOptions): Pattern {
  const source = Array.from(text)
  let completed = new Set<number>()
  let at = 0
  let groups = 0
  let depth = 0
  /** Where the token at `at` ends. */
  let next = 0
  /** In a basic expression `^` is an anchor at the start, after `\(` and `\|`, and after another anchor. */
  let anchorHere = true

  const root = choice()
  if (peek().kind === 'close') throw new RegexError(messages.closeGroup)
  return { root, groups }

  function choice(): Node {
    const before = new Set(completed)
    const options = [sequence()]
    const inside = new Set(completed)
    while (peek().kind === 'or') {
      take(true)
      // A reference to a group of another alternative is none.
      completed = new Set(before)
      options.push(sequence())
      for (const group of completed) inside.add(group)
    }
    completed = inside
    return options.length === 1 ? (options[0] as Node) : { kind: 'choice', options }
  }

  function sequence(): Node {
    const items: Node[] = []
    for (;;) {
      const token = peek()
      if (token.kind === 'end' || token.kind === 'or') break
      if (token.kind === 'close' && (depth > 0 || !rules.looseClose)) break
      items.push(expression(token))
    }
    return items.length === 1 ? (items[0] as Node) : { kind: 'sequence', items }
  }

  /** An atom and the repetitions after it. */
  function expression(token: Token): Node {
    if (token.kind === 'assertion') {
      // No repetition can follow: `^*` is an anchor and a star.
      take(true)
      return token.node
    }
    if (token.kind === 'repeat' || token.kind === 'interval') {
      const rule = token.kind === 'repeat' ? rules.leadingRepeat : rules.leadingInterval
      if (rule === 'error') throw new RegexError(messages.repeat)
      if (rule === 'skip') {
        if (token.kind === 'interval') takeInterval()
        else take()
        return nothing
      }
    }
    return repeated(atom(token))
  }

  function repeated(body: Node): Node {
    let node = body
    for (;;) {
      const token = peek()
      if (token.kind === 'repeat') {
        take()
        node = { kind: 'repeat', body: node, min: token.min, max: token.max, greedy: true }
      } else if (token.kind === 'interval') {
        node = { kind: 'repeat', body: node, ...takeInterval(), greedy: true }
      } else return node
      if (rules.refusesDoubleRepeat && isStarOrInterval(peek())) throw new RegexError(messages.repeat)
    }
  }

  function atom(token: Token): Node {
    switch (token.kind) {
      case 'open':
        return group()
      case 'bracket': {
        const { set, next: after } = parseBracket(source, next, { rules, ignoreCase, newline })
        at = after
        anchorHere = false
        return { kind: 'set', set }
      }
      case 'any':
        take()
        return { kind: 'set', set: newline ? difference(anyCharacter, [0x0a, 0x0a]) : anyCharacter }
      case 'set':
        take()
        return { kind: 'set', set: token.set }
      case 'reference':
        take()
        if (!completed.has(token.group)) throw new RegexError(messages.reference)
        return { kind: 'back-reference', group: token.group, ignoreCase }
      case 'character':
        take()
        return character(token.code)
      default: {
        // An operator where it can be none.
        const code = (source[next - 1] as string).codePointAt(0) as number
        take()
        return character(code)
      }
    }
  }

  function group(): Node {
    take(true)
    groups += 1
    depth += 1
    const number = groups
    const body = choice()
    if (peek().kind !== 'close') throw new RegexError(messages.openGroup)
    take()
    depth -= 1
    completed.add(number)
    return { kind: 'capture', body, group: number }
  }

  function character(code: number): Node {
    const set: CodePoints = [code, code]
    return { kind: 'set', set: ignoreCase ? closeOverCase(set) : set }
  }

  function takeInterval(): { min: number; max: number } {
    const { min, max, after } = readInterval(next)
    if (min > max) throw new RegexError(messages.interval)
    if (min > maxRepeats || (max > maxRepeats && max !== Infinity)) throw new RegexError(messages.tooBig)
    at = after
    anchorHere = false
    return { min, max }
  }

  /** The interval from after its brace. Where a brace may be a character, `isValid` is false for one that opens none. */
  function readInterval(start: number): { min: number; max: number; after: number; isValid: boolean } {
    const low = readNumber(start)
    const isComma = source[low.end] === ','
    if (low.number === undefined && !isComma) {
      if (low.end < source.length && !low.isWrong) throw new RegexError(messages.interval)
    }
    const high = isComma ? readNumber(low.end + 1) : low
    const isAtEnd = high.end >= source.length
    const isValid = !low.isWrong && !high.isWrong && !isAtEnd && source[high.end] !== ','
    if (!isValid && !rules.looseInterval) throw new RegexError(isAtEnd ? messages.openInterval : messages.interval)
    const min = low.number ?? 0
    const max = isComma ? (high.number ?? Infinity) : min
    return { min, max, after: high.end + (rules.intervals === 'plain' ? 1 : 2), isValid }
  }

  /** The digits up to a comma, to the closing brace or to the end. */
  function readNumber(start: number): { number?: number; isWrong: boolean; end: number } {
    let end = start
    while (end < source.length && source[end] !== ',' && !isIntervalEnd(end)) end += 1
    const digits = source.slice(start, end).join('')
    if (digits === '') return { isWrong: false, end }
    return { number: Number(digits), isWrong: !/^[0-9]+$/.test(digits), end }
  }

  function isIntervalEnd(place: number): boolean {
    if (rules.intervals === 'plain') return source[place] === '}'
    return source[place] === '\\' && source[place + 1] === '}'
  }

  function take(anchors = false): void {
    at = next
    anchorHere = anchors
  }

  /** The token at `at`; sets `next`. */
  function peek(place = at, isLookahead = false): Token {
    const given = source[place]
    if (!isLookahead) next = place + 1
    if (given === undefined) return { kind: 'end' }
    if (given === '\\') return escaped(place, isLookahead)
    switch (given) {
      case '*':
        return { kind: 'repeat', min: 0, max: Infinity }
      case '+':
        if (rules.plainPlus) return { kind: 'repeat', min: 1, max: Infinity }
        break
      case '?':
        if (rules.plainPlus) return { kind: 'repeat', min: 0, max: 1 }
        break
      case '{':
        if (rules.intervals === 'plain') return interval(place)
        break
      case '(':
        if (rules.plainGroups) return { kind: 'open' }
        break
      case ')':
        if (rules.plainGroups) return { kind: 'close' }
        break
      case '|':
        if (rules.plainGroups) return { kind: 'or' }
        break
      case '[':
        return { kind: 'bracket' }
      case '.':
        return { kind: 'any' }
      case '^':
        if (rules.anchorsAnywhere || anchorHere) return edge(newline ? 'line-start' : 'text-start')
        break
      case '$':
        if (rules.anchorsAnywhere || endsHere(place)) return edge(newline ? 'line-end' : 'text-end')
        break
    }
    return { kind: 'character', code: given.codePointAt(0) as number }
  }

  /** A brace that opens no interval is a character where that is allowed. */
  function interval(place: number): Token {
    if (!rules.looseInterval) return { kind: 'interval' }
    return readInterval(place + 1).isValid ? { kind: 'interval' } : { kind: 'character', code: 0x7b }
  }

  function endsHere(place: number): boolean {
    if (source[place + 1] === undefined) return true
    const { kind } = peek(place + 1, true)
    return kind === 'or' || kind === 'close'
  }

  function escaped(place: number, isLookahead: boolean): Token {
    const letter = source[place + 1]
    if (letter === undefined) throw new RegexError(messages.backslash)
    if (!isLookahead) next = place + 2
    switch (letter) {
      case '(':
        if (!rules.plainGroups) return { kind: 'open' }
        break
      case ')':
        if (!rules.plainGroups) return { kind: 'close' }
        break
      case '|':
        if (!rules.plainGroups) return { kind: 'or' }
        break
      case '{':
        if (rules.intervals === 'escaped') return { kind: 'interval' }
        break
      case '+':
        if (!rules.plainPlus) return { kind: 'repeat', min: 1, max: Infinity }
        break
      case '?':
        if (!rules.plainPlus) return { kind: 'repeat', min: 0, max: 1 }
        break
      case '<':
        return { kind: 'assertion', node: wordSide(true) }
      case '>':
        return { kind: 'assertion', node: wordSide(false) }
      case '`':
        return edge('text-start')
      case "'":
        return edge('text-end')
      case 'B':
        return { kind: 'assertion', node: { kind: 'word-edge', word: wordCharacters(), negated: true } }
      case rules.awkEscapes ? 'y' : 'b':
        return { kind: 'assertion', node: { kind: 'word-edge', word: wordCharacters(), negated: false } }
      case 'w':
        return { kind: 'set', set: wordCharacters() }
      case 'W':
        return { kind: 'set', set: negated(wordCharacters()) }
      case 's':
        return { kind: 'set', set: spaceCharacters() }
      case 'S':
        return { kind: 'set', set: negated(spaceCharacters()) }
    }
    if (rules.awkEscapes) {
      const { code, next: after } = awkEscape(source, place)
      if (!isLookahead) next = after
      return { kind: 'character', code }
    }
    if (letter >= '1' && letter <= '9') return { kind: 'reference', group: Number(letter) }
    if (/^[\p{L}\p{N}\s]$/u.test(letter) && !isLookahead) stray?.(letter)
    return { kind: 'character', code: letter.codePointAt(0) as number }
  }
}

function isStarOrInterval(token: Token): boolean {
  return token.kind === 'interval' || (token.kind === 'repeat' && token.min === 0 && token.max === Infinity)
}

function edge(at: 'text-start' | 'text-end' | 'line-start' | 'line-end'): Token {
  return { kind: 'assertion', node: { kind: 'edge', at } }
}

/** `\<` and `\>`. */
function wordSide(isStart: boolean): Node {
  const body: Node = { kind: 'set', set: wordCharacters() }
  return {
    kind: 'sequence',
    items: [
      { kind: 'look', body, behind: true, negated: isStart },
      { kind: 'look', body, behind: false, negated: !isStart },
    ],
  }
}
