/** Regular expressions of programs in Perl, on text whose units are bytes. */
import { minLength, type Node, some } from '../../src/search/patterns/regex/ast.js'
import { print } from '../../src/search/patterns/regex/print.js'
import { anyCharacter } from './character-sets.js'
import { firstMatchRegex } from './first-match.js'
import { forgetsGroups, hasGroup } from './forgets-groups.js'
import { type PerlPattern, parsePerl } from './perl-parse.js'
import { RegexError } from './regex-error.js'
import type { RegexMatch } from './types.js'

export interface ProgramRegex {
  readonly groups: number
  readonly names: ReadonlyMap<string, number>
  /** The leftmost match at `from` or later; of a pattern that begins with `\G`, only one at `from`. */
  exec(text: string, from: number): RegexMatch | undefined
  /** As `exec`, without a match that is empty and at `from`. */
  execOn(text: string, from: number): RegexMatch | undefined
}

const cacheSize = 500
const cache = new Map<string, ProgramRegex>()

/** `flags` are letters of `imsx`. Throws a `RegexError`. */
export function compileProgramRegex(source: string, flags: string): ProgramRegex {
  const key = `${flags}/${source}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const made = programRegex(source, flags)
  if (cache.size >= cacheSize) cache.clear()
  cache.set(key, made)
  return made
}

function programRegex(given: string, flags: string): ProgramRegex {
  const isAnchored = given.startsWith('\\G')
  const source = isAnchored ? given.slice(2) : given
  if (/(?:^|[^\\])(?:\\\\)*\\G/.test(source)) throw new RegexError('\\G is supported at the start only')
  const pattern = parsePerl(source, {
    ignoreCase: flags.includes('i'),
    multiline: flags.includes('m'),
    dotAll: flags.includes('s'),
    verbose: flags.includes('x'),
    isProgram: true,
  })
  checkGroups(pattern, isAnchored)
  const regex = firstMatchRegex(pattern, source, false)
  const canBeEmpty = minLength(pattern.root) === 0
  let atOnce: ((text: string, from: number) => RegexMatch | undefined) | undefined

  function exec(text: string, from: number): RegexMatch | undefined {
    const found = regex.exec(text, from)
    return isAnchored && found !== undefined && found.start !== from ? undefined : found
  }

  return {
    groups: regex.groups,
    names: pattern.names,
    exec,
    execOn(text, from) {
      const found = exec(text, from)
      if (found === undefined || !canBeEmpty || found.end > from) return found
      atOnce ??= filledAt(pattern)
      const filled = atOnce(text, from)
      if (filled !== undefined) return filled
      return isAnchored || from >= text.length ? undefined : regex.exec(text, from + 1)
    },
  }
}

/** What the platform's engine does in another way than Perl's. */
function checkGroups({ root, allGroups, groups, keeps }: PerlPattern, isAnchored: boolean): void {
  if (isAnchored && root.kind === 'choice') throw new RegexError('\\G with alternatives is not supported')
  if (keeps.length > 0 && isAnchored) throw new RegexError('\\G with \\K is not supported')
  if (allGroups > 0 && forgetsGroups(root)) {
    throw new RegexError('a group in alternatives or repetitions inside of a repetition is not supported')
  }
  const refers = new Set<number>()
  some(root, (node) => {
    if (node.kind === 'back-reference' && groups.includes(node.group)) {
      if (node.ignoreCase) throw new RegexError('a reference to a group without regard to case is not supported')
      refers.add(node.group)
    }
    return false
  })
  const isOptional = (node: Node) =>
    (node.kind === 'capture' &&
      some(node.body, (part) => part.kind === 'back-reference' && part.group === node.group)) ||
    ((node.kind === 'choice' || (node.kind === 'repeat' && node.min === 0) || (node.kind === 'look' && node.negated)) &&
      some(node, (part) => part.kind === 'capture' && refers.has(part.group)) &&
      hasGroup(node))
  if (refers.size > 0 && some(root, isOptional)) {
    throw new RegexError('a reference to a group that may not match is not supported')
  }
}

/** Matches at one place that take something: what is left afterwards is not what was left before. */
function filledAt(pattern: PerlPattern): (text: string, from: number) => RegexMatch | undefined {
  const rest: Node = {
    kind: 'repeat',
    body: { kind: 'set', set: anyCharacter },
    min: 0,
    max: Infinity,
    greedy: true,
  }
  const same: Node = {
    kind: 'sequence',
    items: [
      { kind: 'back-reference', group: 1, ignoreCase: false },
      { kind: 'edge', at: 'text-end' },
    ],
  }
  const root: Node = {
    kind: 'sequence',
    items: [
      { kind: 'look', body: { kind: 'capture', body: rest, group: 1 }, behind: false, negated: false },
      shifted(pattern.root),
      { kind: 'look', body: same, behind: false, negated: true },
    ],
  }
  const expression = new RegExp(print(root), 'duy')
  return (text, from) => {
    expression.lastIndex = from
    const found = expression.exec(text)
    if (found?.indices === undefined) return undefined
    const all = found.indices.slice(2) as Array<[number, number] | undefined>
    const [start = from] = pattern.keeps.map((keep) => all[keep - 1]?.[0] ?? -1).filter((place) => place >= 0)
    return { start, end: from + found[0].length, groups: pattern.groups.map((one) => all[one - 1]) }
  }

  /** The groups of the platform are counted in the order of their opening parentheses. */
  function shifted(node: Node): Node {
    switch (node.kind) {
      case 'sequence':
        return { kind: 'sequence', items: node.items.map(shifted) }
      case 'choice':
        return { kind: 'choice', options: node.options.map(shifted) }
      case 'repeat':
      case 'look':
        return { ...node, body: shifted(node.body) }
      case 'capture':
        return { ...node, group: node.group + 1, body: shifted(node.body) }
      case 'back-reference':
        return { ...node, group: node.group + 1 }
      default:
        return node
    }
  }
}
