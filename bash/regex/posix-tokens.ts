/** The tokens of POSIX regular expressions. What a character means depends on the rules, and on what is before it. */
import type { Node } from '../../src/search/patterns/regex/ast.js'
import type { CodePoints } from '../../src/search/patterns/regex/code-points.js'
import { awkEscape } from './awk-escape.js'
import { negated, spaceCharacters, wordCharacters } from './character-sets.js'
import { messages, RegexError } from './regex-error.js'
import type { SyntaxRules } from './syntax.js'

export type Token =
  | { kind: 'end' | 'open' | 'close' | 'or' | 'bracket' | 'any' | 'interval' }
  | { kind: 'repeat'; min: number; max: number }
  | { kind: 'character'; code: number }
  | { kind: 'set'; set: CodePoints }
  | { kind: 'assertion'; node: Node }
  | { kind: 'reference'; group: number }

export interface PosixTokens {
  /** The next token. */
  peek(): Token
  /** Takes it. `anchors`: an anchor may follow in a basic expression. */
  take(anchors?: boolean): void
  /** Takes an interval, whose brace is the next token. */
  takeInterval(): { min: number; max: number }
  /** Where the next token ends. */
  end(): number
  /** Goes on behind what others have read. */
  moveTo(place: number): void
}

const maxRepeats = 32767

export interface TokenOptions {
  rules: SyntaxRules
  /** `^` and `$` match at line feeds too. */
  newline: boolean
  /** Called for a backslash that means nothing. */
  stray?: ((character: string) => void) | undefined
}

export function posixTokens(source: readonly string[], { rules, newline, stray }: TokenOptions): PosixTokens {
  let at = 0
  /** Where the token at `at` ends. */
  let next = 0
  /** In a basic expression `^` is an anchor at the start, after `\(` and `\|`, and after another anchor. */
  let anchorHere = true

  return { peek: () => peek(), take, takeInterval, end: () => next, moveTo }

  function take(anchors = false): void {
    moveTo(next, anchors)
  }

  function moveTo(place: number, anchors = false): void {
    at = place
    anchorHere = anchors
  }

  function takeInterval(): { min: number; max: number } {
    const { min, max, after } = readInterval(next)
    if (min > max) throw new RegexError(messages.interval)
    if (min > maxRepeats || (max > maxRepeats && max !== Infinity)) throw new RegexError(messages.tooBig)
    moveTo(after)
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
        if (!rules.plainGroups && rules.escapedRepeats) return { kind: 'or' }
        break
      case '{':
        if (rules.intervals === 'escaped') return { kind: 'interval' }
        break
      case '+':
        if (!rules.plainPlus && rules.escapedRepeats) return { kind: 'repeat', min: 1, max: Infinity }
        break
      case '?':
        if (!rules.plainPlus && rules.escapedRepeats) return { kind: 'repeat', min: 0, max: 1 }
        break
    }
    const operator = rules.gnuOperators ? gnuOperator(letter) : undefined
    if (operator !== undefined) return operator
    if (rules.awkEscapes) {
      const { code, next: after } = awkEscape(source, place, rules.bytes)
      if (!isLookahead) next = after
      return { kind: 'character', code }
    }
    if (letter >= '1' && letter <= '9') return { kind: 'reference', group: Number(letter) }
    if (/^[\p{L}\p{N}\s]$/u.test(letter) && !isLookahead) stray?.(letter)
    return { kind: 'character', code: letter.codePointAt(0) as number }
  }

  /** What GNU adds. */
  function gnuOperator(letter: string): Token | undefined {
    switch (letter) {
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
        return { kind: 'set', set: negated(wordCharacters(), rules.bytes) }
      case 's':
        return { kind: 'set', set: spaceCharacters() }
      case 'S':
        return { kind: 'set', set: negated(spaceCharacters(), rules.bytes) }
    }
    return undefined
  }
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
