import { FsError } from '../../../errors.js'
import { cutUnits } from '../../../text/lines/lines.js'
import { type Node, nothing, type Pattern } from './ast.js'
import { parseClass } from './character-class.js'
import { type CodePoints, complement } from './code-points.js'
import { type Escape, parseEscape } from './escape.js'
import type { Flags, Groups, Reader, RegexSyntax } from './reader.js'
import { asciiWord, closeOverCase, unicodeWord } from './unicode.js'

export interface ParseOptions {
  syntax: RegexSyntax
  ignoreCase: boolean
  /** `.` matches line ends too. */
  dotAll: boolean
  /** In UTF-16 units; checked first. */
  maxLength: number
  maxNesting: number
}

/**
 * Parses a regular expression. ECMAScript is parsed as programs write it, with and without the `u` flag: Annex B is accepted, and text is
 * always code points. Rust syntax is that of the `regex` crate and, except for `\C` and `\Q`, of RE2.
 */
export function parse(pattern: string, options: ParseOptions): Pattern {
  const { syntax } = options
  const rust = syntax === 'rust'
  const reader: Reader = {
    characters: Array.from(pattern),
    at: 0,
    syntax,
    fail: (reason) => invalid(pattern, reason),
  }
  if (pattern.length > options.maxLength) reader.fail(`longer than ${options.maxLength} characters`)
  if (!pattern.isWellFormed()) reader.fail('half a surrogate pair')

  const { characters } = reader
  const groups = groupsAhead(characters)
  let group = 0
  let depth = 0
  let flags: Flags = {
    ignoreCase: options.ignoreCase,
    dotAll: options.dotAll,
    unicode: rust,
    verbose: false,
    swapGreed: false,
  }
  const root = choice()
  if (reader.at < characters.length) reader.fail('a closing parenthesis without its opening one')
  return { root, groups: group, names: groups.byName }

  function choice(): Node {
    const options = [sequence()]
    while (take('|')) options.push(sequence())
    return options.length === 1 ? options[0]! : { kind: 'choice', options }
  }

  function sequence(): Node {
    const items: Node[] = []
    for (;;) {
      if (flags.verbose) skipBlanks()
      const next = characters[reader.at]
      if (next === undefined || next === '|' || next === ')') break
      const item = term()
      if (item !== nothing) items.push(item)
    }
    return items.length === 1 ? items[0]! : { kind: 'sequence', items }
  }

  function term(): Node {
    let node = atom()
    for (let quantified = false; ; quantified = true) {
      if (flags.verbose) skipBlanks()
      const range = quantifier()
      if (range === undefined) return node
      if (quantified && !rust) reader.fail('nothing to repeat')
      if (node === nothing) reader.fail('nothing to repeat')
      node = { kind: 'repeat', body: node, ...range, greedy: take('?') === flags.swapGreed }
    }
  }

  function quantifier(): { min: number; max: number } | undefined {
    if (take('*')) return { min: 0, max: Infinity }
    if (take('+')) return { min: 1, max: Infinity }
    if (take('?')) return { min: 0, max: 1 }
    if (characters[reader.at] !== '{') return undefined
    const close = characters.indexOf('}', reader.at)
    const counts =
      close < 0
        ? null
        : /^(\d*)(,?)(\d*)$/.exec(
            characters
              .slice(reader.at + 1, close)
              .join('')
              .trim(),
          )
    const [, low = '', comma = '', high = ''] = counts ?? []
    if (low === '' && (high === '' || !rust)) return rust ? reader.fail('a repetition needs numbers') : undefined
    reader.at = close + 1
    const min = low === '' ? 0 : Number(low)
    const max = comma === '' ? min : high === '' ? Infinity : Number(high)
    if (min > max) reader.fail('numbers out of order in a repetition')
    if (min > 100_000 || (max > 100_000 && max !== Infinity)) reader.fail('a repetition of more than 100000')
    return { min, max }
  }

  function atom(): Node {
    const character = characters[reader.at]!
    switch (character) {
      case '(':
        return parenthesis()
      case '[':
        return one(parseClass(reader, flags))
      case '.':
        reader.at += 1
        return one(flags.dotAll ? complement([]) : complement(rust ? newline : ecmaLineEnds))
      case '^':
        reader.at += 1
        return { kind: 'edge', at: 'line-start' }
      case '$':
        reader.at += 1
        return { kind: 'edge', at: 'line-end' }
      case '\\':
        return fromEscape(parseEscape(reader, flags, groups))
      case '*':
      case '+':
      case '?':
        return reader.fail('nothing to repeat')
      case '{':
        if (quantifier() !== undefined) reader.fail('nothing to repeat')
    }
    reader.at += 1
    return literal(character.codePointAt(0)!)
  }

  function parenthesis(): Node {
    reader.at += 1
    depth += 1
    if (depth > options.maxNesting) reader.fail(`groups nested deeper than ${options.maxNesting}`)
    const before = flags
    const open = opening()
    if (open === 'flags') {
      // Flags without a body apply to the end of the enclosing group.
      depth -= 1
      return nothing
    }
    const body = choice()
    if (!take(')')) reader.fail('a group without its closing parenthesis')
    flags = before
    depth -= 1
    return open(body)
  }

  /** Parses from after `(` to the body, and returns what makes a node of the body. */
  function opening(): 'flags' | ((body: Node) => Node) {
    if (!take('?')) return capture()
    if (take(':')) return (body) => body
    const name = /^(P?)<([^>=!][^>]*)>/u.exec(rest(80))
    if (name !== null && (rust || name[1] === '')) {
      if (!/^[\p{L}_$][\p{L}\p{Nd}_$.[\]]*$/u.test(name[2]!)) reader.fail(`not a group name: ${name[2]}`)
      reader.at += Array.from(name[0]).length
      return capture()
    }
    const look = /^(<?)([=!])/.exec(rest(2))
    if (look !== null) {
      if (rust) reader.fail('look-around is not supported')
      reader.at += look[0].length
      return (body) => ({ kind: 'look', body, behind: look[1] === '<', negated: look[2] === '!' })
    }
    return inlineFlags()
  }

  function capture(): (body: Node) => Node {
    group += 1
    const mine = group
    return (body) => ({ kind: 'capture', body, group: mine })
  }

  function inlineFlags(): 'flags' | ((body: Node) => Node) {
    const found = /^([a-zA-Z]*)(-[a-zA-Z]+)?([:)])/.exec(rest(20))
    if (found === null) return reader.fail('a group that starts with (? and goes on with nothing known')
    const [all, on = '', off = '', end] = found
    if (end === ')' && (!rust || all === ')')) reader.fail('flags without a group are not supported')
    reader.at += all.length
    for (const flag of on) setFlag(flag, true)
    for (const flag of off.slice(1)) setFlag(flag, false)
    return end === ')' ? 'flags' : (body) => body
  }

  function setFlag(flag: string, value: boolean): void {
    const names: Record<string, keyof Flags | 'line-edges'> = rust ? rustFlags : ecmaFlags
    const name = names[flag] ?? reader.fail(`the flag ${flag} is not supported`)
    if (name === 'line-edges') return
    flags = { ...flags, [name]: value }
  }

  function fromEscape(meaning: Escape): Node {
    switch (meaning.kind) {
      case 'character':
        return literal(meaning.codePoint)
      case 'set':
        return one(meaning.set)
      case 'word-edge':
        return { kind: 'word-edge', word: wordSet(), negated: meaning.negated }
      case 'word-side':
        return wordSide(meaning.side)
      case 'edge':
        return { kind: 'edge', at: meaning.at }
      case 'group':
        if (meaning.group > groups.count) reader.fail(`there is no group ${meaning.name}`)
        return { kind: 'back-reference', group: meaning.group, ignoreCase: flags.ignoreCase }
    }
  }

  function wordSide(side: 'start' | 'end' | 'start-half' | 'end-half'): Node {
    const body = one(wordSet())
    const behind: Node = { kind: 'look', body, behind: true, negated: side.startsWith('start') }
    const ahead: Node = { kind: 'look', body, behind: false, negated: side.startsWith('end') }
    if (side === 'start-half') return behind
    return side === 'end-half' ? ahead : { kind: 'sequence', items: [behind, ahead] }
  }

  function wordSet(): CodePoints {
    return flags.unicode ? unicodeWord() : asciiWord
  }

  function literal(codePoint: number): Node {
    return one(flags.ignoreCase ? closeOverCase([codePoint, codePoint]) : [codePoint, codePoint])
  }

  function one(set: CodePoints): Node {
    return { kind: 'set', set }
  }

  function take(character: string): boolean {
    if (characters[reader.at] !== character) return false
    reader.at += 1
    return true
  }

  function rest(length: number): string {
    return characters.slice(reader.at, reader.at + length).join('')
  }

  function skipBlanks(): void {
    for (;;) {
      const next = characters[reader.at]
      if (next === '#') while (reader.at < characters.length && characters[reader.at] !== '\n') reader.at += 1
      else if (next !== undefined && /\s/.test(next)) reader.at += 1
      else return
    }
  }
}

/** Errors quote a pattern up to 200 units. */
export function invalid(pattern: string, reason: string): never {
  throw new FsError('INVALID_PATTERN', { pattern: cutUnits(pattern, 200), reason })
}

const newline: CodePoints = [0x0a, 0x0a]
const ecmaLineEnds: CodePoints = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029]

const ecmaFlags: Record<string, keyof Flags | 'line-edges'> = { i: 'ignoreCase', s: 'dotAll', m: 'line-edges' }
const rustFlags: Record<string, keyof Flags | 'line-edges'> = {
  ...ecmaFlags,
  u: 'unicode',
  x: 'verbose',
  U: 'swapGreed',
}

function groupsAhead(characters: readonly string[]): Groups {
  const byName = new Map<string, number>()
  let count = 0
  let inClass = false
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at]
    if (character === '\\') at += 1
    else if (inClass) inClass = character !== ']'
    else if (character === '[') inClass = true
    else if (character === '(') {
      const name = /^\?<([^>=!][^>]*)>/u.exec(characters.slice(at + 1, at + 80).join(''))
      if (characters[at + 1] !== '?' || name !== null) count += 1
      if (name !== null) byName.set(name[1]!, count)
    }
  }
  return { count, byName }
}
