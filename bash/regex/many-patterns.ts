/**
 * Long lists of patterns, such as those of `grep -f`. Of most every match contains a known text: a tree of these texts says which few
 * patterns a line is to be compared with, so that the time hardly depends on how many there are.
 */
import type { Pattern } from '../../src/search/patterns/regex/ast.js'
import { requiredLiterals } from '../../src/search/patterns/regex/required-literals.js'
import { closeOverGnuCase, gnuCaseKey } from './gnu-case.js'
import type { RegexMatch, ShellRegex } from './types.js'

export interface ManyPatternsOptions {
  /** Fixed texts among the patterns. */
  texts: ShellRegex | undefined
  /** Any of these patterns as one. */
  compile(patterns: readonly Pattern[]): ShellRegex
  warnings: readonly string[]
}

/** Patterns without a known text are compared together, so many at once. */
const comparedTogether = 32

/** Any of the patterns: the leftmost match and of these the longest. */
export function manyPatterns(patterns: readonly Pattern[], options: ManyPatternsOptions): ShellRegex {
  const { texts, compile, warnings } = options
  const tree = needleTree()
  const withoutNeedles: Pattern[] = []
  /** Compiled when a text is to be compared with it. */
  const compiled: Array<ShellRegex | undefined> = []
  for (const [index, pattern] of patterns.entries()) {
    const needles = requiredLiterals(pattern.root, closeOverGnuCase)?.needles
    if (needles === undefined) withoutNeedles.push(pattern)
    else for (const { text } of needles) tree.add(text, index)
  }
  const always = texts === undefined ? [] : [texts]
  for (let at = 0; at < withoutNeedles.length; at += comparedTogether) {
    always.push(compile(withoutNeedles.slice(at, at + comparedTogether)))
  }
  /** A text is mostly searched several times. */
  let last: { text: string; candidates: readonly ShellRegex[] } | undefined

  function regexAt(index: number): ShellRegex {
    compiled[index] ??= compile([patterns[index] as Pattern])
    return compiled[index]
  }

  function candidatesFor(text: string): readonly ShellRegex[] {
    if (last?.text !== text) last = { text, candidates: [...always, ...Array.from(tree.within(text), regexAt)] }
    return last.candidates
  }

  function exec(text: string, from = 0): RegexMatch | undefined {
    let best: RegexMatch | undefined
    for (const regex of candidatesFor(text)) {
      const found = regex.exec(text, from)
      if (found === undefined) continue
      const isBetter = best === undefined || found.start < best.start
      if (isBetter || (found.start === best?.start && found.end > best.end)) best = found
    }
    return best
  }

  return {
    groups: 0,
    exec,
    test: (text, from = 0) => candidatesFor(text).some((regex) => regex.test(text, from)),
    literals: undefined,
    globalFor: () => undefined,
    warnings,
  }
}

interface Branch {
  next: Map<number, Branch>
  /** The patterns whose text ends here. */
  ends: number[]
}

/** Texts without regard to case: a few patterns too many do no harm. */
function needleTree() {
  const root: Branch = { next: new Map(), ends: [] }
  return {
    add(text: string, pattern: number): void {
      let branch = root
      for (let at = 0; at < text.length; at += 1) {
        const key = keyAt(text, at)
        let next = branch.next.get(key)
        if (next === undefined) {
          next = { next: new Map(), ends: [] }
          branch.next.set(key, next)
        }
        branch = next
      }
      branch.ends.push(pattern)
    },
    /** The patterns one of whose texts is in this one. */
    within(text: string): ReadonlySet<number> {
      const found = new Set<number>()
      for (let start = 0; start < text.length; start += 1) {
        let branch = root.next.get(keyAt(text, start))
        for (let at = start + 1; branch !== undefined; at += 1) {
          for (const pattern of branch.ends) found.add(pattern)
          branch = at < text.length ? branch.next.get(keyAt(text, at)) : undefined
        }
      }
      return found
    },
  }
}

/** By units: both halves of a character beyond the first plane are themselves. */
function keyAt(text: string, at: number): number {
  return gnuCaseKey(text.charCodeAt(at))
}
