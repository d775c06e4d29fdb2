/**
 * Parses Perl's regular expressions, as far as an engine with look-around and references can match them: atomic groups
 * and possessive repetitions become a look-ahead and a reference to what it found. Recursion, conditions and verbs are
 * refused.
 */
import { type Node, nothing } from '../../src/search/patterns/regex/ast.js'
import { type CodePoints, characters, codePoints, union } from '../../src/search/patterns/regex/code-points.js'
import { asciiWord, closeOverCase } from '../../src/search/patterns/regex/unicode.js'
import { anyCharacter, negated } from './character-sets.js'
import type { FirstMatchPattern } from './first-match.js'
import { parsePerlClass } from './perl-class.js'
import { perlEscape } from './perl-escape.js'
import { perlGroups } from './perl-groups.js'
import { RegexError } from './regex-error.js'

interface Flags {
  ignoreCase: boolean
  dotAll: boolean
  multiline: boolean
  verbose: boolean
}

const quantifier = /^(?:([*+?])|\{([0-9]+)(,?)([0-9]*)\})([+?]?)/
/** Since 5.34 blanks are allowed, and the lower bound can be left out. */
const programQuantifier = /^(?:([*+?])|\{[ \t]*(?=,?[ \t]*[0-9])([0-9]*)[ \t]*(,?)[ \t]*([0-9]*)[ \t]*\})([+?]?)/

const lineFeed = characters('\n')
const lineEnds: Node = {
  kind: 'choice',
  options: [
    { kind: 'sequence', items: [plain(0x0d), plain(0x0a)] },
    {
      kind: 'set',
      set: codePoints([
        [0x0a, 0x0d],
        [0x85, 0x85],
        [0x2028, 0x2029],
      ]),
    },
  ],
}

function plain(code: number): Node {
  return { kind: 'set', set: [code, code] }
}

export interface PerlSyntax {
  ignoreCase: boolean
  multiline: boolean
  dotAll?: boolean
  verbose?: boolean
  /** As in a program of perl on text whose units are bytes; otherwise as in PCRE on lines. */
  isProgram?: boolean
}

export interface PerlPattern extends FirstMatchPattern {
  names: ReadonlyMap<string, number>
}

export function parsePerl(text: string, given: PerlSyntax): PerlPattern {
  const { ignoreCase, multiline, dotAll = false, verbose = false, isProgram = false } = given
  const source = Array.from(text)
  const groups = perlGroups()
  const foldCase = isProgram ? closeOverAsciiCase : closeOverCase
  let at = 0
  let flags: Flags = { ignoreCase, multiline, dotAll, verbose }

  const root = choice()
  if (at < source.length) throw new RegexError('unmatched closing parenthesis')
  return { root, ...groups.finish() }

  function rest(length = 64): string {
    return source.slice(at, at + length).join('')
  }

  function takeMatch(expression: RegExp): RegExpExecArray | undefined {
    const found = expression.exec(rest())
    if (found === null) return undefined
    at += Array.from(found[0]).length
    return found
  }

  /** Flags that are set inside a group end with it, and hold for its later alternatives. */
  function choice(): Node {
    const outer = flags
    const options = [sequence()]
    while (source[at] === '|') {
      at += 1
      options.push(sequence())
    }
    flags = outer
    return options.length === 1 ? (options[0] as Node) : { kind: 'choice', options }
  }

  function sequence(): Node {
    const items: Node[] = []
    for (;;) {
      if (flags.verbose) skipBlanks()
      const next = source[at]
      if (next === undefined || next === '|' || next === ')') break
      if (next === '\\' && source[at + 1] === 'Q') {
        items.push(...quoted())
        continue
      }
      const node = atom(next)
      if (node !== undefined) items.push(quantified(node))
    }
    return items.length === 1 ? (items[0] as Node) : { kind: 'sequence', items }
  }

  function skipBlanks(): void {
    for (;;) {
      while (/^\s$/.test(source[at] ?? '')) at += 1
      if (source[at] !== '#') return
      while (at < source.length && source[at] !== '\n') at += 1
    }
  }

  function quoted(): Node[] {
    at += 2
    const items: Node[] = []
    while (at < source.length && !(source[at] === '\\' && source[at + 1] === 'E')) {
      items.push(character((source[at] as string).codePointAt(0) as number))
      at += 1
    }
    at = Math.min(source.length, at + 2)
    const last = items.pop()
    return last === undefined ? [] : [...items, quantified(last)]
  }

  function quantified(body: Node): Node {
    let node = body
    for (;;) {
      if (flags.verbose) skipBlanks()
      const found = takeMatch(isProgram ? programQuantifier : quantifier)
      if (found === undefined) return node
      const [, sign, low, comma, high, mode] = found
      if (sign !== undefined && node !== body) throw new RegexError('quantifier does not follow a repeatable item')
      const min = sign === undefined ? Number(low || 0) : sign === '+' ? 1 : 0
      const max =
        sign === undefined ? (comma === '' ? min : high === '' ? Infinity : Number(high)) : sign === '?' ? 1 : Infinity
      if (max < min) throw new RegexError('numbers out of order in {} quantifier')
      if (min > 65535 || (max > 65535 && max !== Infinity)) throw new RegexError('number too big in {} quantifier')
      node = { kind: 'repeat', body: node, min, max, greedy: mode !== '?' }
      if (mode === '+') node = atomic(node)
    }
  }

  /** What the body matches first, and no other way. */
  function atomic(body: Node): Node {
    const group = groups.add()
    return {
      kind: 'sequence',
      items: [
        { kind: 'look', body: { kind: 'capture', body, group }, behind: false, negated: false },
        { kind: 'back-reference', group, ignoreCase: false },
      ],
    }
  }

  function character(code: number): Node {
    return { kind: 'set', set: flags.ignoreCase ? foldCase([code, code]) : [code, code] }
  }

  /** Undefined for what is not an item of its own, such as a comment. */
  function atom(next: string): Node | undefined {
    switch (next) {
      case '(':
        return parenthesis()
      case '[': {
        const found = parsePerlClass(source, at + 1, flags.ignoreCase ? foldCase : undefined)
        at = found.next
        return { kind: 'set', set: found.set }
      }
      case '.':
        at += 1
        return { kind: 'set', set: flags.dotAll ? anyCharacter : negated(lineFeed) }
      case '^':
        at += 1
        if (isProgram && flags.multiline) return startOfLine
        return { kind: 'edge', at: flags.multiline ? 'line-start' : 'text-start' }
      case '$':
        at += 1
        if (isProgram && !flags.multiline) return beforeLastLineFeed()
        return { kind: 'edge', at: flags.multiline ? 'line-end' : 'text-end' }
      case '\\':
        return backslash()
      case '*':
      case '+':
      case '?':
        throw new RegexError('quantifier does not follow a repeatable item')
      default:
        at += 1
        return character(next.codePointAt(0) as number)
    }
  }

  function backslash(): Node | undefined {
    const letter = source[at + 1]
    switch (letter) {
      case 'b':
      case 'B':
        at += 2
        if (isProgram && source[at] === '{') throw new RegexError(`\\${letter}{} is not supported by this shell`)
        return { kind: 'word-edge', word: asciiWord, negated: letter === 'B' }
      case 'A':
        at += 2
        return { kind: 'edge', at: 'text-start' }
      case 'z':
        at += 2
        return { kind: 'edge', at: 'text-end' }
      case 'Z':
        at += 2
        return beforeLastLineFeed()
      case 'R':
        at += 2
        return lineEnds
      case 'E':
        at += 2
        return undefined
      case 'K':
        at += 2
        return { kind: 'capture', body: nothing, group: groups.addKeep() }
    }
    if (isProgram && /^[pP]$/.test(letter ?? '')) throw new RegexError(`\\${letter} is not supported by this shell`)
    const escaped = perlEscape(source, at, false)
    if (escaped === undefined) return reference()
    at = escaped.next
    if ('code' in escaped) return character(escaped.code)
    return { kind: 'set', set: escaped.set }
  }

  function reference(): Node {
    const named = takeMatch(/^\\k(?:<(\w+)>|\{(\w+)\}|'(\w+)')/) ?? takeMatch(/^\\g\{([A-Za-z_]\w*)\}/)
    if (named !== undefined) return groups.referenceByName(named[1] ?? named[2] ?? named[3] ?? '', flags.ignoreCase)
    const numbered = takeMatch(/^\\g(?:\{(-?[0-9]+)\}|(-?[0-9]+))/) ?? takeMatch(/^\\([1-9][0-9]?)/)
    if (numbered === undefined) throw new RegexError(`\\${source[at + 1]} is not supported by this shell`)
    return groups.reference(Number(numbered[1] ?? numbered[2]), flags.ignoreCase)
  }

  function parenthesis(): Node | undefined {
    if (rest(2) === '(*') throw new RegexError('(*VERB) is not supported by this shell')
    if (source[at + 1] !== '?') {
      at += 1
      return captured()
    }
    if (takeMatch(/^\(\?#[^)]*\)/) !== undefined) return undefined
    const name = takeMatch(/^\(\?(?:P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/)
    if (name !== undefined) return captured(name[1] ?? name[2])
    const back = takeMatch(/^\(\?P=(\w+)\)/)
    if (back !== undefined) return groups.referenceByName(back[1] ?? '', flags.ignoreCase)
    const look = takeMatch(/^\(\?(<?)([=!])/)
    if (look !== undefined) {
      return { kind: 'look', body: inside(), behind: look[1] === '<', negated: look[2] === '!' }
    }
    if (takeMatch(/^\(\?>/) !== undefined) return atomic(inside())
    const set = takeMatch(isProgram ? /^\(\?(\^?[imsxa]*)(?:-([imsx]+))?([:)])/ : /^\(\?([imsx]*)(?:-([imsx]+))?([:)])/)
    if (set === undefined) throw new RegexError(`${rest(3)} is not supported by this shell`)
    const [, on = '', off = '', end] = set
    if (/x.*x/.test(on)) throw new RegexError('the modifier xx is not supported by this shell')
    const outer = flags
    if (on.startsWith('^')) flags = changed(flags, 'imsx', false)
    flags = changed(changed(flags, on, true), off, false)
    if (end === ')') return undefined
    const body = inside()
    flags = outer
    return { kind: 'sequence', items: [body] }
  }

  function captured(name?: string): Node {
    const group = groups.addNumbered(name)
    return { kind: 'capture', body: inside(), group }
  }

  function inside(): Node {
    const body = choice()
    if (source[at] !== ')') throw new RegexError('missing closing parenthesis')
    at += 1
    return body
  }
}

function changed(flags: Flags, letters: string, value: boolean): Flags {
  return {
    ignoreCase: letters.includes('i') ? value : flags.ignoreCase,
    dotAll: letters.includes('s') ? value : flags.dotAll,
    multiline: letters.includes('m') ? value : flags.multiline,
    verbose: letters.includes('x') ? value : flags.verbose,
  }
}

/** Not at the end of the text, where no line starts. */
const startOfLine: Node = {
  kind: 'choice',
  options: [
    { kind: 'edge', at: 'text-start' },
    {
      kind: 'sequence',
      items: [
        { kind: 'edge', at: 'line-start' },
        { kind: 'look', body: { kind: 'set', set: anyCharacter }, behind: false, negated: false },
      ],
    },
  ],
}

/** Bytes beyond ASCII have no case. */
function closeOverAsciiCase(set: CodePoints): CodePoints {
  const ranges: Array<[number, number]> = []
  for (let at = 0; at < set.length; at += 2) {
    const [low, high] = [set[at] as number, set[at + 1] as number]
    ranges.push([low, high])
    for (const [first, last, distance] of cases) {
      const from = Math.max(low, first)
      const to = Math.min(high, last)
      if (from <= to) ranges.push([from + distance, to + distance])
    }
  }
  return union(...ranges)
}

const cases = [
  [0x41, 0x5a, 32],
  [0x61, 0x7a, -32],
] as const

/** The end of the text, or before a line feed that ends it. */
function beforeLastLineFeed(): Node {
  const body: Node = {
    kind: 'sequence',
    items: [
      { kind: 'repeat', body: plain(0x0a), min: 0, max: 1, greedy: true },
      { kind: 'edge', at: 'text-end' },
    ],
  }
  return { kind: 'look', body, behind: false, negated: false }
}
