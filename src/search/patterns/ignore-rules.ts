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
  withinName,
} from './automaton.js'
import { parseClass } from './character-class.js'

/** The rules of one ignore file, in one automaton that reads paths relative to the file's directory. */
export interface IgnoreRules {
  readonly automaton: Automaton
  /** By rule: whether it includes again what earlier rules ignore. The last rule that matches decides. */
  readonly negated: readonly boolean[]
  /** False when rules were dropped because there are too many or too costly ones. */
  readonly complete: boolean
}

/** Rules cost memory, and those with wildcards also time for every name. These limits bound a hostile file. */
const maxNodes = 200_000
const maxWildNodes = 10_000
/** No path or name is longer; rules that could only match longer ones are dropped. */
const maxPathLength = 4096
const maxNameLength = 255

/** Parses ignore rules as git does. Undefined when the text has none. */
export function parseIgnoreRules(text: string, { ignoreCase }: { ignoreCase: boolean }): IgnoreRules | undefined {
  const builder = automatonBuilder()
  const negated: boolean[] = []
  let wildNodes = 0
  let complete = true

  for (const line of text.replace(/^\uFEFF/, '').split('\n')) {
    const rule = parseRule(line)
    if (rule === undefined) continue
    if (builder.nodeCount > maxNodes || wildNodes > maxWildNodes) {
      complete = false
      break
    }
    const before = builder.nodeCount
    const end = addPattern(builder, rule, ignoreCase)
    if (/[*?[]/.test(rule.pattern)) wildNodes += builder.nodeCount - before
    if (end === undefined) continue
    end.directoryRule = negated.length
    if (!rule.directoriesOnly) end.fileRule = negated.length
    negated.push(rule.negated)
  }
  return negated.length === 0 && complete ? undefined : { automaton: builder.build(), negated, complete }
}

interface Rule {
  pattern: string
  negated: boolean
  directoriesOnly: boolean
  /** Compared with the path from the file's directory, not with the name alone. */
  anchored: boolean
}

function parseRule(line: string): Rule | undefined {
  let pattern = line.endsWith('\r') ? line.slice(0, -1) : line
  if (pattern === '' || pattern.startsWith('#')) return undefined
  pattern = withoutTrailingSpaces(pattern)
  const negated = pattern.startsWith('!')
  if (negated) pattern = pattern.slice(1)
  const directoriesOnly = pattern.endsWith('/')
  if (directoriesOnly) pattern = pattern.slice(0, -1)
  if (pattern === '') return undefined
  const anchored = pattern.includes('/')
  if (pattern.startsWith('/')) pattern = pattern.slice(1)
  return { pattern, negated, directoriesOnly, anchored }
}

/** Trailing spaces are removed, unless a backslash escapes the first of them. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ') end -= 1
  if (end === line.length) return line
  let backslashes = 0
  while (line[end - 1 - backslashes] === '\\') backslashes += 1
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end)
}

/** Adds a pattern to the automaton and returns its last node; undefined when it can never match. */
function addPattern(builder: Builder, { pattern, anchored }: Rule, ignoreCase: boolean): Node | undefined {
  const tokens = tokensOf(pattern, anchored, ignoreCase)
  if (tokens === undefined) return undefined
  const shortestMatch = tokens.filter((token) => typeof token === 'object').length
  if (shortestMatch > (anchored ? maxPathLength : maxNameLength)) return undefined

  let node = anchored ? builder.root : builder.directories(builder.root, withinName)
  for (const token of tokens) {
    if (token === 'star') node = builder.repeat(node, withinName)
    else if (token === 'everything') node = builder.repeat(node, anything)
    else if (token === 'directories') node = maybeDirectories(builder, node)
    else node = builder.read(node, token)
  }
  return node
}

/** One character of a set, or one of the three meanings of stars. */
type Token = CharacterSet | 'star' | 'everything' | 'directories'

/** Undefined for a pattern that is invalid to git, and so matches nothing. */
function tokensOf(pattern: string, anchored: boolean, ignoreCase: boolean): Token[] | undefined {
  const only = ignoreCase ? singleFolded : single
  const firstWild = pattern.search(/[*?[\\]/)
  const tokens: Token[] = []
  let at = 0
  while (at < pattern.length) {
    const character = pattern[at]
    if (character === '*') {
      let end = at + 1
      while (pattern[end] === '*') end += 1
      const rest = pattern.slice(end, end + 2)
      // Git compares the text before the first wildcard separately, so stars there count as the start of a name too.
      const isStart = at === firstWild || pattern[at - 1] === '/'
      const crosses = anchored && end - at > 1 && isStart && (rest === '' || rest.startsWith('/') || rest === '\\/')
      const takesSlash = crosses && rest.startsWith('/')
      tokens.push(takesSlash ? 'directories' : crosses ? 'everything' : 'star')
      at = takesSlash ? end + 1 : end
    } else if (character === '?') {
      tokens.push(withinName)
      at += 1
    } else if (character === '[') {
      const characterClass = parseClass(pattern, at, { ignoreCase })
      if (characterClass === undefined) return undefined
      tokens.push(characterClass.set)
      at = characterClass.end
    } else {
      if (character === '\\') at += 1
      const code = pattern.codePointAt(at)
      if (code === undefined) return undefined
      tokens.push(only(code))
      at += code > 0xffff ? 2 : 1
    }
  }
  return tokens
}

/** Reads nothing, or anything that ends in a slash. */
function maybeDirectories(builder: Builder, node: Node): Node {
  const end = builder.fresh()
  builder.skip(node, end)
  builder.skip(builder.read(builder.repeat(node, anything), single(slash)), end)
  return end
}
