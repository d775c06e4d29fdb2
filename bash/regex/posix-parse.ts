/** Parses POSIX regular expressions with GNU's extensions, as the C library reads them. */
import { type Node, nothing, type Pattern } from '../../src/search/patterns/regex/ast.js'
import { type CodePoints, noCodePoint } from '../../src/search/patterns/regex/code-points.js'
import { parseBracket } from './bracket.js'
import { negated } from './character-sets.js'
import { closeOverGnuCase } from './gnu-case.js'
import { posixTokens, type Token } from './posix-tokens.js'
import { messages, RegexError } from './regex-error.js'
import type { SyntaxRules } from './syntax.js'

export interface ParseOptions {
  rules: SyntaxRules
  ignoreCase: boolean
  /** `^` and `$` match at line feeds too, which `.` and negated sets do not match. */
  newline: boolean
  /** Called for a backslash that means nothing. */
  stray?(character: string): void
  /** Called for a repetition of nothing, which is left out. */
  leading?(operator: string): void
}

export function parsePosix(text: string, { rules, ignoreCase, newline, stray, leading }: ParseOptions): Pattern {
  const source = Array.from(text)
  const { peek, take, takeInterval, end, moveTo } = posixTokens(source, { rules, newline, stray })
  /** Groups that a reference may name. */
  let completed = new Set<number>()
  let groups = 0
  let depth = 0

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
    /** Nothing that could be repeated is before the token. */
    let isFirst = true
    for (;;) {
      const token = peek()
      if (token.kind === 'end' || token.kind === 'or') break
      if (token.kind === 'close' && (depth > 0 || !rules.looseClose)) break
      if (isFirst && rules.dropsLeadingBrace === true && isBrace()) take()
      else {
        const node = expression(token)
        if (node !== nothing && token.kind !== 'assertion') isFirst = false
        items.push(node)
      }
    }
    return items.length === 1 ? (items[0] as Node) : { kind: 'sequence', items }
  }

  /** Whether the next token, which is not an escaped one, is a brace. */
  function isBrace(): boolean {
    return source[end() - 1] === '{' && source[end() - 2] !== '\\'
  }

  /** An atom and the repetitions after it. */
  function expression(token: Token): Node {
    if (token.kind === 'assertion') {
      // No repetition can follow: `^*` is an anchor and a star, and `^^` an anchor and a character.
      const isStart = source[end() - 1] === '^'
      take(!isStart)
      return isStart && rules.repeatsAnchors === true ? repeatedAnchor(token.node) : token.node
    }
    if (token.kind === 'repeat' || token.kind === 'interval') {
      const rule = token.kind === 'repeat' ? rules.leadingRepeat : rules.leadingInterval
      if (rule === 'error') throw new RegexError(messages.repeat)
      if (rule === 'skip') {
        leading?.(token.kind === 'interval' ? '{...}' : (source[end() - 1] as string))
        if (token.kind === 'interval') takeInterval()
        else take()
        if (peek().kind === 'close' && token.kind === 'repeat') throw new RegexError(messages.openGroup)
        return nothing
      }
    }
    return repeated(atom(token))
  }

  function repeatedAnchor(node: Node): Node {
    const { kind } = peek()
    if (kind === 'repeat') leading?.(source[end() - 1] as string)
    return kind === 'repeat' ? repeated(node) : node
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
        const { set, next } = parseBracket(source, end(), { rules, ignoreCase, newline })
        moveTo(next)
        return { kind: 'set', set }
      }
      case 'any':
        take()
        return { kind: 'set', set: negated(newline ? [0x0a, 0x0a] : noCodePoint, rules.bytes) }
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
        const code = (source[end() - 1] as string).codePointAt(0) as number
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
    return { kind: 'set', set: ignoreCase ? closeOverGnuCase(set) : set }
  }
}

function isStarOrInterval(token: Token): boolean {
  return token.kind === 'interval' || (token.kind === 'repeat' && token.min === 0 && token.max === Infinity)
}
