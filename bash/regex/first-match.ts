/** Patterns whose match is the leftmost, and of these the first in the order of the alternatives, as in Perl and in Rust. */
import type { Node } from '../../src/search/patterns/regex/ast.js'
import { compileBounded } from './bounded.js'
import { platformExpression } from './platform.js'
import { RegexError } from './regex-error.js'
import type { RegexMatch, ShellRegex } from './types.js'

export interface FirstMatchPattern {
  root: Node
  /** All groups, with those that a translation needs. */
  allGroups: number
  /** The pattern's own groups, by their numbers among all. */
  groups: readonly number[]
  /** Groups that are empty where the match is to begin. */
  keeps: readonly number[]
}

export function firstMatchRegex(pattern: FirstMatchPattern, source: string, lines: boolean): ShellRegex {
  const bounded = compileBounded({ root: pattern.root, groups: pattern.allGroups }, source, lines)
  const expression = pattern.allGroups > 0 ? platformExpression(pattern.root) : undefined

  function find(text: string, from: number): { start: number; end: number } | undefined {
    const span = bounded.find(text, from)
    if (span === 'too-expensive' || span === 'stopped') throw new RegexError("exceeded PCRE's backtracking limit")
    return span
  }

  function exec(text: string, from = 0): RegexMatch | undefined {
    const span = find(text, from)
    if (span === undefined) return undefined
    if (pattern.allGroups === 0) return { ...span, groups: [] }
    const all = expression?.groupsAt(text, span.start, span.end)
    if (all === undefined) throw new RegexError("exceeded PCRE's backtracking limit")
    const [start = span.start] = pattern.keeps.map((group) => all[group - 1]?.[0] ?? -1).filter((place) => place >= 0)
    return { start, end: span.end, groups: pattern.groups.map((group) => all[group - 1]) }
  }

  return {
    groups: pattern.groups.length,
    exec,
    test: (text, from = 0) => find(text, from) !== undefined,
    literals: bounded.literals,
    globalFor: () => undefined,
    warnings: [],
  }
}
