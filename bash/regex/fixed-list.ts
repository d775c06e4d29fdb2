/** Long lists of fixed texts, as a tree of their characters. */
import { contains } from '../../src/search/patterns/regex/code-points.js'
import { wordCharacters } from './character-sets.js'
import { gnuCaseKey } from './gnu-case.js'
import type { RegexMatch, ShellRegex } from './types.js'

interface Branch {
  next: Map<number, Branch>
  isEnd: boolean
}

export function matchFixed(
  texts: readonly string[],
  { ignoreCase, bounds }: { ignoreCase: boolean; bounds: 'none' | 'word' | 'line' },
): ShellRegex {
  const key = ignoreCase ? gnuCaseKey : (code: number) => code
  const whole = bounds === 'line' && !ignoreCase ? new Set(texts) : undefined
  const root: Branch = { next: new Map(), isEnd: false }
  for (const text of texts) add(text)

  function add(text: string): void {
    let branch = root
    for (const character of text) {
      const code = key(character.codePointAt(0) as number)
      let next = branch.next.get(code)
      if (next === undefined) {
        next = { next: new Map(), isEnd: false }
        branch.next.set(code, next)
      }
      branch = next
    }
    branch.isEnd = true
  }

  /** The end of the longest text from there; -1 for none. */
  function longest(text: string, start: number): number {
    let end = root.isEnd && fits(text, start, start) ? start : -1
    let branch: Branch | undefined = root
    for (let at = start; at < text.length; ) {
      const code = text.codePointAt(at) as number
      branch = branch.next.get(key(code))
      if (branch === undefined) break
      at += code > 0xffff ? 2 : 1
      if (branch.isEnd && fits(text, start, at)) end = at
    }
    return end
  }

  function fits(text: string, start: number, end: number): boolean {
    if (bounds === 'line') return start === 0 && end === text.length
    return bounds === 'none' || !(isWordBefore(text, start) || isWordAfter(text, end))
  }

  function exec(text: string, from = 0): RegexMatch | undefined {
    if (whole !== undefined)
      return from === 0 && whole.has(text) ? { start: 0, end: text.length, groups: [] } : undefined
    for (let start = from; start <= text.length; start += 1) {
      const end = longest(text, start)
      if (end >= 0) return { start, end, groups: [] }
      if (bounds === 'line') return undefined
    }
    return undefined
  }

  return {
    groups: 0,
    exec,
    test: (text, from = 0) => exec(text, from) !== undefined,
    literals: undefined,
    globalFor: () => undefined,
    warnings: [],
  }
}

function isWordBefore(text: string, at: number): boolean {
  if (at === 0) return false
  const [last = ''] = Array.from(text.slice(Math.max(0, at - 2), at)).slice(-1)
  return contains(wordCharacters(), last.codePointAt(0) as number)
}

function isWordAfter(text: string, at: number): boolean {
  return at < text.length && contains(wordCharacters(), text.codePointAt(at) as number)
}
