/** Several patterns as one: a match of any of them, and of these the leftmost and longest. */
import type { Node, Pattern } from '../../src/search/patterns/regex/ast.js'
import { wordCharacters } from './character-sets.js'
import { compileRegex, posixRegex } from './compile-regex.js'
import { matchFixed } from './fixed-list.js'
import { closeOverGnuCase } from './gnu-case.js'
import { plainText } from './literal.js'
import { manyPatterns } from './many-patterns.js'
import { parsePosix } from './posix-parse.js'
import { RegexError } from './regex-error.js'
import { type PosixSyntax, posixSyntaxes } from './syntax.js'
import type { ShellRegex } from './types.js'

export interface PatternListOptions {
  syntax: PosixSyntax | 'perl' | 'fixed'
  ignoreCase: boolean
  /** The whole text has to match, or the match has to stand between characters that are not of words. */
  bounds: 'none' | 'word' | 'line'
  /** The texts contain no line feeds. */
  lines: boolean
  /** Bytes that are not UTF-8 are characters, as in the locale C. */
  bytes?: boolean
}

/** From so many on, a list of fixed texts is searched with a tree of them. */
const manyTexts = 40

export function compilePatterns(sources: readonly string[], options: PatternListOptions): ShellRegex {
  const { syntax, ignoreCase, bounds, lines, bytes = false } = options
  if (syntax === 'perl') return compilePerlList(sources, options)
  if (syntax === 'fixed' && sources.length >= manyTexts) return matchFixed(sources, { ignoreCase, bounds })
  const warnings: string[] = []
  const parse = (source: string, folds: boolean): Pattern => {
    if (syntax === 'fixed') return { root: fixed(source, folds), groups: 0 }
    const stray = (character: string) => warnings.push(`stray \\ before ${character}`)
    const leading = (operator: string) => warnings.push(`${operator} at start of expression`)
    const rules = { ...posixSyntaxes[syntax], bytes }
    return parsePosix(source, { rules, ignoreCase: folds, newline: false, stray, leading })
  }
  const together = (patterns: readonly Pattern[]) => {
    const { root, groups } = anyOf(patterns)
    const source = sources.length < manyTexts ? sources.join('|') : `${sources[0]}|…`
    return posixRegex({ root: bounded(root, bounds), groups }, source, { lines, captures: false, warnings })
  }
  if (sources.length < manyTexts) return together(sources.map((source) => parse(source, ignoreCase)))
  const texts: string[] = []
  const patterns: Pattern[] = []
  for (const source of new Set(sources)) {
    // Without regard to case a text is no longer to be seen in its pattern.
    const text = plainText(parse(source, false).root)
    if (text !== undefined) texts.push(text)
    else patterns.push(parse(source, ignoreCase))
  }
  const fixedTexts = texts.length > 0 ? matchFixed(texts, { ignoreCase, bounds }) : undefined
  if (patterns.length === 0 && fixedTexts !== undefined) return { ...fixedTexts, warnings }
  return manyPatterns(patterns, { texts: fixedTexts, compile: together, warnings })
}

function compilePerlList(
  sources: readonly string[],
  { ignoreCase, bounds, lines, bytes = false }: PatternListOptions,
): ShellRegex {
  const [source, more] = sources
  if (source === undefined || more !== undefined) throw new RegexError('the -P option only supports a single pattern')
  const wrapped = bounds === 'line' ? `^(?:${source})$` : bounds === 'word' ? `(?<!\\w)(?:${source})(?!\\w)` : source
  return compileRegex(wrapped, { syntax: 'perl', ignoreCase, lines, newline: false, bytes })
}

/** A choice between the patterns; the groups of each are counted from those of the one before. */
function anyOf(patterns: readonly Pattern[]): Pattern {
  const [only] = patterns
  if (only !== undefined && patterns.length === 1) return only
  let groups = 0
  const options = patterns.map((pattern) => {
    const root = shifted(pattern.root, groups)
    groups += pattern.groups
    return root
  })
  return { root: { kind: 'choice', options }, groups }
}

function bounded(body: Node, bounds: PatternListOptions['bounds']): Node {
  if (bounds === 'none') return body
  if (bounds === 'line') {
    return { kind: 'sequence', items: [{ kind: 'edge', at: 'text-start' }, body, { kind: 'edge', at: 'text-end' }] }
  }
  const word: Node = { kind: 'set', set: wordCharacters() }
  return {
    kind: 'sequence',
    items: [
      { kind: 'look', body: word, behind: true, negated: true },
      body,
      { kind: 'look', body: word, behind: false, negated: true },
    ],
  }
}

function fixed(text: string, ignoreCase: boolean): Node {
  const items = Array.from(text, (character): Node => {
    const code = character.codePointAt(0) as number
    return { kind: 'set', set: ignoreCase ? closeOverGnuCase([code, code]) : [code, code] }
  })
  return { kind: 'sequence', items }
}

/** The same pattern with its groups counted from a later number. */
function shifted(node: Node, by: number): Node {
  if (by === 0) return node
  switch (node.kind) {
    case 'sequence':
      return { kind: 'sequence', items: node.items.map((item) => shifted(item, by)) }
    case 'choice':
      return { kind: 'choice', options: node.options.map((option) => shifted(option, by)) }
    case 'repeat':
      return { ...node, body: shifted(node.body, by) }
    case 'capture':
      return { kind: 'capture', body: shifted(node.body, by), group: node.group + by }
    case 'back-reference':
      return { ...node, group: node.group + by }
    default:
      return node
  }
}
