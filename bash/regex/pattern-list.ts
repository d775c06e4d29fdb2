/** Several patterns as one: a match of any of them, and of these the leftmost and longest. */
import type { Node } from '../../src/search/patterns/regex/ast.js'
import { wordCharacters } from './character-sets.js'
import { compileRegex, posixRegex } from './compile-regex.js'
import { matchFixed } from './fixed-list.js'
import { closeOverGnuCase } from './gnu-case.js'
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
  const choices: Node[] = []
  let groups = 0
  for (const source of sources) {
    if (syntax === 'fixed') {
      choices.push(fixed(source, ignoreCase))
      continue
    }
    const pattern = parsePosix(source, {
      rules: { ...posixSyntaxes[syntax], bytes },
      ignoreCase,
      newline: false,
      stray: (character) => warnings.push(`stray \\ before ${character}`),
    })
    choices.push(shifted(pattern.root, groups))
    groups += pattern.groups
  }
  const [only] = choices
  const root: Node = choices.length === 1 && only !== undefined ? only : { kind: 'choice', options: choices }
  const pattern = { root: bounded(root, bounds), groups }
  return posixRegex(pattern, sources.join('|'), { lines, captures: false, warnings })
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
